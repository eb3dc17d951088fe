import { afterAll, beforeAll, expect, test } from 'vitest';
import { accountWith, CREDITS_PER_YUAN, callOf, NOVEMBER } from '../../../test/support/calls.ts';
import { type FreshDatabase, freshDatabase } from '../../../test/support/postgres.ts';
import { createCalendar } from '../../kernel/time/calendar.ts';
import type { CallRecord } from '../../ledger/contract.ts';
import { createLedgerStore } from '../ledger/ledger.ts';
import { findAccountView } from './account-view.ts';
import { updateAccount } from './accounts.ts';
import { sumCredentialUse } from './credential-use.ts';

const HOUR_MS = 3_600_000;
let fresh: FreshDatabase;
beforeAll(async () => {
  fresh = await freshDatabase();
});
afterAll(() => fresh.drop());

test('an account view has its money and switches, and no password', async () => {
  const accountId = await accountWith(fresh.database, {
    creditsMicro: 7n,
    balanceMicro: 9_007_199_254_740_993n,
  });
  await updateAccount(fresh.database, accountId, { byokFallback: true, extraApiQuotaMicro: 5n });
  const view = await findAccountView(fresh.database, accountId);
  expect(view).toMatchObject({
    id: accountId,
    userType: 1,
    extraApiQuotaMicro: 5n,
    preference: { fallbackModel: null, byokFallback: true },
    funds: { creditsMicro: 7n, balanceMicro: 9_007_199_254_740_993n },
    subscriptions: [],
  });
  expect(Object.keys(view ?? {}).filter((name) => /password|byok$|secret|hash/i.test(name))).toEqual([]);
  expect(await findAccountView(fresh.database, 999_999)).toBeUndefined();
});

test('the use of BYOK credentials is summed by name, hour by hour, for one account', async () => {
  const [accountId, stranger] = [await accountWith(fresh.database), await accountWith(fresh.database)];
  const byok = (credential: string, parts: Partial<CallRecord>): CallRecord =>
    callOf({
      accountId,
      payer: 'byok',
      chargeMicro: 0n,
      freeReason: 'byok',
      attempts: [{ routeId: 1, vendor: 'openai', credential, outcome: 'ok', durationMs: 5 }],
      ...parts,
    });
  const calendar = createCalendar('UTC');
  const ledger = createLedgerStore({ database: fresh.database, creditsPerYuan: CREDITS_PER_YUAN, calendar });
  await ledger.settle([
    byok('mine', { createdAtMs: NOVEMBER }),
    byok('mine', { createdAtMs: NOVEMBER + HOUR_MS, verdict: 'failed' }),
    byok('other', { createdAtMs: NOVEMBER }),
    byok('mine', { accountId: stranger, createdAtMs: NOVEMBER }),
    callOf({ accountId, createdAtMs: NOVEMBER, chargeMicro: 0n }),
  ]);
  const sum = (fromMs: number, toMs: number) => sumCredentialUse(fresh.database, accountId, { fromMs, toMs });
  const one = { calls: 1n, failed: 0n, inputTokens: 1_000n, outputTokens: 500n, images: 0n };
  expect(await sum(NOVEMBER, NOVEMBER + 2 * HOUR_MS)).toEqual([
    { name: 'mine', calls: 2n, failed: 1n, inputTokens: 2_000n, outputTokens: 1_000n, images: 0n },
    { name: 'other', ...one },
  ]);
  expect(await sum(NOVEMBER + HOUR_MS / 2, NOVEMBER + HOUR_MS), 'the hour it begins in').toEqual([
    { name: 'mine', ...one },
    { name: 'other', ...one },
  ]);
  expect(await sum(NOVEMBER + 2 * HOUR_MS, NOVEMBER + 3 * HOUR_MS)).toEqual([]);
});
