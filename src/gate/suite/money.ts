import { expect, it } from 'vitest';
import {
  CREDIT,
  createCoverage,
  createFunds,
  createHold,
  createMoney,
  NOTHING_DONE,
  toReason,
  toSettled,
  type World,
} from './world.ts';

const rich = createFunds({ creditsMicro: 1_000n * CREDIT, monthSpentMicro: 2_000n });

export function holds(world: World): void {
  it('a held amount is not available to others, and returns when the call leaves', async () => {
    const money = createHold(createFunds({ creditsMicro: 15n * CREDIT }), { leastMicro: 6n * CREDIT });
    const lease = await world.lease({ money });
    expect(lease.heldMicro).toBe(10n * CREDIT);
    expect(await world.enter({ money })).toMatchObject({
      reason: 'credits',
      limit: 15n * CREDIT,
      used: 10n * CREDIT,
      retryAfterMs: 0,
    });
    await world.gate().leave(lease, NOTHING_DONE);
    expect((await world.lease({ money })).heldMicro).toBe(10n * CREDIT);
  });

  it('a hold is what is available when less is available than wanted', async () => {
    const money = createHold(createFunds({ creditsMicro: 4n * CREDIT }));
    const lease = await world.lease({ money });
    expect(lease).toMatchObject({ heldMicro: 4n * CREDIT, shortOf: 'credits' });
    expect(await world.gate().extend(lease, 1n)).toBe(0n);
  });

  it('a hold is extended by what is available, and by no more', async () => {
    const money = createHold(createFunds({ creditsMicro: 15n * CREDIT }));
    const lease = await world.lease({ money });
    expect(await world.gate().extend(lease, 3n * CREDIT)).toBe(3n * CREDIT);
    expect(lease).toMatchObject({ heldMicro: 13n * CREDIT, shortOf: undefined });
    expect(await world.gate().extend(lease, 3n * CREDIT)).toBe(2n * CREDIT);
    expect(lease).toMatchObject({ heldMicro: 15n * CREDIT, shortOf: 'credits' });
  });

  it('a charge is pending until it is settled, and is spent once', async () => {
    const money = createHold(createFunds({ creditsMicro: 15n * CREDIT }));
    const lease = await world.lease({ money });
    await world.gate().leave(lease, { ...NOTHING_DONE, chargeMicro: 7n * CREDIT });
    expect((await world.lease({ money })).heldMicro).toBe(8n * CREDIT);
    await world.gate().settled(toSettled(lease, 7n, createFunds({ version: 2, creditsMicro: 8n * CREDIT })));
    expect(toReason(await world.enter({ money }))).toBe('credits');
  });

  it('a charge settled before its call has left is spent once as well', async () => {
    const money = createHold(createFunds({ creditsMicro: 15n * CREDIT }), { wantMicro: 7n * CREDIT });
    const lease = await world.lease({ money });
    await world.gate().settled(toSettled(lease, 7n, createFunds({ version: 2, creditsMicro: 8n * CREDIT })));
    await world.gate().leave(lease, { ...NOTHING_DONE, chargeMicro: 7n * CREDIT });
    expect(
      (await world.lease({ money: { ...money, wantMicro: 99n * CREDIT, shareMicro: 99n * CREDIT } }))
        .heldMicro,
    ).toBe(8n * CREDIT);
  });
}

