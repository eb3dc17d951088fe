import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { CREDITS_PER_YUAN, callOf, jobOf, NOVEMBER } from '../../test/support/calls.ts';
import { type FreshDatabase, freshDatabase } from '../../test/support/postgres.ts';
import { StoreUnavailable } from '../accounts/contract.ts';
import { silentLogger } from '../kernel/log.ts';
import { createCalendar } from '../kernel/time/calendar.ts';
import { NO_USAGE } from '../kernel/usage.ts';
import type { CallRecord } from '../ledger/contract.ts';
import { type Database, openDatabase } from './database.ts';
import { createLedgerStore } from './ledger/ledger.ts';
import { postMovement } from './ledger/movement.ts';
import { encodeCalls, INSERT_CALLS } from './logs/call-row.ts';
import { ensurePartitions } from './logs/partitions.ts';
import { findReceipt } from './logs/receipts.ts';
import { migrate } from './migrate.ts';
import { examine } from './operations/doctor.ts';
import { Writes } from './writes.ts';

const OWN_FOLDER = join(import.meta.dirname, 'migrations');

let server: FreshDatabase;
let connection: string;
let database: Database;

beforeAll(async () => {
  server = await freshDatabase();
});
afterAll(() => server.drop());

/** A database as it was before a migration. */
async function openBefore(first: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-upgrade-'));
  for (const name of await readdir(OWN_FOLDER)) {
    if (name < first) await copyFile(join(OWN_FOLDER, name), join(folder, name));
  }
  await server.database.query('create database upgrade');
  const url = new URL(server.connection);
  url.pathname = '/upgrade';
  connection = url.href;
  await migrate({ connection, log: silentLogger, folder });
  database = await openDatabase({ connection, log: silentLogger });
  await rm(folder, { recursive: true, force: true });
}

afterEach(async () => {
  await database.close();
  await server.database.query('drop database upgrade with (force)');
});

async function logCalls(calls: readonly CallRecord[]): Promise<void> {
  const writes = new Writes();
  writes.add(INSERT_CALLS, encodeCalls(calls));
  // Today's statement writes columns that the database of that time did not have.
  const later = ['admitted_ms int', 'gate_ms int', 'refusal jsonb'];
  for (const column of later) await database.query(`alter table calls add column ${column}`);
  await writes.send(database);
  for (const column of later) await database.query(`alter table calls drop column ${column.split(' ')[0]}`);
}

/** As the settlement of that time wrote them: free calls have no row in the consumption log. */
async function writeOldBooks(calls: readonly CallRecord[], charged: CallRecord): Promise<void> {
  const opening = 100_000_000n;
  const left = opening - charged.chargeMicro;
  await database.query(
    `insert into accounts (email, password_hash, status, role, user_type, user_rate_micro, api_billing,
       auto_exchange, credits_micro, funds_version, month, month_spent_micro)
     values ('old@example.com', 'none', 'enabled', 'user', 1, 100000000, true, false, $1, 2, '2026-11', $2)`,
    [left, charged.amountMicro],
  );
  await ensurePartitions(database, ['2026-11']);
  await logCalls(calls);
  await database.query(
    `insert into consumptions
       (call_id, created_at, account_id, month, amount_micro, spent_micro, credits_micro, shortfall_micro, receipt)
     values ($1, $2, 1, '2026-11', $3, $3, $4, 0, $5)`,
    [
      charged.callId,
      new Date(charged.createdAtMs),
      charged.amountMicro,
      charged.chargeMicro,
      {
        model: 'gpt-5',
        estimated: false,
        creditsPerYuan: 1000,
        chargeMicro: '25000000',
        exchangedMicro: '0',
      },
    ],
  );
  await database.query(
    `insert into ledger_entries
       (transaction_id, account_id, seq, kind, pool, change_micro, after_micro, ref, call_at)
     values (1, 1, 1, 'top_up', 'credits', $1, $1, 'opening', null),
       (1, null, null, 'top_up', 'credits', -$1::bigint, null, 'platform', null),
       (2, 1, 2, 'consumption', 'credits', -$2::bigint, $3, $4, $5),
       (2, null, null, 'consumption', 'credits', $2, null, 'platform', null)`,
    [opening, charged.chargeMicro, left, charged.callId, new Date(charged.createdAtMs)],
  );
}

