import { expect, it } from 'vitest';
import type { Look } from '../contract.ts';
import {
  CREDIT,
  CREDIT_YUAN,
  CREDITS_PER_YUAN,
  coverBy,
  covered,
  createCoverage,
  createMoney,
  createPolicy,
  NOTHING_DONE,
  rule,
  type World,
} from './world.ts';

const policy = createPolicy(
  [rule('requests', 60, 5n), rule('tokens', 3600, 100n), rule('amount', 3600, 50n * CREDIT_YUAN)],
  4,
);
const coverage = coverBy([
  { seconds: 3600, amountMicro: 30n * CREDIT_YUAN },
  { seconds: 86_400, amountMicro: 90n * CREDIT_YUAN },
]);

async function look(world: World, parts: { readonly scope?: string } = {}): Promise<Look> {
  const request = { accountId: 1, scope: 'account:1', policy, coverage, creditsPerYuan: CREDITS_PER_YUAN };
  const seen = await world.gate().look({ ...request, ...parts });
  if (seen.kind !== 'look') throw new Error(seen.kind);
  return seen;
}

const used = ({ windows, coverage: covers }: Look): bigint[] =>
  [...windows, ...covers].map((each) => each.used);

export function looks(world: World): void {
  it('a status shows nothing used and no window before the first use', async () => {
    const seen = await look(world);
    expect(seen.concurrent).toBe(0);
    expect(seen.windows.map(({ dimension, seconds, limit }) => [dimension, seconds, limit])).toEqual([
      ['requests', 60, 5n],
      ['tokens', 3600, 100n],
      ['amount', 3600, 50n * CREDIT_YUAN],
    ]);
    expect(seen.coverage.map(({ seconds, limit }) => [seconds, limit])).toEqual([
      [3600, 30n * CREDIT_YUAN],
      [86_400, 90n * CREDIT_YUAN],
    ]);
    expect(used(seen)).toEqual([0n, 0n, 0n, 0n, 0n]);
    expect([...seen.windows, ...seen.coverage].map(({ endsInMs }) => endsInMs)).toEqual(
      Array(5).fill(undefined),
    );
  });

  it('a status shows a running call with its slot, its counts and its hold', async () => {
    await world.lease({ policy, inputTokens: 7, money: createMoney({ coverage, wantMicro: 10n * CREDIT }) });
    await world.advance(1_500);
    const seen = await look(world);
    expect(seen.concurrent).toBe(1);
    expect(used(seen)).toEqual([1n, 7n, 10n * CREDIT_YUAN, 10n * CREDIT_YUAN, 10n * CREDIT_YUAN]);
    expect(seen.windows.map(({ endsInMs }) => endsInMs)).toEqual([58_500, 3_598_500, 3_598_500]);
    expect(seen.coverage.map(({ endsInMs }) => endsInMs)).toEqual([3_598_500, 86_398_500]);
  });

  it('a status shows the true use of a call that left, and its slot is free', async () => {
    const lease = await world.lease({ policy, inputTokens: 7, money: createMoney({ coverage }) });
    await world.gate().leave(lease, { ...covered(3n), tokens: 40 });
    const seen = await look(world);
    expect(seen.concurrent).toBe(0);
    expect(used(seen)).toEqual([1n, 40n, 3n * CREDIT_YUAN, 3n * CREDIT_YUAN, 3n * CREDIT_YUAN]);
  });
}

export function looksOverTime(world: World): void {
  it('a status does not show a window that has ended', async () => {
    const lease = await world.lease({ policy, money: createMoney({ coverage }) });
    await world.gate().leave(lease, covered(3n));
    await world.advance(3_600_000);
    const seen = await look(world);
    expect(used(seen)).toEqual([0n, 0n, 0n, 0n, 3n * CREDIT_YUAN]);
    expect(seen.coverage.map(({ endsInMs }) => endsInMs)).toEqual([undefined, 82_800_000]);
  });

  it('a status takes nothing and starts nothing', async () => {
    const single = createPolicy([rule('requests', 60, 1n)], 1);
    for (let times = 0; times < 5; times++) {
      const request = { accountId: 1, scope: 'account:1', policy: single, coverage: createCoverage(1n) };
      await world.gate().look({ ...request, creditsPerYuan: CREDITS_PER_YUAN });
    }
    const entered = await world.enter({ policy: single });
    expect(entered.kind).toBe('entered');
    await world.advance(30_000);
    const request = { accountId: 1, scope: 'account:1', policy: single, coverage: undefined };
    const seen = await world.gate().look({ ...request, creditsPerYuan: CREDITS_PER_YUAN });
    expect(seen).toMatchObject({ windows: [{ used: 1n, endsInMs: 30_000 }], coverage: [] });
  });

  it('a status of another scope of the account is separate', async () => {
    const lease = await world.lease({ policy, scope: 'key:9' });
    await world.gate().leave(lease, NOTHING_DONE);
    expect(used(await look(world))).toEqual([0n, 0n, 0n, 0n, 0n]);
    expect(used(await look(world, { scope: 'key:9' }))[0]).toBe(1n);
  });
}
