import fc from 'fast-check';
import { expect, test } from 'vitest';
import { callOf } from '../../../test/support/calls.ts';
import { runs } from '../../../test/support/property-runs.ts';
import type { CallRecord } from '../../ledger/contract.ts';
import { returnHold, takeCharge, takeHold, type Wallet } from './charge.ts';

const findWallet = (figures: Partial<Wallet>): Wallet => ({
  accountId: 1,
  autoExchange: true,
  autoExchangeOffAtMs: undefined,
  creditsMicro: 0n,
  balanceMicro: 0n,
  capMicro: 0n,
  month: '',
  monthSpentMicro: 0n,
  monthCapMicro: 0n,
  lastSeq: 0n,
  entries: [],
  ...figures,
});

const amount = fc.bigInt({ min: 0n, max: 10n ** 13n });

const history = fc.record({
  credits: amount,
  balance: amount,
  autoExchange: fc.boolean(),
  amounts: fc.array(fc.bigInt({ min: 1n, max: 10n ** 10n }), { minLength: 1, maxLength: 20 }),
  creditsPerYuan: fc.constantFrom(1, 3, 1000, 999_983),
});

test('nothing is created, lost or overdrawn for any account and any cost of a call', () => {
  const property = fc.property(history, ({ credits, balance, autoExchange, amounts, creditsPerYuan }) => {
    const factor = BigInt(creditsPerYuan);
    const wallet = findWallet({ creditsMicro: credits, balanceMicro: balance, autoExchange });
    let paid = 0n;
    let moved = 0n;
    for (const amountMicro of amounts) {
      const chargeMicro = amountMicro * factor;
      const call = callOf({ accountId: 1, amountMicro, chargeMicro });
      const consumption = takeCharge(wallet, call, { creditsPerYuan, month: '2026-11' });
      expect(consumption.creditsMicro + consumption.shortfallMicro).toBe(chargeMicro);
      expect(consumption.spentMicro).toBeLessThanOrEqual(amountMicro);
      // A shortfall means that there was nothing left to take.
      if (consumption.shortfallMicro > 0n) expect(wallet.creditsMicro).toBe(0n);
      if (consumption.shortfallMicro > 0n && autoExchange) expect(wallet.balanceMicro).toBe(0n);
      // No more is exchanged than is missing, but for the part of the last micro-yuan.
      if (consumption.exchangedMicro > 0n) expect(wallet.creditsMicro).toBeLessThan(factor);
      paid += consumption.creditsMicro;
      moved += consumption.exchangedMicro;
    }
    expect(wallet.creditsMicro).toBe(credits + moved * factor - paid);
    expect(wallet.balanceMicro).toBe(balance - moved);
    if (!autoExchange) expect(moved).toBe(0n);
    expect(sumChanges(wallet, 'credits')).toBe(wallet.creditsMicro - credits);
    expect(sumChanges(wallet, 'balance')).toBe(wallet.balanceMicro - balance);
    expect(wallet.entries.map((entry) => entry.seq)).toEqual(
      wallet.entries.map((_, index) => BigInt(index + 1)),
    );
  });
  fc.assert(property, { numRuns: runs(500) });
});

function sumChanges(wallet: Wallet, pool: string): bigint {
  const entries = wallet.entries.filter((entry) => entry.pool === pool);
  return entries.reduce((total, entry) => total + entry.changeMicro, 0n);
}

test('held balance is taken, although auto-exchange was switched off since', () => {
  const wallet = findWallet({ balanceMicro: 10_000_000n, autoExchange: false });
  const terms = { creditsPerYuan: 1000, month: '2026-11' };
  const cost = { accountId: 1, amountMicro: 5_000n, chargeMicro: 5_000_000n };
  const taken = { creditsMicro: 5_000_000n, exchangedMicro: 5_000n, shortfallMicro: 0n };
  expect(takeCharge(wallet, callOf({ ...cost, mayExchange: true }), terms)).toMatchObject(taken);
  expect(wallet.balanceMicro).toBe(9_995_000n);
  expect(takeCharge(wallet, callOf(cost), terms)).toMatchObject({ creditsMicro: 0n, exchangedMicro: 0n });
  expect(wallet.balanceMicro).toBe(9_995_000n);
});

