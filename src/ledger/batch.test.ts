import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StoreUnavailable } from '../accounts/contract.ts';
import { settleBatch } from './batch.ts';
import { MemoryLedger, sampleEnd } from './suite/sample.ts';

function sampleEnds(count: number) {
  return Array.from({ length: count }, (_, index) => sampleEnd(`req_${index}`));
}

describe('a batch', () => {
  it('is one transaction when nothing is wrong, and none when it is empty', async () => {
    const ledger = new MemoryLedger();
    await settleBatch(ledger, sampleEnds(100));
    await settleBatch(ledger, []);
    expect(ledger.tries).toBe(1);
  });

  it('finds exactly the calls that the store refuses, and settles all others in order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 60 }), fc.array(fc.nat(59)), async (count, bad) => {
        const ledger = new MemoryLedger();
        for (const index of bad) ledger.refused.add(`req_${index}`);
        const calls = sampleEnds(count);
        const { settled, poison } = await settleBatch(ledger, calls);
        expect(poison).toEqual(calls.filter((call) => ledger.refused.has(call.callId)));
        expect(settled).toEqual(calls.filter((call) => !ledger.refused.has(call.callId)));
      }),
    );
  });

  it('with one bad call among a thousand takes about twenty tries', async () => {
    const ledger = new MemoryLedger();
    ledger.refused.add('req_700');
    expect((await settleBatch(ledger, sampleEnds(1_000))).poison).toHaveLength(1);
    expect(ledger.tries).toBeLessThanOrEqual(21);
  });

  it('does not blame calls when the store is away', async () => {
    const ledger = new MemoryLedger();
    ledger.away = true;
    await expect(settleBatch(ledger, sampleEnds(3))).rejects.toThrow(StoreUnavailable);
    expect(ledger.tries).toBe(1);
  });

  it('returns the newest funds of every account', async () => {
    const ledger = new MemoryLedger();
    ledger.refused.add('req_1');
    const { funds } = await settleBatch(ledger, sampleEnds(4));
    expect(funds.get(1)).toEqual(ledger.funds());
  });
});
