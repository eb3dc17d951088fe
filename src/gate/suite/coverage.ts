import { expect, it } from 'vitest';
import {
  CREDIT,
  CREDIT_YUAN,
  charged,
  coverBy,
  covered,
  createCoverage,
  createFunds,
  createHold,
  createMoney,
  createPolicy,
  NOTHING_DONE,
  rule,
  toReason,
  type World,
} from './world.ts';

const funds = createFunds({ creditsMicro: 1_000n * CREDIT });
const wallet = createHold(funds).wallet;

export function coverage(world: World): void {
  for (const [calls, credits, price] of [
    [20, 2n, 3n],
    [50, 10n, 3n],
    [500, 200n, 2n],
  ] as const) {
    const held = { wantMicro: price * CREDIT, leastMicro: price * CREDIT };
    const fits = Number(credits / price);
    it(`of ${calls} calls of ${price} Credits coverage of ${credits} pays for exactly ${fits}`, async () => {
      const money = createMoney({ ...held, coverage: createCoverage(credits) });
      const results = await Promise.all(Array.from({ length: calls }, () => world.enter({ money })));
      expect(results.filter((result) => result.kind === 'entered')).toHaveLength(fits);
      expect(results.filter((result) => toReason(result) === 'coverage')).toHaveLength(calls - fits);
    });

    it(`of ${calls} such calls the wallet pays for all but ${fits}, and for no more`, async () => {
      const rest = BigInt(calls - fits);
      const exact = createHold(createFunds({ creditsMicro: rest * price * CREDIT })).wallet;
      const money = createMoney({ ...held, coverage: createCoverage(credits), wallet: exact });
      const leases = await Promise.all(Array.from({ length: calls }, () => world.lease({ money })));
      expect(leases.filter((lease) => lease.payer === 'subscription')).toHaveLength(fits);
      expect(leases.filter((lease) => lease.payer === 'credits')).toHaveLength(calls - fits);
      expect(toReason(await world.enter({ money }))).toBe('credits');
    });
  }
}

export function coverageOrWallet(world: World): void {
  it('a covered call holds no Credits, and a call paid by Credits no coverage', async () => {
    const money = createMoney({ coverage: createCoverage(10n), wallet });
    const first = await world.lease({ money });
    expect(first).toMatchObject({ payer: 'subscription', heldMicro: 10n * CREDIT, shortOf: undefined });
    const all = createHold(funds, { wantMicro: 9_999n * CREDIT });
    const second = await world.lease({ money: all });
    expect(second).toMatchObject({ payer: 'credits', heldMicro: 1_000n * CREDIT });
    await world.gate().leave(first, covered(4n));
    expect((await world.lease({ money })).heldMicro).toBe(6n * CREDIT);
  });

  it('the wallet pays for the whole call when too little coverage is left, which stays', async () => {
    const least = { leastMicro: 5n * CREDIT };
    await world.lease({
      money: createMoney({ wantMicro: 6n * CREDIT, coverage: createCoverage(10n), wallet }),
    });
    const spilled = await world.lease({
      money: createMoney({ ...least, coverage: createCoverage(10n), wallet }),
    });
    expect(spilled).toMatchObject({ payer: 'credits', heldMicro: 10n * CREDIT });
    const small = createMoney({ leastMicro: 4n * CREDIT, coverage: createCoverage(10n), wallet });
    expect(await world.lease({ money: small })).toMatchObject({
      payer: 'subscription',
      heldMicro: 4n * CREDIT,
      shortOf: 'coverage',
    });
  });

  it('the wallet is named when it cannot pay either', async () => {
    const poor = createHold(createFunds({ monthSpentMicro: 9n }), { capMicro: 1n }).wallet;
    const capped = createHold(createFunds({ version: 2, creditsMicro: 9n * CREDIT, monthSpentMicro: 9n }), {
      capMicro: 1n,
    }).wallet;
    const none = createCoverage(0n);
    expect(toReason(await world.enter({ money: createMoney({ coverage: none, wallet: poor }) }))).toBe(
      'credits',
    );
    expect(toReason(await world.enter({ money: createMoney({ coverage: none, wallet: capped }) }))).toBe(
      'cap',
    );
  });

  it('a hold grows by the remaining coverage, and the wallet adds nothing', async () => {
    const lease = await world.lease({ money: createMoney({ coverage: createCoverage(15n), wallet }) });
    expect(await world.gate().extend(lease, 8n * CREDIT)).toBe(5n * CREDIT);
    expect(lease).toMatchObject({ payer: 'subscription', heldMicro: 15n * CREDIT, shortOf: 'coverage' });
    expect(await world.gate().extend(lease, 1n)).toBe(0n);
  });
}

export function coverageBounds(world: World): void {
  it('every window of the coverage limits a call, and no window is no limit', async () => {
    const both = coverBy([
      { seconds: 60, amountMicro: 8n * CREDIT_YUAN },
      { seconds: 3600, amountMicro: 12n * CREDIT_YUAN },
    ]);
    const first = await world.lease({ money: createMoney({ coverage: both }) });
    expect(first).toMatchObject({ heldMicro: 8n * CREDIT, shortOf: 'coverage' });
    await world.gate().leave(first, covered(8n));
    await world.advance(60_000);
    expect((await world.lease({ money: createMoney({ coverage: both }) })).heldMicro).toBe(4n * CREDIT);
    const boundless = createMoney({ coverage: coverBy([], 'subscription:2'), wantMicro: 10n ** 15n });
    expect(await world.lease({ money: boundless })).toMatchObject({
      payer: 'subscription',
      heldMicro: 10n ** 15n,
    });
  });

  it('a covered call is charged nothing', async () => {
    const lease = await world.lease({ money: createMoney({ coverage: createCoverage(10n), wallet }) });
    await expect((async () => world.gate().leave(lease, charged(1n)))()).rejects.toThrow('has a hold');
  });
}

