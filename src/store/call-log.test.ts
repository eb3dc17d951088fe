import { afterAll, beforeAll, expect, test } from 'vitest';
import { accountWith, CREDITS_PER_YUAN, callOf, NOVEMBER } from '../../test/support/calls.ts';
import { type FreshDatabase, freshDatabase } from '../../test/support/postgres.ts';
import { createCalendar } from '../kernel/calendar.ts';
import { NO_USAGE } from '../kernel/usage.ts';
import { listCalls } from './call-log.ts';
import { createLedgerStore } from './ledger.ts';

let fresh: FreshDatabase;
beforeAll(async () => {
  fresh = await freshDatabase();
});
afterAll(() => fresh.drop());

test('the call log lists an account’s newest calls first, each with its usage and what was taken for it', async () => {
  const { database } = fresh;
  const accountId = await accountWith(database, { creditsMicro: 100_000_000n });
  const stranger = await accountWith(database, { creditsMicro: 100_000_000n });
  const calendar = createCalendar('UTC');
  const store = createLedgerStore({ database, creditsPerYuan: CREDITS_PER_YUAN, calendar });
  const paid = callOf({ accountId });
  const free = callOf({
    accountId,
    createdAtMs: NOVEMBER + 1,
    usage: NO_USAGE,
    verdict: 'failed',
    status: 502,
  });
  const older = callOf({ accountId, createdAtMs: NOVEMBER - 1 });
  await store.settle([free, older, callOf({ accountId: stranger }), paid]);

  const calls = await listCalls(database, accountId, 2);
  expect(calls).toEqual([
    {
      callId: free.callId,
      modelUsed: 'gpt-5',
      status: 502,
      verdict: 'failed',
      usage: NO_USAGE,
      amountMicro: 0n,
      creditsMicro: 0n,
    },
    {
      callId: paid.callId,
      modelUsed: 'gpt-5',
      status: 200,
      verdict: 'complete',
      usage: { ...NO_USAGE, inputFresh: 1000, outputText: 500 },
      // 1000 × 10 yuan and 500 × 30 yuan per million; a yuan is 1000 Credits.
      amountMicro: 25_000n,
      creditsMicro: 25_000_000n,
    },
  ]);
});
