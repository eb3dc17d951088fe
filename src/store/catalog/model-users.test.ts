import { afterAll, beforeAll, expect, test } from 'vitest';
import { accountWith, CREDITS_PER_YUAN, callOf, NOVEMBER } from '../../../test/support/calls.ts';
import { type FreshDatabase, freshDatabase } from '../../../test/support/postgres.ts';
import { createCalendar } from '../../kernel/time/calendar.ts';
import { createLedgerStore } from '../ledger/ledger.ts';
import { Writes } from '../writes.ts';
import { ModelUsers } from './model-users.ts';

const DAY_MS = 86_400_000;
let fresh: FreshDatabase;
beforeAll(async () => {
  fresh = await freshDatabase();
});
afterAll(() => fresh.drop());

const users = () =>
  fresh.database.query(
    'select day::text, model_id, account_id from model_users_daily order by day, model_id',
  );

test('a model counts a user of the day once, over any number of batches and processes', async () => {
  const accountId = await accountWith(fresh.database, { creditsMicro: 10n ** 12n });
  const account_id = BigInt(accountId);
  const processes = [1, 2].map(() =>
    createLedgerStore({
      database: fresh.database,
      creditsPerYuan: CREDITS_PER_YUAN,
      calendar: createCalendar('UTC'),
    }),
  );
  for (const ledger of [...processes, ...processes]) {
    await ledger.settle([
      callOf({ accountId }),
      callOf({ accountId, createdAtMs: NOVEMBER + 3_600_000 }),
      callOf({ accountId, createdAtMs: NOVEMBER + DAY_MS, modelUsed: 'other' }),
    ]);
  }
  expect(await users()).toEqual([
    { day: '2026-11-15', model_id: 'gpt-5', account_id },
    { day: '2026-11-16', model_id: 'other', account_id },
  ]);
});

test('users that were not committed are written again, and after a failure all of them', () => {
  const remembered = new ModelUsers();
  const user = { day: 20_772, model: 'gpt-5', accountId: 7 };
  const due = () => remembered.add(new Writes(), [user, user]);
  expect(due().size).toBe(1);
  expect(due().size).toBe(1);
  remembered.remember(due());
  expect(due().size).toBe(0);
  expect(remembered.add(new Writes(), [{ ...user, day: 20_773 }]).size).toBe(1);
  remembered.forget();
  expect(due().size).toBe(1);
});
