import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { freeNow, hold, isIdle, openWallet, release, settlePending, turnMonth } from './funds.ts';
import { createFunds } from './suite/world.ts';

const TERMS = { autoExchange: false, capMicro: 0n };

describe('a wallet', () => {
  it('is idle again when everything held was released and everything charged was settled', () => {
    const charges = fc.array(fc.tuple(fc.bigInt(0n, 1_000n), fc.bigInt(0n, 1_000n), fc.nat(3)));
    fc.assert(
      fc.property(charges, (calls) => {
        const wallet = openWallet(createFunds({ creditsMicro: 10n ** 9n }), '2026-01');
        let month = 1;
        const running = calls.map(([heldMicro, chargeMicro, later]) => {
          month += later === 3 ? 1 : 0;
          turnMonth(wallet, `2026-${String(month).padStart(2, '0')}`);
          hold(wallet, heldMicro, wallet.month);
          return { heldMicro, chargeMicro, month: wallet.month };
        });
        for (const call of running) release(wallet, call.heldMicro, call.chargeMicro, call.month);
        for (const call of running) settlePending(wallet, call.chargeMicro, call.month);
        expect(isIdle(wallet)).toBe(true);
        expect([wallet.monthHeldMicro, wallet.monthPendingMicro]).toEqual([0n, 0n]);
        expect(freeNow(wallet, TERMS, 1000)).toEqual({ amountMicro: 10n ** 9n, bound: 'credits' });
      }),
    );
  });

  it('never goes back to an earlier month', () => {
    const wallet = openWallet(createFunds(), '2026-12');
    hold(wallet, 5n, wallet.month);
    turnMonth(wallet, '2026-11');
    expect(wallet).toMatchObject({ month: '2026-12', monthHeldMicro: 5n });
    turnMonth(wallet, '2027-01');
    expect(wallet).toMatchObject({ month: '2027-01', monthHeldMicro: 0n, heldMicro: 5n });
  });

  it('throws when more is released than was held', () => {
    expect(() => release(openWallet(createFunds(), '2026-01'), 1n, 0n, '2026-01')).toThrow('was held');
    expect(() => hold(openWallet(createFunds(), '2026-01'), -1n, '2026-01')).toThrow('never negative');
  });
});