test('a database from before windows and roll-ups gets them for its old calls, and its books agree', async () => {
  await openBefore('005');
  const charged = callOf({ accountId: 1 });
  const covered = callOf({ accountId: 1, payer: 'subscription', chargeMicro: 0n, freeReason: 'covered' });
  const refused = callOf({
    accountId: 1,
    price: null,
    vendor: null,
    usage: NO_USAGE,
    amountMicro: 0n,
    chargeMicro: 0n,
    payer: 'none',
    verdict: 'refused',
    status: 429,
  });
  await writeOldBooks([charged, covered, refused], charged);
  expect(await migrate({ connection, log: silentLogger })).toContain('005_windows_rollups.sql');
  expect(await examine(database)).toEqual([]);
  expect(await database.query('select payer, calls, credits_micro from usage_hourly order by payer')).toEqual(
    [
      { payer: 'credits', calls: 1n, credits_micro: 25_000_000n },
      { payer: 'none', calls: 1n, credits_micro: 0n },
      { payer: 'subscription', calls: 1n, credits_micro: 0n },
    ],
  );
  // What SQL makes of the old calls is what the settlement makes of new ones.
  const costs = await database.query('select calls, spent_micro, cost_micro from model_hourly');
  expect(costs).toEqual([{ calls: 2n, spent_micro: 25_000n, cost_micro: 50_000n }]);
  expect(await findReceipt(database, 1, covered.callId)).toMatchObject({
    payer: 'subscription',
    credits: '0',
    free_reason: 'covered',
  });
  // Months from before have the index by which one call is found in its new order too.
  const months = await database.query(
    `select tablename from pg_indexes where tablename like 'calls_20%' and indexdef like '%(id, account_id)'
     order by tablename`,
  );
  expect(months).toEqual([{ tablename: 'calls_2026_11' }, { tablename: 'calls_2026_12' }]);

  // The old calls are known, and new ones go on in the same hour.
  const ledger = createLedgerStore({
    database,
    creditsPerYuan: CREDITS_PER_YUAN,
    calendar: createCalendar('UTC'),
  });
  await ledger.settle([charged, covered, refused, callOf({ accountId: 1, createdAtMs: NOVEMBER + 1_000 })]);
  expect(await database.query("select calls from usage_hourly where payer = 'credits'")).toEqual([
    { calls: 2n },
  ]);
  expect(await examine(database)).toEqual([]);
});