test('a call that ran while auto-exchange was on is paid from the balance, a later one is not', () => {
  const wallet = findWallet({ balanceMicro: 10_000n, autoExchange: false, autoExchangeOffAtMs: 1_000 });
  const terms = { creditsPerYuan: 1000, month: '2026-11' };
  const cost = { accountId: 1, amountMicro: 5_000n, chargeMicro: 5_000_000n };
  expect(takeCharge(wallet, callOf({ ...cost, createdAtMs: 1_001 }), terms).exchangedMicro).toBe(0n);
  expect(takeCharge(wallet, callOf({ ...cost, createdAtMs: 999 }), terms).shortfallMicro).toBe(0n);
});

test('a call without a Credits payer cannot be charged', () => {
  const wallet = findWallet({ creditsMicro: 10n ** 12n });
  const terms = { creditsPerYuan: 1000, month: '2026-11' };
  expect(() => takeCharge(wallet, callOf({ accountId: 1, payer: 'byok' }), terms)).toThrow(
    'only calls paid with Credits',
  );
  expect(() => takeCharge(wallet, callOf({ accountId: 1, chargeMicro: 0n }), terms)).toThrow(
    'only a charge is taken',
  );
  expect(wallet.entries).toEqual([]);
});

const TERMS = { creditsPerYuan: 1000, month: '2026-11' };
const costing = (yuanMicro: bigint, heldYuanMicro = yuanMicro, more: Partial<CallRecord> = {}) =>
  callOf({
    accountId: 1,
    amountMicro: yuanMicro,
    chargeMicro: yuanMicro * 1000n,
    heldMicro: heldYuanMicro * 1000n,
    ...more,
  });

test('an overrun of the hold is taken too: from Credits, then from the balance; the rest is shortfall', () => {
  const wallet = findWallet({ creditsMicro: 4_000_000n, balanceMicro: 10_000n });
  const paid = takeCharge(wallet, costing(6_000n, 5_000n), TERMS);
  expect(paid).toMatchObject({ creditsMicro: 6_000_000n, shortfallMicro: 0n, exchangedMicro: 2_000n });
  expect(paid.short).toBeUndefined();
  expect(takeCharge(wallet, costing(20_000n, 5_000n), TERMS)).toMatchObject({
    creditsMicro: 8_000_000n,
    shortfallMicro: 12_000_000n,
    spentMicro: 8_000n,
    exchangedMicro: 8_000n,
    short: { of: 'credits', capMicro: undefined, mayExchange: true, seq: 6n },
  });
  expect(wallet).toMatchObject({ creditsMicro: 0n, balanceMicro: 0n, monthSpentMicro: 14_000n });
});

test('the cap is never exceeded, whatever a call costs beyond its hold', () => {
  const wallet = findWallet({ creditsMicro: 10n ** 12n, capMicro: 10_000n });
  const capMicro = 10_000n;
  expect(takeCharge(wallet, costing(8_000n, 5_000n, { capMicro }), TERMS).shortfallMicro).toBe(0n);
  expect(takeCharge(wallet, costing(5_000n, 5_000n, { capMicro }), TERMS)).toMatchObject({
    creditsMicro: 2_000_000n,
    shortfallMicro: 3_000_000n,
    spentMicro: 2_000n,
    short: { of: 'cap', capMicro, seq: 2n },
  });
  expect(wallet.monthSpentMicro).toBe(10_000n);
  expect(
    takeCharge(wallet, costing(1_000n, 1_000n, { capMicro }), { ...TERMS, month: '2026-12' }),
  ).toMatchObject({
    shortfallMicro: 0n,
  });
  expect(wallet).toMatchObject({ month: '2026-12', monthSpentMicro: 1_000n, monthCapMicro: 10_000n });
});

