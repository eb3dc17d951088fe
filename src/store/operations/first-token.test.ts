import { expect, test } from 'vitest';
import { accountWith, CREDITS_PER_YUAN, callOf, NOVEMBER } from '../../../test/support/calls.ts';
import { freshDatabase } from '../../../test/support/postgres.ts';
import { createCalendar } from '../../kernel/time/calendar.ts';
import { TTFT_SAMPLE_CALLS } from '../../operations/bounds.ts';
import { createLedgerStore } from '../ledger/ledger.ts';
import { findFirstTokens } from './first-token.ts';

const HOUR_MS = 3_600_000;

test('percentiles are of the streams of each point, each vendor and the whole period, read in bounded parts', async () => {
  const fresh = await freshDatabase();
  try {
    const { database } = fresh;
    const accountId = await accountWith(database, { creditsMicro: 10n ** 12n });
    const made = (createdAtMs: number, ttfbMs: number, parts: object = {}) => ({
      ...callOf({ accountId, createdAtMs, heldMicro: 100_000_000n }),
      ...{ stream: true, vendor: 'openai', ttfbMs },
      ...parts,
    });
    const hundred = Array.from({ length: 100 }, (_, i) => made(NOVEMBER + i * 36_000, i + 1));
    const second = [
      made(NOVEMBER + HOUR_MS, 5_000, { vendor: 'anthropic' }),
      made(NOVEMBER + HOUR_MS, 9_000, { stream: false }),
      made(NOVEMBER + HOUR_MS, 9_000, { ttfbMs: null }),
      // After the period.
      made(NOVEMBER + 2 * HOUR_MS, 9_000),
    ];
    const calendar = createCalendar('UTC');
    const ledger = createLedgerStore({ database, creditsPerYuan: CREDITS_PER_YUAN, calendar });
    await ledger.settle([...hundred, ...second]);
    const period = { edges: [NOVEMBER, NOVEMBER + HOUR_MS], toMs: NOVEMBER + 2 * HOUR_MS };
    const found = await findFirstTokens(database, period);
    expect(found.find({ point: 0 })).toEqual({ p50Ms: 50, p95Ms: 95 });
    expect(found.find({ point: 0, vendor: 'openai' })).toEqual({ p50Ms: 50, p95Ms: 95 });
    expect(found.find({ point: 1 })).toEqual({ p50Ms: 5_000, p95Ms: 5_000 });
    expect(found.find({ vendor: 'anthropic' })).toEqual({ p50Ms: 5_000, p95Ms: 5_000 });
    expect(found.find({})).toEqual({ p50Ms: 51, p95Ms: 96 });
    expect(found.find({ point: 1, vendor: 'openai' })).toBeUndefined();

    // Of a busy moment only the newest calls count.
    const at = NOVEMBER + 4 * HOUR_MS;
    const old = Array.from({ length: TTFT_SAMPLE_CALLS }, () => made(at, 90_000));
    const fast = Array.from({ length: TTFT_SAMPLE_CALLS }, () => made(at + 1, 10));
    await ledger.settle([...old, ...fast]);
    const busy = await findFirstTokens(database, { edges: [at], toMs: at + HOUR_MS });
    expect(busy.find({})).toEqual({ p50Ms: 10, p95Ms: 10 });
  } finally {
    await fresh.drop();
  }
});
