import { afterAll, beforeAll, expect, test } from 'vitest';
import { accountWith, CREDITS_PER_YUAN, callOf, NOVEMBER } from '../../../test/support/calls.ts';
import { type FreshDatabase, freshDatabase } from '../../../test/support/postgres.ts';
import { createCalendar } from '../../kernel/time/calendar.ts';
import { NO_USAGE } from '../../kernel/usage.ts';
import { createLedgerStore } from '../ledger/ledger.ts';
import { findCall } from './call-log.ts';

let fresh: FreshDatabase;
beforeAll(async () => {
  fresh = await freshDatabase();
});
afterAll(() => fresh.drop());

test('a call is found by its id, with its usage and its charge', async () => {
  const { database } = fresh;
  const accountId = await accountWith(database, { creditsMicro: 100_000_000n });
  const store = createLedgerStore({
    database,
    creditsPerYuan: CREDITS_PER_YUAN,
    calendar: createCalendar('UTC'),
  });
  const paid = callOf({ accountId });
  const failed = { usage: NO_USAGE, verdict: 'failed', status: 502 } as const;
  const free = callOf({ accountId, createdAtMs: NOVEMBER + 1, ...failed });
  await store.settle([free, paid]);

  expect(await findCall(database, free.callId)).toMatchObject({
    callId: free.callId,
    createdAtMs: NOVEMBER + 1,
    status: 502,
    verdict: 'failed',
    usage: NO_USAGE,
    amountMicro: 0n,
    creditsMicro: 0n,
  });
  expect(await findCall(database, paid.callId)).toMatchObject({
    id: expect.any(Number),
    callId: paid.callId,
    createdAtMs: NOVEMBER,
    accountId,
    keyId: 1,
    keyName: 'test key',
    modelAsked: 'gpt-5',
    modelUsed: 'gpt-5',
    vendor: 'openai',
    protocolIn: 'chat',
    protocolOut: 'responses',
    stream: true,
    status: 200,
    errorCode: null,
    verdict: 'complete',
    usage: { ...NO_USAGE, inputFresh: 1000, outputText: 500 },
    estimated: false,
    payer: 'credits',
    freeReason: null,
    price: { rates: paid.price?.rates },
    // 1000 × 10 yuan and 500 × 30 yuan per million; a yuan is 1000 Credits.
    amountMicro: 25_000n,
    creditsMicro: 25_000_000n,
    attempts: paid.attempts,
    ttfbMs: 20,
    durationMs: 300,
    droppedFields: [],
  });
});

test('an invalid or unknown call id is not found', async () => {
  for (const id of ['', 'req_1', "req_' or true", `req_${'0'.repeat(26)}`, `req_${'z'.repeat(26)}`]) {
    expect(await findCall(fresh.database, id)).toBeUndefined();
  }
});