test.each([
  ['lowered it since', 50_000n, 10_000n],
  ['had none when the call began', 0n, 10_000n],
  ['took it away since', 10_000n, 0n],
])('an account that %s still pays for the call', (_, granted, now) => {
  const wallet = findWallet({ creditsMicro: 10n ** 12n, capMicro: now });
  expect(takeCharge(wallet, costing(40_000n, 40_000n, { capMicro: granted }), TERMS).shortfallMicro).toBe(0n);
});

test('an account that raises the cap for some calls and lowers it again pays for those that were held before', () => {
  const wallet = findWallet({ creditsMicro: 10n ** 12n, capMicro: 10_000n });
  takeCharge(wallet, costing(500_000n, 500_000n, { capMicro: 1_000_000n }), TERMS);
  const held = takeCharge(wallet, costing(9_000n, 9_000n, { capMicro: 10_000n }), TERMS);
  expect(held.shortfallMicro).toBe(0n);
});

test('a call of a past month pays no more than its hold under a cap, and everything without one', () => {
  const wallet = findWallet({
    creditsMicro: 10n ** 12n,
    capMicro: 10_000n,
    month: '2026-12',
    monthSpentMicro: 5n,
  });
  const late = takeCharge(wallet, costing(6_000n, 4_000n, { capMicro: 10_000n }), TERMS);
  expect(late).toMatchObject({ creditsMicro: 4_000_000n, short: { of: 'month-over' } });
  expect(takeCharge(wallet, costing(6_000n, 4_000n, { capMicro: 0n }), TERMS).shortfallMicro).toBe(0n);
  expect(wallet).toMatchObject({ month: '2026-12', monthSpentMicro: 5n });
});

test('a hold takes what a charge would take, and returns all of it; what was exchanged stays in Credits', () => {
  const property = fc.property(history, ({ credits, balance, autoExchange, amounts, creditsPerYuan }) => {
    const factor = BigInt(creditsPerYuan);
    const terms = { creditsPerYuan, month: '2026-11' };
    const figures = { creditsMicro: credits, balanceMicro: balance, autoExchange, month: '2026-11' };
    const [wallet, twin] = [findWallet(figures), findWallet(figures)];
    const held = amounts.map((amountMicro) => {
      const call = callOf({ accountId: 1, amountMicro, chargeMicro: amountMicro * factor });
      const hold = takeHold(wallet, call, terms);
      expect(hold).toEqual(takeCharge(twin, call, terms));
      return hold;
    });
    expect({ ...wallet, entries: [] }).toEqual({ ...twin, entries: [] });
    const kinds = new Set(wallet.entries.map(({ kind }) => kind));
    expect(kinds.has('consumption')).toBe(false);
    for (const hold of held) returnHold(wallet, hold);
    const moved = held.reduce((sum, { exchangedMicro }) => sum + exchangedMicro, 0n);
    expect(wallet.creditsMicro).toBe(credits + moved * factor);
    expect(wallet.balanceMicro).toBe(balance - moved);
    expect(wallet.monthSpentMicro).toBe(0n);
    expect(sumChanges(wallet, 'credits')).toBe(wallet.creditsMicro - credits);
  });
  fc.assert(property);
});

test('a hold of a month that is over is returned, and the new month stays as it is', () => {
  const wallet = findWallet({ creditsMicro: 10n ** 9n, month: '2026-10' });
  const call = callOf({ accountId: 1 });
  const hold = takeHold(wallet, call, { creditsPerYuan: 1000, month: '2026-10' });
  takeCharge(wallet, call, { creditsPerYuan: 1000, month: '2026-11' });
  returnHold(wallet, hold);
  expect(wallet).toMatchObject({ month: '2026-11', monthSpentMicro: call.amountMicro });
  expect(wallet.creditsMicro).toBe(10n ** 9n - call.chargeMicro);
});