export function funds(world: World): void {
  it('only newer funds replace the funds of the gate', async () => {
    await world.lease({ money: createHold(createFunds({ version: 5, creditsMicro: 10n * CREDIT })) });
    const stale = createHold(createFunds({ version: 4, creditsMicro: 99n * CREDIT }));
    expect(toReason(await world.enter({ money: stale }))).toBe('credits');
    const same = createHold(createFunds({ version: 5, creditsMicro: 99n * CREDIT }));
    expect(toReason(await world.enter({ money: same }))).toBe('credits');
    const older = createFunds({ version: 3, creditsMicro: 99n * CREDIT });
    await world.gate().settled({ accountId: 1, calls: [], funds: older });
    expect(toReason(await world.enter({ money: stale }))).toBe('credits');
    const toppedUp = createHold(createFunds({ version: 6, creditsMicro: 12n * CREDIT }));
    expect((await world.lease({ money: toppedUp })).heldMicro).toBe(2n * CREDIT);
  });

  it('with auto-exchange the balance counts too, at the exchange rate', async () => {
    const funds = createFunds({ creditsMicro: 3n * CREDIT, balanceMicro: 5_000n });
    const parts = { wantMicro: 99n * CREDIT, leastMicro: 4n * CREDIT };
    expect(toReason(await world.enter({ money: createHold(funds, parts) }))).toBe('credits');
    const lease = await world.lease({ money: createHold(funds, { ...parts, autoExchange: true }) });
    expect(lease.heldMicro).toBe(8n * CREDIT);
  });

  it('exactly the requested minimum suffices', async () => {
    const parts = { leastMicro: 4n * CREDIT };
    const short = createHold(createFunds({ creditsMicro: 4n * CREDIT - 1n }), parts);
    expect(toReason(await world.enter({ money: short }))).toBe('credits');
    const enough = createHold(createFunds({ version: 2, creditsMicro: 4n * CREDIT }), parts);
    expect((await world.lease({ money: enough })).heldMicro).toBe(4n * CREDIT);
  });

  it('an account pays for its own calls only', async () => {
    const money = createHold(createFunds({ creditsMicro: 10n * CREDIT }));
    await world.lease({ money, accountId: 1 });
    expect((await world.lease({ money, accountId: 2 })).heldMicro).toBe(10n * CREDIT);
  });

  it('a call without a hold is charged nothing', async () => {
    const lease = await world.lease({ money: undefined });
    const charged = { ...NOTHING_DONE, chargeMicro: 1n };
    await expect((async () => world.gate().leave(lease, charged))()).rejects.toThrow('has a hold');
  });
}

export function settlements(world: World): void {
  it('a settlement of unknown calls changes nothing but the funds', async () => {
    const money = createHold(createFunds({ creditsMicro: 15n * CREDIT }), { wantMicro: 99n * CREDIT });
    await world.gate().leave(await world.lease({ money }), NOTHING_DONE);
    const now = createFunds({ version: 2, creditsMicro: 8n * CREDIT });
    const strangers = { accountId: 1, calls: [{ callId: 'req_dead', chargeMicro: 7n * CREDIT }], funds: now };
    await world.gate().settled(strangers);
    await world.gate().settled(strangers);
    const lease = await world.lease({ money });
    expect(lease.heldMicro).toBe(8n * CREDIT);
    await world.gate().leave(lease, { ...NOTHING_DONE, chargeMicro: 3n * CREDIT });
    expect((await world.lease({ money })).heldMicro).toBe(5n * CREDIT);
  });

  it('a settlement of an unknown account changes nothing', async () => {
    const now = createFunds({ version: 2, creditsMicro: 8n * CREDIT });
    const strangers = { accountId: 7, calls: [{ callId: 'req_dead', chargeMicro: 7n * CREDIT }], funds: now };
    await world.gate().settled(strangers);
    await world.gate().settled(strangers);
    const money = createHold(now, { wantMicro: 99n * CREDIT });
    expect((await world.lease({ money, accountId: 7 })).heldMicro).toBe(8n * CREDIT);
  });

  it('many calls are settled together', async () => {
    const money = createHold(createFunds({ creditsMicro: 15n * CREDIT }), { wantMicro: 3n * CREDIT });
    const leases = [await world.lease({ money }), await world.lease({ money }), await world.lease({ money })];
    for (const lease of leases) {
      await world.gate().leave(lease, { ...NOTHING_DONE, chargeMicro: 2n * CREDIT });
    }
    const calls = leases.slice(0, 2).map(({ callId }) => ({ callId, chargeMicro: 2n * CREDIT }));
    await world.gate().settled({
      accountId: 1,
      calls,
      funds: createFunds({ version: 2, creditsMicro: 11n * CREDIT }),
    });
    expect(
      (await world.lease({ money: { ...money, wantMicro: 99n * CREDIT, shareMicro: 99n * CREDIT } }))
        .heldMicro,
    ).toBe(9n * CREDIT);
  });
}

