import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { accountWith, CREDITS_PER_YUAN, callOf, NOVEMBER } from '../../../test/support/calls.ts';
import { type FreshDatabase, freshDatabase } from '../../../test/support/postgres.ts';
import { createCalendar } from '../../kernel/time/calendar.ts';
import { NO_USAGE } from '../../kernel/usage.ts';
import type { CallRecord } from '../../ledger/contract.ts';
import { CHECKS, describeFinding } from '../../ledger/doctor.ts';
import { createLedgerStore } from '../ledger/ledger.ts';
import { postExchange, postMovement } from '../ledger/movement.ts';
import { dropPartitionsBefore } from '../logs/partitions.ts';
import { examine } from './doctor.ts';

/** Books with every kind of movement in them: the corruptions below change one thing each. */
interface Books {
  readonly rich: number;
  readonly poor: number;
  readonly charged: CallRecord;
  readonly short: CallRecord;
  readonly covered: CallRecord;
}

let fresh: FreshDatabase;
let books: Books;

beforeEach(async () => {
  fresh = await freshDatabase();
  books = await writeBooks();
});

afterEach(() => fresh.drop());

const createLedger = () =>
  createLedgerStore({
    database: fresh.database,
    creditsPerYuan: CREDITS_PER_YUAN,
    calendar: createCalendar('UTC'),
  });

async function writeBooks(): Promise<Books> {
  const { database } = fresh;
  const rich = await accountWith(database, {
    creditsMicro: 200_000_000n,
    balanceMicro: 9_000_000n,
    autoExchange: true,
  });
  const poor = await accountWith(database, { creditsMicro: 30_000_000n });
  await database.transaction(async (transaction) => {
    await postExchange(transaction, {
      accountId: rich,
      amountMicro: 1_000n,
      creditsPerYuan: 1000,
      ref: 'asked for',
    });
    const gift = { accountId: rich, pool: 'credits', ref: 'sorry' } as const;
    await postMovement(transaction, { ...gift, kind: 'grant', changeMicro: 5_000_000n });
    await postMovement(transaction, { ...gift, kind: 'adjustment', changeMicro: -1_000_000n });
  });
  const charged = callOf({ accountId: rich });
  const short = callOf({ accountId: poor });
  const covered = callOf({ accountId: rich, payer: 'subscription', chargeMicro: 0n, freeReason: 'covered' });
  const failed = callOf({ accountId: poor, usage: NO_USAGE, price: null, payer: 'none', verdict: 'failed' });
  const october = callOf({ accountId: rich, createdAtMs: NOVEMBER - 20 * 86_400_000 });
  const more = Array.from({ length: 8 }, () => callOf({ accountId: rich }));
  const ledger = createLedger();
  await ledger.settle([october, charged, covered, failed, ...more]);
  await ledger.settle([callOf({ accountId: poor }), short]);
  return { rich, poor, charged, short, covered };
}

/** Past the triggers, as somebody with the password of the database could. */
async function corrupt(text: string, values: readonly unknown[] = []): Promise<void> {
  await fresh.database.transaction(async (transaction) => {
    await transaction.query('set local session_replication_role = replica');
    await transaction.query(text, values);
  });
}

const findings = async () =>
  (await examine(fresh.database)).map(({ check, subject }) => `${check}: ${subject}`);

/** What is found as well when figures of a call change after it was added up. */
const rollups = (accountId: number) => [`usage-rollup: account ${accountId}`, 'model-rollup: model gpt-5'];

const readEntryId = async (call: CallRecord): Promise<bigint> => {
  const [row] = await fresh.database.query<{ id: bigint }>('select id from ledger_entries where ref = $1', [
    call.callId,
  ]);
  return row?.id ?? 0n;
};

