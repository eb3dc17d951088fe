import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { freeNow, hold, isIdle, openPurse, release, settlePending, turnMonth } from './funds.ts';
import { fundsOf } from './suite/world.ts';

const TERMS = { autoExchange: false, capMicro: 0n };

describe('a purse', () => {
  it('is idle again when everything held was released and everything charged was settled', () => {
    const charges = fc.array(fc.tuple(fc.bigInt(0n, 1_000n), fc.bigInt(0n, 1_000n), fc.nat(3)));
    fc.assert(
      fc.property(charges, (calls) => {
        const purse = openPurse(fundsOf({ creditsMicro: 10n ** 9n }), '2026-01');
        let month = 1;
        const running = calls.map(([heldMicro, chargeMicro, later]) => {
          month += later === 3 ? 1 : 0;
          turnMonth(purse, `2026-${String(month).padStart(2, '0')}`);
          hold(purse, heldMicro, purse.month);
          return { heldMicro, chargeMicro, month: purse.month };
        });
        for (const call of running) release(purse, call.heldMicro, call.chargeMicro, call.month);
        for (const call of running) settlePending(purse, call.chargeMicro);
        expect(isIdle(purse)).toBe(true);
        expect([purse.monthHeldMicro, purse.monthPendingMicro]).toEqual([0n, 0n]);
        expect(freeNow(purse, TERMS, 1000)).toEqual({ amountMicro: 10n ** 9n, bound: 'credits' });
      }),
    );
  });

  it('the month never goes back', () => {
    const purse = openPurse(fundsOf(), '2026-12');
    hold(purse, 5n, purse.month);
    turnMonth(purse, '2026-11');
    expect(purse).toMatchObject({ month: '2026-12', monthHeldMicro: 5n });
    turnMonth(purse, '2027-01');
    expect(purse).toMatchObject({ month: '2027-01', monthHeldMicro: 0n, heldMicro: 5n });
  });

  it('releasing what was not held is a broken promise', () => {
    expect(() => release(openPurse(fundsOf(), '2026-01'), 1n, 0n, '2026-01')).toThrow('was held');
    expect(() => hold(openPurse(fundsOf(), '2026-01'), -1n, '2026-01')).toThrow('never negative');
  });
});