export function caps(world: World): void {
  it('spent, pending and held amounts together never exceed the cap', async () => {
    const money = createHold(rich, { capMicro: 20_000n });
    const first = await world.lease({ money });
    const second = await world.lease({ money });
    expect(second).toMatchObject({ heldMicro: 8n * CREDIT, shortOf: 'cap' });
    expect(await world.enter({ money })).toMatchObject({ reason: 'cap', limit: 20_000n, used: 20_000n });
    expect(await world.gate().extend(first, CREDIT)).toBe(0n);
    expect(first.shortOf).toBe('cap');
    await world.gate().leave(second, { ...NOTHING_DONE, chargeMicro: 3n * CREDIT });
    expect((await world.lease({ money })).heldMicro).toBe(5n * CREDIT);
    const settled = { version: 2, creditsMicro: 997n * CREDIT, monthSpentMicro: 5_000n };
    await world.gate().settled(toSettled(second, 3n, createFunds(settled)));
    expect(toReason(await world.enter({ money }))).toBe('cap');
  });

  it('exactly the minimum under the cap suffices, and the used amount is reported in yuan, rounded up', async () => {
    const parts = { leastMicro: 4n * CREDIT, wantMicro: 4n * CREDIT, capMicro: 6_000n };
    const lease = await world.lease({ money: createHold(rich, parts) });
    expect(lease).toMatchObject({ heldMicro: 4n * CREDIT, shortOf: undefined });
    await world.gate().leave(lease, { ...NOTHING_DONE, chargeMicro: 1n });
    expect(await world.enter({ money: createHold(rich, parts) })).toMatchObject({
      reason: 'cap',
      used: 2_001n,
    });
  });

  it('Credits are named when they and the cap are exhausted together', async () => {
    const even = createFunds({ creditsMicro: 3n * CREDIT });
    expect((await world.lease({ money: createHold(even, { capMicro: 3_000n }) })).shortOf).toBe('credits');
  });

  it('no cap is no limit', async () => {
    const money = createHold(rich, { wantMicro: 900n * CREDIT, capMicro: 0n });
    expect((await world.lease({ money })).heldMicro).toBe(900n * CREDIT);
  });
}

export function grants(world: World): void {
  it('a lease reports that the balance was counted on, as long as the wallet pays', async () => {
    const exchanging = createHold(rich, { autoExchange: true });
    const lease = await world.lease({ money: exchanging });
    expect(lease.mayExchange).toBe(true);
    expect((await world.lease({ money: createHold(rich) })).mayExchange).toBeUndefined();
    await world.gate().rehold(lease, createMoney({ coverage: createCoverage(20n) }));
    expect(lease.mayExchange).toBeUndefined();
    await world.gate().rehold(lease, exchanging);
    expect(lease.mayExchange).toBe(true);
  });
}

