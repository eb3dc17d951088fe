/** Databases of any size, written by PostgreSQL itself: logs as the readers of the platform meet them. */
import type { Database } from '../../src/store/database.ts';
import { closeSomeDays } from '../../src/store/logs/daily-rollup.ts';
import { ensurePartitions } from '../../src/store/logs/partitions.ts';

export interface Size {
  readonly rows: number;
  readonly accounts: number;
}

/** All rows stand in one month: the largest partition that a page can meet. */
const MONTH = '2026-11';
const FILLED_FROM = '2026-11-01 00:00:00+00';
export const FILLED_TO_MS = Date.UTC(2026, 10, 15, 12);
const DAY_MS = 86_400_000;

export async function fill(database: Database, size: Size): Promise<void> {
  await database.query(
    `insert into accounts (email, password_hash, status, role, user_type, user_rate_micro, api_billing,
       auto_exchange, credits_micro, last_seq)
     select 'bench-' || i || '@example.com', 'none', 'enabled', 'user', 1, 100000000, true, false, 1000000000000000,
       case when i <= $2::bigint then ($2::bigint - i) / $1::bigint + 1 else 0 end
     from generate_series(1, $1::bigint) as i`,
    [size.accounts, size.rows],
  );
  await ensurePartitions(database, [MONTH]);
  const indexes = await dropIndexes(database);
  for (const statement of [FILL_CALLS, FILL_CONSUMPTIONS, FILL_ENTRIES]) {
    await database.query(statement, [size.rows, size.accounts, FILLED_FROM, new Date(FILLED_TO_MS)]);
  }
  for (const statement of [FILL_USAGE, FILL_MODELS, FILL_USERS]) await database.query(statement);
  for (const statement of indexes) await database.query(statement);
  await closeDays(database);
  for (const table of [...TABLES, ...ROLLUPS, 'accounts']) await database.query(`vacuum analyze ${table}`);
}

const TABLES = ['calls', 'consumptions', 'ledger_entries'];
const ROLLUPS = ['usage_hourly', 'usage_daily', 'model_hourly', 'model_users_daily'];

/**
 * Row i: its account is i modulo the accounts, so that an account's entries are numbered i / accounts. Of its
 * calls every third is of another model, every fiftieth was refused by the vendor.
 */
const ROWS = `
  select 'req_' || lpad(i::text, 10, '0') || substr(md5(i::text), 1, 16) as call_id, 1 + i % $2::bigint as account,
    1 + i / $2::bigint as seq, (i / $2::bigint) % 3 as model, (i / $2::bigint) % 50 = 49 as failed,
    date_trunc('milliseconds', $3::timestamptz + (i::float8 / $1::bigint) * ($4::timestamptz - $3::timestamptz)) as at
  from generate_series(0, $1::bigint - 1) as i`;

const PRICE = JSON.stringify({
  prices: { inputMicro: '10000000', outputMicro: '30000000', imageMicro: '0', videoMicro: '0' },
  rates: {
    rateMultiplierMicro: '1000000',
    systemMicro: '100000000',
    userMicro: '100000000',
    vendorMicro: '100000000',
    credentialMicro: '100000000',
    nodeMicro: '100000000',
  },
});
const ATTEMPTS = JSON.stringify([
  { routeId: 1, vendor: 'openai', credential: 'main', outcome: 'ok', durationMs: 280 },
]);

const FILL_CALLS = `
  insert into calls (call_id, created_at, account_id, key_id, key_name, model_asked, model_used, route_id, vendor,
    protocol_in, protocol_out, stream, status, input_fresh, cache_read, cache_write, output_text,
    output_reasoning, images, videos, estimated, payer, price, amount_micro, charge_micro, verdict, attempts,
    held_micro, ttfb_ms, duration_ms, dropped_fields)
  select call_id, at, account, account, 'bench', 'model-' || model, 'model-' || model, 1, 'openai', 'chat', 'chat',
    true, case when failed then 400 else 200 end, 1000, 0, 0, 500, 0, 0, 0, false, 'credits', '${PRICE}', 25000,
    25000000, case when failed then 'failed' else 'complete' end, '${ATTEMPTS}', 25000000, 20, 300, '[]'
  from (${ROWS}) as made`;

const FILL_CONSUMPTIONS = `
  insert into consumptions
    (call_id, created_at, account_id, month, amount_micro, spent_micro, credits_micro, shortfall_micro, receipt)
  select call_id, at, account, '${MONTH}', 25000, 25000, 25000000, 0,
    '{"creditsPerYuan": 1000, "exchangedMicro": "0", "chargeMicro": "25000000", "model": "m", "estimated": false}'
  from (${ROWS}) as made`;

const FILL_ENTRIES = `
  insert into ledger_entries
    (transaction_id, account_id, seq, kind, pool, change_micro, after_micro, ref, call_at, created_at)
  select seq, account, seq, 'consumption', 'credits', -25000000, 1000000000000000, call_id, at, at
  from (${ROWS}) as made`;

const FILL_USAGE = `
  insert into usage_hourly (account_id, hour, model_id, key_id, protocol, status, payer, credential, calls, failed,
    consumed, input_fresh, cache_read, cache_write, output_text, output_reasoning, images, videos, amount_micro,
    credits_micro)
  select account_id, date_trunc('hour', created_at, 'UTC'), model_used, key_id, protocol_in, status, payer, '',
    count(*), count(*) filter (where verdict = 'failed'), count(*), sum(input_fresh), 0, 0, sum(output_text), 0, 0,
    0, sum(amount_micro), sum(charge_micro)
  from calls group by 1, 2, 3, 4, 5, 6, 7 order by 2, 1`;

const FILL_MODELS = `
  insert into model_hourly (hour, model_id, vendor, lane, calls, failed, input_tokens, output_tokens, images,
    amount_micro, credits_micro, ttft_calls, ttft_ms, speed_calls, speed_tokens, speed_ms)
  select hour, model_id, 'openai', 0, sum(calls), sum(failed), sum(input_fresh), sum(output_text), 0,
    sum(amount_micro), sum(credits_micro), sum(calls), sum(calls) * 20, sum(calls), sum(output_text),
    sum(calls) * 280
  from usage_hourly group by 1, 2`;

const FILL_USERS = `
  insert into model_users_daily
  select distinct (hour at time zone 'UTC')::date, model_id, account_id from usage_hourly`;

/** As upkeep does it, up to the running day. */
async function closeDays(database: Database): Promise<void> {
  const toMs = FILLED_TO_MS - (FILLED_TO_MS % DAY_MS);
  for (let afterId: number | undefined = 0; afterId !== undefined; ) {
    afterId = await closeSomeDays(database, { timeZone: 'UTC', toMs, afterId });
  }
}

/** Sorting once is much faster than growing indexes row by row. Answers what makes them again. */
async function dropIndexes(database: Database): Promise<readonly string[]> {
  const found = await database.query<{ drop: string; make: string }>(
    `select case when c.oid is null then format('drop index %s', i.indexrelid::regclass)
         else format('alter table %s drop constraint %I', i.indrelid::regclass, c.conname) end as drop,
       case when c.oid is null then replace(pg_get_indexdef(i.indexrelid), ' ON ONLY ', ' ON ')
         else format('alter table %s add constraint %I %s', i.indrelid::regclass, c.conname,
           pg_get_constraintdef(c.oid)) end as make
     from pg_index i left join pg_constraint c on c.conindid = i.indexrelid and c.contype = 'p'
     where i.indrelid::regclass::text = any($1)`,
    [TABLES],
  );
  for (const { drop } of found) await database.query(drop);
  return found.map(({ make }) => make);
}