describe('healthy books', () => {
  test('have no findings', async () => {
    expect(await examine(fresh.database)).toEqual([]);
  });

  test('have no findings after old logs were dropped', async () => {
    await dropPartitionsBefore(fresh.database, '2026-11');
    expect(await examine(fresh.database)).toEqual([]);
  });

  test('have no findings with a call that came after its month was dropped', async () => {
    await dropPartitionsBefore(fresh.database, '2026-11');
    await createLedger().settle([callOf({ accountId: books.rich, createdAtMs: Date.UTC(2026, 9, 31, 23) })]);
    expect(await fresh.database.query(`select 1 from calls where created_at < '2026-11-01'`)).toHaveLength(1);
    expect(await examine(fresh.database)).toEqual([]);
  });

  test('have no findings while calls are being settled', async () => {
    const ledger = createLedger();
    const settling = (async () => {
      for (let count = 0; count < 30; count++) {
        await ledger.settle(Array.from({ length: 20 }, () => callOf({ accountId: books.rich })));
      }
    })();
    for (let count = 0; count < 5; count++) expect(await examine(fresh.database)).toEqual([]);
    await settling;
  });
});

describe('the doctor finds', () => {
  test('Credits that were changed', async () => {
    await corrupt('update accounts set credits_micro = credits_micro + 1 where id = $1', [books.rich]);
    expect(await findings()).toEqual([`credits-sum: account ${books.rich}`]);
  });

  test('a balance that was changed', async () => {
    await corrupt('update accounts set balance_micro = 0 where id = $1', [books.rich]);
    expect(await findings()).toEqual([`balance-sum: account ${books.rich}`]);
  });

  test('a ledger entry that was changed', async () => {
    const id = await readEntryId(books.charged);
    await corrupt('update ledger_entries set change_micro = change_micro + 1 where id = $1', [id]);
    expect(await findings()).toEqual([
      `credits-sum: account ${books.rich}`,
      `after-chain: entry ${id}`,
      expect.stringMatching(/^transaction-sum: transaction \d+$/),
      `charge-without-consumption: call ${books.charged.callId}`,
    ]);
  });

  test('a ledger entry that is missing', async () => {
    const id = await readEntryId(books.charged);
    await corrupt('delete from ledger_entries where id = $1', [id]);
    expect(await findings()).toEqual([
      `credits-sum: account ${books.rich}`,
      `entry-sequence: account ${books.rich}`,
      expect.stringMatching(/^after-chain: entry \d+$/),
      expect.stringMatching(/^transaction-sum: /),
      `consumption-without-charge: call ${books.charged.callId}`,
    ]);
  });

  test('a ledger entry that is doubled', async () => {
    await corrupt('drop index ledger_entries_charge, ledger_entries_chain');
    await corrupt(
      `insert into ledger_entries (transaction_id, account_id, seq, kind, pool, change_micro, after_micro, ref, call_at)
       select transaction_id, account_id, seq, kind, pool, change_micro, after_micro, ref, call_at
       from ledger_entries where ref = $1`,
      [books.charged.callId],
    );
    expect(await findings()).toEqual([
      `credits-sum: account ${books.rich}`,
      `entry-sequence: account ${books.rich}`,
      expect.stringMatching(/^after-chain: entry \d+$/),
      expect.stringMatching(/^transaction-sum: /),
      `charge-doubled: call ${books.charged.callId}`,
    ]);
  });

  test('an account with a wrong number of entries', async () => {
    await corrupt('update accounts set last_seq = last_seq + 1 where id = $1', [books.rich]);
    expect(await findings()).toEqual([`entry-sequence: account ${books.rich}`]);
  });

  test('a broken chain of remaining amounts', async () => {
    const id = await readEntryId(books.short);
    await corrupt('update ledger_entries set after_micro = after_micro + 5 where id = $1', [id]);
    expect(await findings()).toEqual([
      `after-chain: entry ${id}`,
      `shortfall-with-money: call ${books.short.callId}`,
    ]);
  });

  test('a change that is consistent on the account side only', async () => {
    const id = await readEntryId(books.short);
    await corrupt(
      'update ledger_entries set change_micro = change_micro + 9, after_micro = after_micro + 9 where id = $1',
      [id],
    );
    await corrupt('update accounts set credits_micro = credits_micro + 9 where id = $1', [books.poor]);
    await corrupt(
      `update consumptions set credits_micro = credits_micro - 9, shortfall_micro = shortfall_micro + 9 where call_id = $1`,
      [books.short.callId],
    );
    expect(await findings()).toEqual([
      expect.stringMatching(/^transaction-sum: /),
      `shortfall-with-money: call ${books.short.callId}`,
      ...rollups(books.poor),
    ]);
  });

  test('a charge without a call', async () => {
    await corrupt('delete from calls where call_id = $1', [books.charged.callId]);
    expect(await findings()).toEqual([
      `charge-without-call: call ${books.charged.callId}`,
      `consumption-without-call: call ${books.charged.callId}`,
      ...rollups(books.rich),
    ]);
  });

  test('a call with a charge that has no consumption', async () => {
    await corrupt('delete from consumptions where call_id = $1', [books.charged.callId]);
    expect(await findings()).toEqual([
      `charge-without-consumption: call ${books.charged.callId}`,
      `call-without-consumption: call ${books.charged.callId}`,
      `month-spent: account ${books.rich}`,
      ...rollups(books.rich),
    ]);
  });

  test('a call that was moved to another account', async () => {
    await corrupt('update calls set account_id = $2 where call_id = $1', [books.charged.callId, books.poor]);
    expect(await findings()).toEqual([
      `charge-without-call: call ${books.charged.callId}`,
      `consumption-without-call: call ${books.charged.callId}`,
      `usage-rollup: account ${books.rich}`,
      `usage-rollup: account ${books.poor}`,
    ]);
  });

  test('an amount that is not the usage at its prices', async () => {
    await corrupt('update calls set amount_micro = amount_micro + 1 where call_id = $1', [
      books.covered.callId,
    ]);
    expect(await findings()).toEqual([
      `charge-parts: call ${books.covered.callId}`,
      ...rollups(books.rich),
      `amount-price: call ${books.covered.callId}`,
    ]);
  });

  test('usage that was changed afterwards', async () => {
    await corrupt('update calls set output_text = output_text + 1 where call_id = $1', [
      books.covered.callId,
    ]);
    expect(await findings()).toEqual([...rollups(books.rich), `amount-price: call ${books.covered.callId}`]);
  });

  test('a price snapshot that was changed or cannot be read', async () => {
    const { callId } = books.covered;
    await corrupt(
      `update calls set price = jsonb_set(price, '{prices,inputMicro}', '"9000000"') where call_id = $1`,
      [callId],
    );
    expect(await findings()).toEqual([`amount-price: call ${callId}`]);
    await corrupt(`update calls set price = '{"prices": {}, "rates": {}}' where call_id = $1`, [callId]);
    expect(await findings()).toEqual([`amount-price: call ${callId}`]);
  });

  test('a consumption whose parts are not the charge', async () => {
    await corrupt('update consumptions set shortfall_micro = shortfall_micro + 1 where call_id = $1', [
      books.short.callId,
    ]);
    expect(await findings()).toEqual([`charge-parts: call ${books.short.callId}`]);
  });

  test('a covered call that was charged', async () => {
    await corrupt(`update calls set payer = 'byok' where call_id = $1`, [books.charged.callId]);
    expect(await findings()).toEqual([
      `free-call-charged: call ${books.charged.callId}`,
      // It counts under another payer now than when it was settled, and under no credential of the platform.
      `usage-rollup: account ${books.rich}`,
      `usage-rollup: account ${books.rich}`,
      'model-rollup: model gpt-5',
      'model-rollup: model gpt-5',
    ]);
  });

  test('a shortfall while Credits were left', async () => {
    const { callId } = books.charged;
    await corrupt(
      `update calls set charge_micro = charge_micro + 1000, amount_micro = amount_micro + 1,
         held_micro = held_micro + 1000 where call_id = $1`,
      [callId],
    );
    await corrupt(
      'update consumptions set shortfall_micro = 1000, amount_micro = amount_micro + 1 where call_id = $1',
      [callId],
    );
    expect(await findings()).toEqual([
      `receipt-figures: call ${callId}`,
      `shortfall-with-money: call ${callId}`,
      ...rollups(books.rich),
      `amount-price: call ${callId}`,
    ]);
  });

  test('an entry of an account that does not exist', async () => {
    const id = await readEntryId(books.short);
    await corrupt('delete from accounts where id = $1', [books.poor]);
    expect(await findings()).toContain(`entry-orphan: entry ${id}`);
  });

  test('a monthly counter that is not the sum of the month', async () => {
    await corrupt('update accounts set month_spent_micro = month_spent_micro - 1 where id = $1', [
      books.rich,
    ]);
    expect(await findings()).toEqual([`month-spent: account ${books.rich}`]);
  });

  test('a receipt with another charge, exchange or model than the books', async () => {
    const { callId } = books.charged;
    for (const [field, wrong] of [
      ['chargeMicro', '"1"'],
      ['exchangedMicro', '"1"'],
      ['model', '"gpt-4"'],
      ['estimated', 'true'],
    ]) {
      const change = `update consumptions set receipt = receipt || $2::jsonb where call_id = $1`;
      const [kept] = await fresh.database.query<{ receipt: unknown }>(
        'select receipt from consumptions where call_id = $1',
        [callId],
      );
      await corrupt(change, [callId, `{"${field}": ${wrong}}`]);
      expect(await findings(), field).toEqual([`receipt-figures: call ${callId}`]);
      await corrupt(change, [callId, JSON.stringify(kept?.receipt)]);
    }
    expect(await findings()).toEqual([]);
  });

  test('an exchange that is missing in the receipt', async () => {
    await corrupt(
      `update ledger_entries set ref = $1, call_at = $2 where ref = 'asked for' and pool = 'balance' and account_id = $3`,
      [books.charged.callId, new Date(NOVEMBER), books.rich],
    );
    expect(await findings()).toEqual([`receipt-figures: call ${books.charged.callId}`]);
  });

  test('a free call without a reason, or with a wrong one', async () => {
    const { callId } = books.covered;
    await corrupt('update calls set free_reason = null where call_id = $1', [callId]);
    expect(await findings()).toEqual([`free-reason: call ${callId}`]);
    await corrupt(`update calls set free_reason = 'below-one-credit' where call_id = $1`, [callId]);
    expect(await findings()).toEqual([`free-reason: call ${callId}`]);
    await corrupt(`update calls set free_reason = 'covered' where call_id = any($1)`, [
      [callId, books.charged.callId],
    ]);
    expect(await findings()).toEqual([`free-reason: call ${books.charged.callId}`]);
  });

  test('a free call that has no consumption', async () => {
    await corrupt('delete from consumptions where call_id = $1', [books.covered.callId]);
    expect(await findings()).toEqual([`call-without-consumption: call ${books.covered.callId}`]);
  });

  test('roll-ups that were changed, lost or invented', async () => {
    const add = (tokens: number) =>
      corrupt(
        `update usage_hourly set output_text = output_text + ${tokens} where account_id = ${books.poor}`,
      );
    await add(1);
    expect(new Set(await findings())).toEqual(new Set([`usage-rollup: account ${books.poor}`]));
    await add(-1);
    await corrupt(`delete from usage_hourly where account_id = $1 and payer = 'subscription'`, [books.rich]);
    const lost = [`usage-rollup: account ${books.rich}`, 'traffic-rollup: hour 2026-11-15 12:00:00'];
    expect(await findings()).toEqual(lost);
    await corrupt(`update model_hourly set speed_ms = speed_ms + 1, lane = 3 where hour >= '2026-11-01'`);
    await corrupt(`insert into model_users_daily values ('2026-11-15', 'gpt-5', 4711)`);
    expect((await findings()).slice(2)).toEqual(['model-rollup: model gpt-5', 'model-users: model gpt-5']);
  });

  test('a window that counts below zero', async () => {
    await corrupt('alter table gate_windows drop constraint gate_windows_used_check');
    await corrupt(
      `insert into gate_windows values ('key:1', 'requests', 60, '2026-11-15 12:00Z', '2026-11-15 12:01Z', -1)`,
    );
    expect(await findings()).toEqual(['negative: window key:1']);
  });

  test('any negative amount', async () => {
    await corrupt('alter table accounts drop constraint accounts_credits_micro_check');
    await corrupt('update accounts set credits_micro = -1 where id = $1', [books.poor]);
    expect(await findings()).toEqual([
      `credits-sum: account ${books.poor}`,
      `negative: account ${books.poor}`,
    ]);
  });
});

test('a finding is printed in one line with its rule', async () => {
  await corrupt('update accounts set balance_micro = 7 where id = $1', [books.poor]);
  const [finding] = await examine(fresh.database);
  expect(finding && describeFinding(finding)).toBe(
    `account ${books.poor}: has 7 balance, its entries sum to 0. Rule balance-sum: ${CHECKS['balance-sum'].promise} ` +
      CHECKS['balance-sum'].reading,
  );
});