export function months(world: World): void {
  it('a new month starts with nothing spent, while pending charges still cannot be spent again', async () => {
    const money = createHold(rich, { capMicro: 12_000n });
    const old = await world.lease({ money });
    await world.gate().leave(old, { ...NOTHING_DONE, chargeMicro: 10n * CREDIT });
    expect(toReason(await world.enter({ money }))).toBe('cap');
    const december = createHold(rich, { capMicro: 12_000n, month: '2026-12', wantMicro: 9_999n * CREDIT });
    const lease = await world.lease({ money: december });
    expect(lease).toMatchObject({ heldMicro: 12n * CREDIT, shortOf: 'cap' });
    // The charge of November is committed and does not make room in December.
    const stands = { version: 2, creditsMicro: 990n * CREDIT, monthSpentMicro: 12_000n };
    await world.gate().settled(toSettled(old, 10n, createFunds(stands)));
    expect(toReason(await world.enter({ money: december }))).toBe('cap');
    await world.gate().leave(lease, NOTHING_DONE);
    expect((await world.lease({ money: december })).heldMicro).toBe(12n * CREDIT);
  });

  it('the hold of a past month is not extended under a cap', async () => {
    const old = await world.lease({ money: createHold(rich, { capMicro: 50_000n }) });
    await world.lease({ money: createHold(rich, { capMicro: 50_000n, month: '2026-12' }) });
    expect(await world.gate().extend(old, CREDIT)).toBe(0n);
    expect(old.shortOf).toBe('cap');
  });

  it('an extension of a hold of a past month never counts into the new month', async () => {
    const old = await world.lease({ money: createHold(rich) });
    const turning = await world.lease({ money: createHold(rich, { month: '2026-12' }) });
    await world.gate().leave(turning, NOTHING_DONE);
    expect(await world.gate().extend(old, 40n * CREDIT)).toBe(40n * CREDIT);
    const capped = createHold(rich, { month: '2026-12', capMicro: 50_000n, wantMicro: 99n * CREDIT });
    const during = await world.lease({ money: capped });
    expect(during.heldMicro).toBe(50n * CREDIT);
    await world.gate().leave(during, NOTHING_DONE);
    await world.gate().leave(old, NOTHING_DONE);
    expect((await world.lease({ money: capped })).heldMicro).toBe(50n * CREDIT);
  });

  it('a lease names the month of its hold, which may be newer than the requested one', async () => {
    const november = createHold(rich);
    const early = await world.lease({ money: november });
    expect(early.month).toBe('2026-11');
    const turning = await world.lease({ money: createHold(rich, { month: '2026-12' }) });
    expect(turning.month).toBe('2026-12');
    const late = await world.lease({ money: november });
    expect(late.month).toBe('2026-12');
    await world.gate().extend(early, CREDIT);
    expect(early.month).toBe('2026-11');
    await world.gate().rehold(early, november);
    expect(early.month).toBe('2026-12');
    await world.gate().rehold(early, createMoney({ coverage: createCoverage(20n) }));
    expect(early.month).toBeUndefined();
    expect((await world.lease({ money: undefined })).month).toBeUndefined();
  });
}

export function monthsAhead(world: World): void {
  it('funds of a future month limit the calls of this month, and they count there', async () => {
    // The books count nothing into an older month than the one they have reached, by a clock that ran ahead.
    const ahead = createFunds({ creditsMicro: 99n * CREDIT, monthSpentMicro: 4_000n, month: '2026-12' });
    const lease = await world.lease({ money: createHold(ahead, { capMicro: 5_000n }) });
    expect([lease.month, lease.heldMicro, lease.shortOf]).toEqual(['2026-12', CREDIT, 'cap']);
    expect(toReason(await world.enter({ money: createHold(ahead, { capMicro: 5_000n }) }))).toBe('cap');
  });

  it('settled funds may be the first of the next month', async () => {
    const old = await world.lease({ money: createHold(rich) });
    const next = createFunds({
      version: 2,
      creditsMicro: 99n * CREDIT,
      monthSpentMicro: 4_000n,
      month: '2026-12',
    });
    await world.gate().settled({ accountId: 1, calls: [], funds: next });
    const lease = await world.lease({ accountVersion: 2, money: createHold(next, { capMicro: 5_000n }) });
    expect([old.month, lease.month, lease.heldMicro]).toEqual(['2026-11', '2026-12', CREDIT]);
    await world.gate().leave(old, { ...NOTHING_DONE, amountMicro: 9_000n, chargeMicro: 9n * CREDIT });
    expect(await world.gate().extend(lease, CREDIT)).toBe(0n);
  });
}
