import { expect, it } from 'vitest';
import {
  CREDIT,
  CREDIT_YUAN,
  charged,
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

const funds = createFunds({ creditsMicro: 20n * CREDIT });
const credits = createHold(funds);
const everything = { wantMicro: 999n * CREDIT };

export function reholds(world: World): void {
  it('a change from Credits to the subscription releases the Credits exactly', async () => {
    const lease = await world.lease({ money: credits });
    await world.gate().extend(lease, 3n * CREDIT);
    const money = createMoney({ wantMicro: 4n * CREDIT, coverage: createCoverage(6n) });
    expect(await world.gate().rehold(lease, money)).toEqual({ kind: 'reheld' });
    expect(lease).toMatchObject({ payer: 'subscription', heldMicro: 4n * CREDIT, shortOf: undefined });
    expect((await world.lease({ money: createHold(funds, everything) })).heldMicro).toBe(20n * CREDIT);
    expect(await world.gate().extend(lease, 9n * CREDIT)).toBe(2n * CREDIT);
    await world.gate().leave(lease, covered(5n));
    expect((await world.lease({ money })).heldMicro).toBe(CREDIT);
  });

  it('a change from the subscription to Credits releases the coverage, and the charge is pending', async () => {
    const money = createMoney({ coverage: createCoverage(10n) });
    const lease = await world.lease({ money });
    expect(await world.gate().rehold(lease, credits)).toEqual({ kind: 'reheld' });
    expect(lease).toMatchObject({ payer: 'credits', heldMicro: 10n * CREDIT });
    expect((await world.lease({ money })).heldMicro).toBe(10n * CREDIT);
    await world.gate().leave(lease, charged(7n));
    expect((await world.lease({ money: createHold(funds, everything) })).heldMicro).toBe(13n * CREDIT);
  });

  it('a change from BYOK to Credits applies the amount windows from now on', async () => {
    const policy = createPolicy([rule('amount', 60, 15n * CREDIT_YUAN)]);
    const lease = await world.lease({ policy, money: undefined });
    expect(await world.gate().rehold(lease, credits)).toEqual({ kind: 'reheld' });
    expect(lease).toMatchObject({ payer: 'credits', heldMicro: 10n * CREDIT });
    expect(await world.lease({ policy, money: credits })).toMatchObject({ heldMicro: 5n * CREDIT });
    await world.gate().leave(lease, charged(10n));
    expect(await world.enter({ policy, money: credits })).toMatchObject({ reason: 'amount', used: 15_000n });
  });

  it('a change from Credits to BYOK releases everything, and the end counts nowhere', async () => {
    const policy = createPolicy([rule('amount', 60, 15n * CREDIT_YUAN)]);
    const lease = await world.lease({ policy, money: credits });
    expect(await world.gate().rehold(lease, undefined)).toEqual({ kind: 'reheld' });
    expect(lease).toMatchObject({ payer: 'none', heldMicro: 0n, shortOf: undefined });
    await world.gate().leave(lease, covered(14n));
    const all = createHold(funds, everything);
    expect(await world.lease({ policy, money: all })).toMatchObject({ heldMicro: 15n * CREDIT });
  });
}

export function sameCall(world: World): void {
  it('a call may use its own hold for its new hold', async () => {
    const policy = createPolicy([rule('amount', 60, 20n * CREDIT_YUAN)]);
    const all = createHold(funds, { wantMicro: 20n * CREDIT, leastMicro: 20n * CREDIT, capMicro: 20_000n });
    const lease = await world.lease({ policy, money: all });
    for (let tries = 0; tries < 3; tries++) {
      expect(await world.gate().rehold(lease, all)).toEqual({ kind: 'reheld' });
      expect(lease).toMatchObject({ heldMicro: 20n * CREDIT, shortOf: undefined });
    }
  });

  it('a change keeps slot and request windows', async () => {
    const policy = createPolicy(
      [rule('requests', 60, 1n), rule('tokens', 60, 5n), rule('images', 60, 1n)],
      1,
    );
    const lease = await world.lease({ policy, money: credits, inputTokens: 5, images: 1 });
    expect(toReason(await world.gate().rehold(lease, createMoney({ coverage: createCoverage(9n) })))).toBe(
      'reheld',
    );
    expect(world.gate().active).toBe(1);
    expect(toReason(await world.enter({ policy }))).toBe('concurrency');
    await world.gate().leave(lease, { ...NOTHING_DONE, tokens: 5 });
    expect(await world.enter({ policy })).toMatchObject({ reason: 'requests', used: 1n });
  });
}

export function refusedReholds(world: World): void {
  const policy = createPolicy([rule('amount', 60, 30n * CREDIT_YUAN)]);
  const refusals = [
    ['amount', createHold(funds, { leastMicro: 31n * CREDIT })],
    ['coverage', createMoney({ leastMicro: 6n * CREDIT, coverage: createCoverage(5n) })],
    ['credits', createHold(funds, { leastMicro: 21n * CREDIT })],
    ['cap', createHold(funds, { leastMicro: 6n * CREDIT, capMicro: 5_000n })],
  ] as const;
  for (const [reason, money] of refusals) {
    it(`a change that is refused for ${reason} keeps the old hold, and the call may still end`, async () => {
      const lease = await world.lease({ policy, money: credits });
      expect(toReason(await world.gate().rehold(lease, money))).toBe(reason);
      expect(lease).toMatchObject({ payer: 'credits', heldMicro: 10n * CREDIT });
      // Others see the old hold, in every pot and once.
      const all = createHold(funds, everything);
      const other = await world.lease({ policy, money: all });
      expect(other).toMatchObject({ heldMicro: 10n * CREDIT, shortOf: 'credits' });
      const subscribed = await world.lease({ money: createMoney({ coverage: createCoverage(5n) }) });
      expect(subscribed.heldMicro).toBe(5n * CREDIT);
      await world.gate().leave(other, NOTHING_DONE);
      await world.gate().leave(lease, charged(8n));
      expect((await world.lease({ policy, money: all })).heldMicro).toBe(12n * CREDIT);
    });
  }

  it('a covered call that is refused stays covered', async () => {
    const money = createMoney({ coverage: createCoverage(10n) });
    const lease = await world.lease({ policy, money });
    expect(toReason(await world.gate().rehold(lease, createHold(createFunds())))).toBe('credits');
    expect(lease).toMatchObject({ payer: 'subscription', heldMicro: 10n * CREDIT });
    await world.gate().leave(lease, covered(9n));
    expect((await world.lease({ money })).heldMicro).toBe(CREDIT);
  });

  it('a call without money that is refused still holds none', async () => {
    const lease = await world.lease({ policy, money: undefined });
    expect(toReason(await world.gate().rehold(lease, createHold(createFunds())))).toBe('credits');
    expect(lease).toMatchObject({ payer: 'none', heldMicro: 0n });
    await world.advance(30_000);
    // The refused step began no window: the minute begins here.
    const money = createHold(createFunds({ version: 2, creditsMicro: 99n * CREDIT }));
    await world.gate().leave(await world.lease({ policy, money }), charged(30n));
    const again = createHold(createFunds({ version: 3, creditsMicro: 99n * CREDIT }));
    expect(await world.enter({ policy, money: again })).toMatchObject({ retryAfterMs: 60_000 });
    await world.gate().leave(lease, NOTHING_DONE);
  });

  it('a new hold counts into the amount window that runs now', async () => {
    const lease = await world.lease({ policy, money: credits });
    await world.advance(60_000);
    expect(toReason(await world.gate().rehold(lease, credits))).toBe('reheld');
    await world.gate().leave(lease, charged(30n));
    expect(await world.enter({ policy, money: credits })).toMatchObject({
      reason: 'amount',
      used: 30_000n,
      retryAfterMs: 60_000,
    });
  });
}
