import { expect, it } from 'vitest';
import type { Lease, Overrun } from '../contract.ts';
import {
  CREDIT,
  CREDIT_YUAN,
  CREDITS_PER_YUAN,
  charged,
  createFunds,
  createHold,
  MONTH,
  NOTHING_DONE,
  toReason,
  toSettled,
  type World,
} from './world.ts';

/** A call that left with such a charge, and is not settled. */
function createOverrun(lease: Lease, credits: bigint, parts: Partial<Overrun> = {}): Overrun {
  return {
    accountId: lease.accountId,
    calls: [{ callId: lease.callId, chargeMicro: credits * CREDIT, month: lease.month }],
    creditsPerYuan: CREDITS_PER_YUAN,
    autoExchange: false,
    capMicro: 0n,
    month: MONTH,
    ...parts,
  };
}

export function overruns(world: World): void {
  it('an overrun of a hold is covered by what no other call holds', async () => {
    const money = createHold(createFunds({ creditsMicro: 30n * CREDIT }));
    const [one, other] = [await world.lease({ money }), await world.lease({ money })];
    await world.gate().leave(one, charged(20n));
    expect(await world.gate().covers(createOverrun(one, 20n))).toBe(true);
    expect(other.heldMicro).toBe(10n * CREDIT);
  });

  it('an overrun does not take what another call holds, which is available when that call has ended', async () => {
    const money = createHold(createFunds({ creditsMicro: 20n * CREDIT }));
    const [one, other] = [await world.lease({ money }), await world.lease({ money })];
    await world.gate().leave(one, charged(14n));
    expect(await world.gate().covers(createOverrun(one, 14n))).toBe(false);
    // Nobody enters on money that is owed.
    expect(toReason(await world.enter({ money }))).toBe('credits');
    await world.gate().leave(other, charged(6n));
    expect(await world.gate().covers(createOverrun(one, 14n))).toBe(true);
  });

  it('an overrun does not take what another call owes, until it is settled', async () => {
    const money = createHold(createFunds({ creditsMicro: 20n * CREDIT }));
    const [one, other] = [await world.lease({ money }), await world.lease({ money })];
    await world.gate().leave(one, charged(14n));
    await world.gate().leave(other, charged(9n));
    expect(await world.gate().covers(createOverrun(one, 14n))).toBe(false);
    await world.gate().settled(toSettled(other, 9n, createFunds({ version: 2, creditsMicro: 11n * CREDIT })));
    // Nobody else is left: the books pay what they can.
    expect(await world.gate().covers(createOverrun(one, 14n))).toBe(true);
  });

  it('several overruns of one account are decided together, and do not wait for each other', async () => {
    const money = createHold(createFunds({ creditsMicro: 20n * CREDIT }));
    const [one, other] = [await world.lease({ money }), await world.lease({ money })];
    await world.gate().leave(one, charged(14n));
    await world.gate().leave(other, charged(15n));
    expect(await world.gate().covers(createOverrun(one, 14n))).toBe(false);
    const both = [one, other].map(({ callId, month }) => ({ callId, month, chargeMicro: 15n * CREDIT }));
    expect(await world.gate().covers(createOverrun(one, 14n, { calls: both }))).toBe(true);
  });

  wallets(world);
  pastMonths(world);
}

function wallets(world: World): void {
  it('an overrun takes the balance where the hold counted it', async () => {
    const funds = createFunds({ creditsMicro: 10n * CREDIT, balanceMicro: 20n * CREDIT_YUAN });
    const money = createHold(funds, { autoExchange: true });
    const [one] = [await world.lease({ money }), await world.lease({ money })];
    await world.gate().leave(one, charged(18n));
    expect(await world.gate().covers(createOverrun(one, 18n))).toBe(false);
    expect(await world.gate().covers(createOverrun(one, 18n, { autoExchange: true }))).toBe(true);
  });

  it('an overrun does not take what others hold under the cap', async () => {
    const capMicro = 22n * CREDIT_YUAN;
    const money = createHold(createFunds({ creditsMicro: 1_000n * CREDIT, monthSpentMicro: 2_000n }), {
      capMicro,
    });
    const [one, other] = [await world.lease({ money }), await world.lease({ money })];
    await world.gate().leave(one, charged(14n));
    expect(await world.gate().covers(createOverrun(one, 14n, { capMicro }))).toBe(false);
    expect(
      await world.gate().covers(createOverrun(one, 14n, { capMicro: capMicro + 4n * CREDIT_YUAN })),
    ).toBe(true);
    expect(await world.gate().covers(createOverrun(one, 14n))).toBe(true);
    await world.gate().leave(other, NOTHING_DONE);
    expect(await world.gate().covers(createOverrun(one, 14n, { capMicro }))).toBe(true);
  });

  it('an overrun of an unknown account does not wait', async () => {
    const lease = await world.lease({ money: createHold(createFunds({ creditsMicro: 20n * CREDIT })) });
    expect(await world.gate().covers({ ...createOverrun(lease, 99n), accountId: 404 })).toBe(true);
  });

  it('a hold reports the cap it was granted under', async () => {
    const funds = createFunds({ creditsMicro: 20n * CREDIT });
    expect((await world.lease({ money: createHold(funds, { capMicro: 5_000_000n }) })).capMicro).toBe(
      5_000_000n,
    );
    expect((await world.lease({ money: createHold(funds) })).capMicro).toBe(0n);
    expect((await world.lease()).capMicro).toBeUndefined();
  });
}

function pastMonths(world: World): void {
  it('an overrun of a past month waits for the other calls of past months, and not for those of this one', async () => {
    const capMicro = 22n * CREDIT_YUAN;
    const funds = createFunds({ creditsMicro: 1_000n * CREDIT });
    const old = createHold(funds, { capMicro });
    const [one, other] = [await world.lease({ money: old }), await world.lease({ money: old })];
    await world.gate().leave(one, charged(14n));
    const december = await world.lease({ money: createHold(funds, { capMicro, month: '2026-12' }) });
    const overrun = createOverrun(one, 14n, { capMicro });
    expect(await world.gate().covers(overrun)).toBe(false);
    expect(await world.gate().covers({ ...overrun, capMicro: 0n })).toBe(true);
    // A charge of the current month makes no room in the past one.
    await world.gate().leave(december, charged(7n));
    const spent = {
      version: 2,
      creditsMicro: 993n * CREDIT,
      monthSpentMicro: 7n * CREDIT_YUAN,
      month: '2026-12',
    };
    await world.gate().settled(toSettled(december, 7n, createFunds(spent)));
    expect(await world.gate().covers(overrun)).toBe(false);
    await world.gate().leave(other, NOTHING_DONE);
    await world.lease({ money: createHold(createFunds(spent), { capMicro, month: '2026-12' }) });
    expect(await world.gate().covers(overrun)).toBe(true);
  });
}
