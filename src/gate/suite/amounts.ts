import { expect, it } from 'vitest';
import {
  CREDIT,
  CREDIT_YUAN,
  charged,
  createFunds,
  createHold,
  createPolicy,
  NOTHING_DONE,
  rule,
  toReason,
  type World,
} from './world.ts';

const rich = createFunds({ creditsMicro: 1_000_000n * CREDIT });
const money = createHold(rich);

function minute(credits: bigint) {
  return createPolicy([rule('amount', 60, credits * CREDIT_YUAN)]);
}

/** Exactly so many Credits, or nothing. */
function exactly(credits: bigint) {
  return createHold(rich, { wantMicro: credits * CREDIT, leastMicro: credits * CREDIT });
}

export function amounts(world: World): void {
  for (const [calls, limit, price] of [
    [10, 9n, 10n],
    [50, 10n, 3n],
    [500, 200n, 2n],
  ] as const) {
    it(`of ${calls} calls of ${price} Credits exactly ${limit / price} enter a window of ${limit}`, async () => {
      const parts = { policy: minute(limit), money: exactly(price) };
      const results = await Promise.all(Array.from({ length: calls }, () => world.enter(parts)));
      expect(results.filter((result) => result.kind === 'entered')).toHaveLength(Number(limit / price));
    });
  }

  it('what running calls hold counts as used, and the wait for it is an estimate of one second', async () => {
    const parts = { policy: minute(15n), money: createHold(rich, { leastMicro: 6n * CREDIT }) };
    const first = await world.lease(parts);
    const refused = { reason: 'amount', limit: 15_000n, used: 10_000n, seconds: 60, retryAfterMs: 1_000 };
    expect(await world.enter(parts)).toMatchObject(refused);
    await world.gate().leave(first, charged(9n));
    // Exactly the least is left, and then exactly the least is held.
    expect(await world.lease(parts)).toMatchObject({ heldMicro: 6n * CREDIT, shortOf: 'amount' });
    expect(await world.enter(parts)).toMatchObject({ used: 15_000n, retryAfterMs: 1_000 });
  });

  it('the wait is exact to the millisecond when used amounts refuse a call', async () => {
    const policy = minute(15n);
    const first = await world.lease({ policy, money });
    await world.gate().leave(first, charged(10n));
    await world.lease({ policy, money });
    await world.advance(59_999);
    const six = createHold(rich, { leastMicro: 6n * CREDIT });
    expect(await world.enter({ policy, money: six })).toMatchObject({ used: 15_000n, retryAfterMs: 1 });
    // Five are not used but held: somebody may give them back any moment.
    expect(await world.enter({ policy, money })).toMatchObject({ used: 15_000n, retryAfterMs: 1_000 });
    await world.advance(1);
    expect((await world.lease({ policy, money: six })).heldMicro).toBe(10n * CREDIT);
  });

  it('what is held is reported in yuan, rounded up', async () => {
    const policy = minute(10n);
    await world.lease({
      policy,
      money: { ...money, wantMicro: 9n * CREDIT + 1n, shareMicro: 9n * CREDIT + 1n },
    });
    expect(await world.enter({ policy, money })).toMatchObject({ reason: 'amount', used: 9_001n });
  });
}

export function severalAmounts(world: World): void {
  it('several amount windows limit a call together, and the wait is that of the last to open', async () => {
    const policy = createPolicy([
      rule('amount', 60, 20n * CREDIT_YUAN),
      rule('amount', 3600, 12n * CREDIT_YUAN),
    ]);
    const first = await world.lease({ policy, money });
    expect(await world.lease({ policy, money })).toMatchObject({ heldMicro: 2n * CREDIT, shortOf: 'amount' });
    await world.gate().leave(first, charged(12n));
    expect(await world.enter({ policy, money })).toMatchObject({ seconds: 3600, retryAfterMs: 3_600_000 });
    const nine = createHold(rich, { leastMicro: 9n * CREDIT });
    expect(await world.enter({ policy, money: nine })).toMatchObject({
      seconds: 60,
      retryAfterMs: 3_600_000,
    });
  });

  it('a call that costs more than it held counts in full', async () => {
    const policy = minute(15n);
    const first = await world.lease({ policy, money });
    const second = await world.lease({ policy, money });
    await world.gate().leave(first, charged(40n));
    expect(await world.enter({ policy, money })).toMatchObject({ reason: 'amount', used: 45_000n });
    // Less than nothing is left; whoever still runs keeps what it holds and gets no more.
    expect(await world.gate().extend(second, CREDIT)).toBe(0n);
    expect(second).toMatchObject({ heldMicro: 5n * CREDIT, shortOf: 'amount' });
  });
}

