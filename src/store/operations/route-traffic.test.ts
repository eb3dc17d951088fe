import { expect, test } from 'vitest';
import { accountWith, CREDITS_PER_YUAN, callOf } from '../../../test/support/calls.ts';
import { freshDatabase } from '../../../test/support/postgres.ts';
import { createCalendar } from '../../kernel/time/calendar.ts';
import { createLedgerStore } from '../ledger/ledger.ts';
import { findRouteTraffic } from './route-traffic.ts';

test('a route has the calls that it served last, and each attempt that failed on it', async () => {
  const fresh = await freshDatabase();
  try {
    const { database } = fresh;
    const accountId = await accountWith(database, { creditsMicro: 1_000_000_000n });
    const now = Date.now();
    const attempt = (routeId: number, outcome: string) => ({
      ...{ routeId, vendor: 'openai', credential: 'main', outcome, durationMs: 5 },
    });
    const made = (createdAtMs: number, parts: object) => ({
      ...callOf({ accountId, createdAtMs, heldMicro: 100_000_000n }),
      ...parts,
    });
    const calls = [
      made(now, { routeId: 2, attempts: [attempt(1, '529'), attempt(2, 'ok')], stream: true, ttfbMs: 300 }),
      made(now, { routeId: 2, attempts: [attempt(2, 'ok')], stream: true, ttfbMs: 100 }),
      // Before the hour.
      made(now - 7_200_000, { routeId: 2, attempts: [attempt(2, 'ok')] }),
    ];
    const calendar = createCalendar('UTC');
    await createLedgerStore({ database, creditsPerYuan: CREDITS_PER_YUAN, calendar }).settle(calls);
    const traffic = await findRouteTraffic(database, now - 3_600_000);
    expect(traffic.get(2)).toMatchObject({
      ...{ calls: 2, attempts: 2, failedAttempts: 0, ttftCalls: 2, ttftMs: 400 },
      firstToken: { p50Ms: 100, p95Ms: 300 },
    });
    expect(traffic.get(1)).toMatchObject({ calls: 0, attempts: 1, failedAttempts: 1 });
  } finally {
    await fresh.drop();
  }
});