test('old hours and days get the time to the first token of their calls', async () => {
  await openBefore('014');
  await ensurePartitions(database, ['2026-11']);
  const calls = [
    callOf({ accountId: 1, ttfbMs: 20 }),
    callOf({ accountId: 1, createdAtMs: NOVEMBER + 3_600_000, ttfbMs: 31 }),
    callOf({ accountId: 1, ttfbMs: null }),
    callOf({ accountId: 1, stream: false, ttfbMs: 700 }),
    callOf({ accountId: 1, keyId: 2, ttfbMs: 5 }),
  ];
  await logCalls(calls);
  const sums = `count(*), 0, count(*), 0, 0, 0, 0, 0, 0, 0, 0, 0`;
  const key = 'model_used, key_id, protocol_in, status, payer';
  const names = `model_id, key_id, protocol, status, payer, credential, calls, failed, consumed, input_fresh,
    cache_read, cache_write, output_text, output_reasoning, images, videos, amount_micro, credits_micro`;
  await database.query(`
    insert into usage_hourly (account_id, hour, ${names})
    select account_id, date_trunc('hour', created_at, 'UTC'), ${key}, '', ${sums} from calls
    group by 1, 2, ${key}`);
  await database.query(`
    insert into usage_daily (account_id, starts_at, ends_at, ${names})
    select account_id, '2026-11-15 00:00:00+00', '2026-11-16 00:00:00+00', ${key}, '', ${sums} from calls
    group by 1, ${key}`);
  expect(await migrate({ connection, log: silentLogger })).toContain('014_first_token.sql');
  const told = (table: string, at: string) =>
    database.query(`select ttft_calls, ttft_ms from ${table} order by key_id, ${at}`);
  expect(await told('usage_hourly', 'hour')).toEqual([
    { ttft_calls: 1n, ttft_ms: 20n },
    { ttft_calls: 1n, ttft_ms: 31n },
    { ttft_calls: 1n, ttft_ms: 5n },
  ]);
  expect(await told('usage_daily', 'starts_at')).toEqual([
    { ttft_calls: 2n, ttft_ms: 51n },
    { ttft_calls: 1n, ttft_ms: 5n },
  ]);
});

test('books from before jobs hold for them from now on, and the version before goes on beside', async () => {
  await openBefore('032');
  const [account] = await database.query<{ id: bigint }>(
    `insert into accounts (email, password_hash, status, role, user_type, user_rate_micro, api_billing, auto_exchange)
     values ('old@example.com', 'none', 'enabled', 'user', 1, 100000000, true, false) returning id`,
  );
  const accountId = Number(account?.id);
  const topUp = {
    accountId,
    kind: 'top_up',
    pool: 'credits',
    changeMicro: 100_000_000n,
    ref: 'old',
  } as const;
  await database.transaction((transaction) => postMovement(transaction, topUp));
  const calendar = createCalendar('UTC');
  const ledger = createLedgerStore({ database, creditsPerYuan: CREDITS_PER_YUAN, calendar });
  await ledger.settle([callOf({ accountId })]);
  // A node of this version that is there before the migration waits for it.
  const job = jobOf({ accountId });
  await expect(ledger.settle([job])).rejects.toThrow(StoreUnavailable);
  expect(await migrate({ connection, log: silentLogger })).toEqual([
    '032_jobs.sql',
    '033_batches.sql',
    '034_uploads.sql',
    '035_model_created.sql',
    '036_running_jobs.sql',
  ]);
  await ledger.settle([job, callOf({ accountId })]);
  expect(
    await database.query(`select kind from ledger_entries where account_id = $1 order by seq`, [accountId]),
  ).toEqual(['top_up', 'consumption', 'hold', 'consumption'].map((kind) => ({ kind })));
  await expect(
    database.query(`insert into ledger_entries (transaction_id, kind, pool, change_micro, ref)
      values (9, 'gift', 'credits', 1, 'platform')`),
  ).rejects.toThrow('ledger_entries_kind_check');
  expect(await examine(database)).toEqual([]);
});

test('models from before their date was noted have none, and the version before dates new ones', async () => {
  await openBefore('035');
  const insert = (modelId: string) =>
    database.query(
      `insert into models (model_id, name, status, client_visible, restriction_kind, restriction_level,
         support_features, input_micro, output_micro, image_micro, video_micro, billing_modes)
       values ($1, 'Model', 'enabled', true, 'none', 0, '{text}', 0, 0, 0, 0, 1)`,
      [modelId],
    );
  await insert('old');
  expect(await migrate({ connection, log: silentLogger })).toEqual([
    '035_model_created.sql',
    '036_running_jobs.sql',
  ]);
  // As a version before inserts it, without the column.
  await insert('new');
  expect(
    await database.query('select model_id, created_at is null as unknown from models order by model_id'),
  ).toEqual([
    { model_id: 'new', unknown: false },
    { model_id: 'old', unknown: true },
  ]);
});
