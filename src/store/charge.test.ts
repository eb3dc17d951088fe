import fc from 'fast-check';
import { expect, test } from 'vitest';
import { callOf } from '../../test/support/calls.ts';
import { type Purse, takeCharge } from './charge.ts';

const purseOf = (figures: Partial<Purse>): Purse => ({
  accountId: 1,
  autoExchange: true,
  creditsMicro: 0n,
  balanceMicro: 0n,
  month: '',
  monthSpentMicro: 0n,
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

test('whatever an account has and a call costs: nothing is made, lost or overdrawn', () => {
  const property = fc.property(history, ({ credits, balance, autoExchange, amounts, creditsPerYuan }) => {
    const factor = BigInt(creditsPerYuan);
    const purse = purseOf({ creditsMicro: credits, balanceMicro: balance, autoExchange });
    let paid = 0n;
    let moved = 0n;
    for (const amountMicro of amounts) {
      const chargeMicro = amountMicro * factor;
      const call = callOf({ accountId: 1, amountMicro, chargeMicro });
      const consumption = takeCharge(purse, call, { creditsPerYuan, month: '2026-11' });
      expect(consumption.creditsMicro + consumption.shortfallMicro).toBe(chargeMicro);
      expect(consumption.spentMicro).toBeLessThanOrEqual(amountMicro);
      // A shortfall means that there was nothing left to take.
      if (consumption.shortfallMicro > 0n) expect(purse.creditsMicro).toBe(0n);
      if (consumption.shortfallMicro > 0n && autoExchange) expect(purse.balanceMicro).toBe(0n);
      // No more is exchanged than is missing, but for the part of the last micro-yuan.
      if (consumption.exchangedMicro > 0n) expect(purse.creditsMicro).toBeLessThan(factor);
      paid += consumption.creditsMicro;
      moved += consumption.exchangedMicro;
    }
    expect(purse.creditsMicro).toBe(credits + moved * factor - paid);
    expect(purse.balanceMicro).toBe(balance - moved);
    if (!autoExchange) expect(moved).toBe(0n);
    expect(sumOf(purse, 'credits')).toBe(purse.creditsMicro - credits);
    expect(sumOf(purse, 'balance')).toBe(purse.balanceMicro - balance);
    expect(purse.entries.map((entry) => entry.seq)).toEqual(
      purse.entries.map((_, index) => BigInt(index + 1)),
    );
  });
  fc.assert(property, { numRuns: 500 });
});

function sumOf(purse: Purse, pool: string): bigint {
  const entries = purse.entries.filter((entry) => entry.pool === pool);
  return entries.reduce((total, entry) => total + entry.changeMicro, 0n);
}

test('balance that was held is taken, although auto-exchange was switched off since', () => {
  const purse = purseOf({ balanceMicro: 10_000_000n, autoExchange: false });
  const terms = { creditsPerYuan: 1000, month: '2026-11' };
  const cost = { accountId: 1, amountMicro: 5_000n, chargeMicro: 5_000_000n };
  const taken = { creditsMicro: 5_000_000n, exchangedMicro: 5_000n, shortfallMicro: 0n };
  expect(takeCharge(purse, callOf({ ...cost, mayExchange: true }), terms)).toMatchObject(taken);
  expect(purse.balanceMicro).toBe(9_995_000n);
  expect(takeCharge(purse, callOf(cost), terms)).toMatchObject({ creditsMicro: 0n, exchangedMicro: 0n });
  expect(purse.balanceMicro).toBe(9_995_000n);
});

test('a call that nobody pays with Credits cannot be charged', () => {
  const purse = purseOf({ creditsMicro: 10n ** 12n });
  const terms = { creditsPerYuan: 1000, month: '2026-11' };
  expect(() => takeCharge(purse, callOf({ accountId: 1, payer: 'byok' }), terms)).toThrow(
    'only calls paid with Credits',
  );
  expect(() => takeCharge(purse, callOf({ accountId: 1, chargeMicro: 0n }), terms)).toThrow(
    'only a charge is taken',
  );
  expect(purse.entries).toEqual([]);
});

test('no more is taken than the gate granted, not even from the balance; the rest is shortfall', () => {
  const purse = purseOf({ creditsMicro: 4_000_000n, balanceMicro: 1_000_000n });
  const call = callOf({
    accountId: 1,
    amountMicro: 20_000n,
    chargeMicro: 20_000_000n,
    heldMicro: 5_000_000n,
  });
  const consumption = takeCharge(purse, call, { creditsPerYuan: 1000, month: '2026-11' });
  expect(consumption).toMatchObject({
    creditsMicro: 5_000_000n,
    shortfallMicro: 15_000_000n,
    spentMicro: 5_000n,
    exchangedMicro: 1_000n,
  });
  expect(purse).toMatchObject({ creditsMicro: 0n, balanceMicro: 999_000n, monthSpentMicro: 5_000n });
});