export function amountsOverTime(world: World): void {
  it('a hold grows by what the window has left, and by no more', async () => {
    const policy = minute(15n);
    const lease = await world.lease({ policy, money });
    expect(await world.gate().extend(lease, 3n * CREDIT)).toBe(3n * CREDIT);
    expect(lease).toMatchObject({ heldMicro: 13n * CREDIT, shortOf: undefined });
    expect(await world.gate().extend(lease, 3n * CREDIT)).toBe(2n * CREDIT);
    expect(lease).toMatchObject({ heldMicro: 15n * CREDIT, shortOf: 'amount' });
    expect(await world.gate().extend(lease, 1n)).toBe(0n);
  });

  it('a call counts into the window it was admitted under, and only while that runs', async () => {
    const policy = minute(15n);
    const long = await world.lease({ policy, money });
    await world.advance(60_000);
    const next = await world.lease({ policy, money });
    // The old window bounds nobody any more, and what was held in it weighs nothing in the new one.
    expect(await world.gate().extend(long, 50n * CREDIT)).toBe(50n * CREDIT);
    await world.gate().leave(long, charged(60n));
    expect(await world.gate().extend(next, 9n * CREDIT)).toBe(5n * CREDIT);
    await world.gate().leave(next, charged(4n));
    expect((await world.lease({ policy, money })).heldMicro).toBe(10n * CREDIT);
  });

  it('a call counts until the last millisecond of its window', async () => {
    const policy = minute(15n);
    const lease = await world.lease({ policy, money });
    await world.advance(59_999);
    await world.gate().leave(lease, charged(15n));
    expect(await world.enter({ policy, money })).toMatchObject({ reason: 'amount', retryAfterMs: 1 });
  });
}

export function amountsOfNothing(world: World): void {
  it('a free call neither checks nor counts nor starts an amount window', async () => {
    const policy = minute(10n);
    const own = await world.lease({ policy, money: undefined });
    expect(own).toMatchObject({ payer: 'none', heldMicro: 0n });
    await world.advance(30_000);
    const full = await world.lease({ policy, money });
    await world.gate().leave(full, charged(10n));
    await world.gate().leave(await world.lease({ policy, money: undefined }), NOTHING_DONE);
    await world.gate().leave(own, NOTHING_DONE);
    expect(await world.enter({ policy, money })).toMatchObject({ used: 10_000n, retryAfterMs: 60_000 });
  });

  it('a limit of 0 admits no call that costs something, whatever the least amount is', async () => {
    const policy = minute(0n);
    const some = createHold(rich, { wantMicro: 1n, leastMicro: 0n });
    expect(await world.enter({ policy, money: some })).toMatchObject({
      reason: 'amount',
      retryAfterMs: 60_000,
    });
    const free = createHold(rich, { wantMicro: 0n, leastMicro: 0n });
    expect(toReason(await world.enter({ policy, money: free }))).toBe('entered');
  });

  it('a refused call starts no amount window', async () => {
    const policy = minute(10n);
    const poor = createHold(createFunds());
    expect(toReason(await world.enter({ policy, money: poor, accountId: 2 }))).toBe('credits');
    await world.advance(30_000);
    const lease = await world.lease({ policy, money, accountId: 3, scope: 'account:2' });
    await world.gate().leave(lease, charged(10n));
    expect(await world.enter({ policy, money, accountId: 3, scope: 'account:2' })).toMatchObject({
      retryAfterMs: 60_000,
    });
  });
}