export function coverageOverTime(world: World): void {
  it('a call without coverage and without another payer is refused with the exact wait, in yuan', async () => {
    const money = createMoney({ leastMicro: 3n * CREDIT, coverage: createCoverage(10n, 60) });
    await world.gate().leave(await world.lease({ money }), covered(8n));
    await world.advance(59_999);
    expect(await world.enter({ money })).toMatchObject({
      reason: 'coverage',
      limit: 10_000n,
      used: 8_000n,
      seconds: 60,
      retryAfterMs: 1,
    });
    await world.advance(1);
    expect((await world.lease({ money })).heldMicro).toBe(10n * CREDIT);
  });

  it('the wait is an estimate of one second when only running calls are in the way', async () => {
    const money = createMoney({ coverage: createCoverage(10n) });
    const first = await world.lease({ money });
    expect(await world.enter({ money })).toMatchObject({ used: 10_000n, retryAfterMs: 1_000 });
    await world.gate().leave(first, covered(9n));
    expect((await world.lease({ money })).heldMicro).toBe(CREDIT);
  });
}

export function coverageAnchors(world: World): void {
  it('a coverage window starts at the first call that it pays for', async () => {
    const policy = createPolicy([rule('requests', 5, 3n)]);
    const least = { leastMicro: 20n * CREDIT, wantMicro: 20n * CREDIT };
    // Too large for the coverage, somebody's own key, refused: none of them begins anything.
    await world.lease({
      policy,
      money: createMoney({ ...least, coverage: createCoverage(10n, 60), wallet }),
    });
    await world.lease({ policy, money: undefined });
    await world.lease({ policy, money: undefined });
    const money = createMoney({ coverage: createCoverage(10n, 60) });
    expect(toReason(await world.enter({ policy, money }))).toBe('requests');
    await world.advance(30_000);
    await world.gate().leave(await world.lease({ policy, money }), covered(10n));
    await world.advance(30_001);
    expect(await world.enter({ policy, money })).toMatchObject({ reason: 'coverage', retryAfterMs: 29_999 });
    await world.advance(30_000);
    // One millisecond after its end it is new, and anchored here.
    await world.gate().leave(await world.lease({ policy, money }), covered(10n));
    expect(await world.enter({ policy, money })).toMatchObject({ retryAfterMs: 60_000 });
  });

  it('a call counts into the coverage it was admitted under, and only while that runs', async () => {
    const money = createMoney({ coverage: createCoverage(15n, 60) });
    const long = await world.lease({ money });
    await world.advance(60_001);
    const next = await world.lease({ money });
    await world.gate().leave(long, covered(15n));
    expect(await world.gate().extend(next, 9n * CREDIT)).toBe(5n * CREDIT);
  });

  it('a new subscription begins with new windows', async () => {
    const old = createMoney({ coverage: createCoverage(10n, 60, 'subscription:1') });
    await world.gate().leave(await world.lease({ money: old }), covered(10n));
    expect(toReason(await world.enter({ money: old }))).toBe('coverage');
    const fresh = createMoney({ coverage: createCoverage(10n, 60, 'subscription:2') });
    expect((await world.lease({ money: fresh })).heldMicro).toBe(10n * CREDIT);
    expect(toReason(await world.enter({ money: old }))).toBe('coverage');
  });
}

export function coverageUnderPolicy(world: World): void {
  it('a covered call counts into the amount windows of its policy too, which are checked first', async () => {
    const policy = createPolicy([rule('amount', 60, 12n * CREDIT_YUAN)]);
    const money = createMoney({ coverage: createCoverage(11n, 3600) });
    const first = await world.lease({ policy, money });
    await world.gate().leave(first, covered(10n));
    expect(await world.lease({ policy, money })).toMatchObject({ heldMicro: CREDIT, shortOf: 'coverage' });
    const large = createMoney({ leastMicro: 5n * CREDIT, coverage: createCoverage(11n, 3600) });
    // The amount opens after a minute, the coverage after an hour: only then can the call enter.
    expect(await world.enter({ policy, money: large })).toMatchObject({
      reason: 'amount',
      seconds: 60,
      retryAfterMs: 3_600_000,
    });
    const spilling = { ...large, wallet };
    expect(await world.enter({ policy, money: spilling })).toMatchObject({ retryAfterMs: 60_000 });
    await world.advance(60_000);
    expect(await world.lease({ policy, money: spilling })).toMatchObject({ payer: 'credits' });
  });

  it('a call refused for coverage consumes nothing in any dimension', async () => {
    const policy = createPolicy([rule('requests', 60, 2n), rule('amount', 60, 90n * CREDIT_YUAN)], 9);
    const short = createMoney({ coverage: createCoverage(0n) });
    for (let tries = 0; tries < 50; tries++) {
      expect(toReason(await world.enter({ policy, money: short }))).toBe('coverage');
    }
    expect(world.gate().active).toBe(0);
    const all = createHold(funds, { wantMicro: 90n * CREDIT });
    const lease = await world.lease({ policy, money: all });
    expect(lease).toMatchObject({ heldMicro: 90n * CREDIT, shortOf: undefined });
    await world.gate().leave(lease, NOTHING_DONE);
  });
}
