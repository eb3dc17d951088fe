import { expect, it } from 'vitest';
import { SLOT_LIFETIME_MS } from '../../bounds.ts';
import { createPolicy, NOTHING_DONE, toReason, type World } from './world.ts';

export function slots(world: World): void {
  const single = createPolicy([], 1);

  it('a slot is free again when its call leaves', async () => {
    const first = await world.lease({ policy: single });
    expect(await world.enter({ policy: single })).toMatchObject({
      reason: 'concurrency',
      limit: 1n,
      used: 1n,
      seconds: 0,
      retryAfterMs: 1_000,
    });
    await world.gate().leave(first, NOTHING_DONE);
    expect(toReason(await world.enter({ policy: single }))).toBe('entered');
  });

  it('a slot is removed after 600 seconds, and a late leave frees no other slot', async () => {
    const late = await world.lease({ policy: single });
    await world.advance(SLOT_LIFETIME_MS - 1);
    expect(toReason(await world.enter({ policy: single }))).toBe('concurrency');
    await world.advance(1);
    const next = await world.lease({ policy: single });
    await world.gate().leave(late, NOTHING_DONE);
    expect(toReason(await world.enter({ policy: single }))).toBe('concurrency');
    await world.gate().leave(next, NOTHING_DONE);
    expect(toReason(await world.enter({ policy: single }))).toBe('entered');
  });

  it('calls that entered without a concurrency limit count when a limit is set', async () => {
    await world.lease({ policy: undefined });
    expect(toReason(await world.enter({ policy: single }))).toBe('concurrency');
  });

  it('leaving twice throws and frees nothing', async () => {
    const policy = createPolicy([], 2);
    const first = await world.lease({ policy });
    await world.lease({ policy });
    await world.gate().leave(first, NOTHING_DONE);
    await expect((async () => world.gate().leave(first, NOTHING_DONE))()).rejects.toThrow('exactly once');
    expect(world.gate().active).toBe(1);
    await world.lease({ policy });
    expect(toReason(await world.enter({ policy }))).toBe('concurrency');
  });
}
