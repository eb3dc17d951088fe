/** Databases of any size, written by PostgreSQL itself, with the keys that a settlement meets. */
import type { Database } from '../../src/store/database.ts';
import { ensurePartitions } from '../../src/store/logs/partitions.ts';

export interface Size {
  readonly rows: number;
  readonly accounts: number;
}

/** All rows stand in one month: the largest partition that new calls can meet. */
export const MONTH = '2026-11';
const FILLED_FROM = '2026-11-01 00:00:00+00';
/** New calls come after all that is there, as they do in life. */
export const FILLED_TO_MS = Date.UTC(2026, 10, 15, 12);

const TABLES = ['calls', 'consumptions', 'ledger_entries', 'usage_hourly'] as const;

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
  const rebuild = await dropIndexes(database);
  for (const statement of [FILL_CALLS, FILL_CONSUMPTIONS, FILL_ENTRIES]) {
    await database.query(statement, [size.rows, size.accounts, FILLED_FROM, new Date(FILLED_TO_MS)]);
  }
  await database.query(FILL_USAGE);
  for (const statement of rebuild) await database.query(statement);
  for (const table of [...TABLES, 'accounts']) await database.query(`vacuum analyze ${table}`);
}

/** Row i: its account is i modulo the accounts, so that an account's entries are numbered i / accounts. */
const ROWS = `
  select 'req_' || lpad(i::text, 10, '0') || substr(md5(i::text), 1, 16) as call_id, 1 + i % $2::bigint as account,
    1 + i / $2::bigint as seq,
    $3::timestamptz + (i::float8 / $1::bigint) * ($4::timestamptz - $3::timestamptz) as at
  from generate_series(0, $1::bigint - 1) as i`;

/** Without price and attempts: they make the heap wider, and a settlement never reads an old row's heap. */
const FILL_CALLS = `
  insert into calls (call_id, created_at, account_id, key_id, key_name, model_asked, model_used, route_id, vendor,
    protocol_in, protocol_out, stream, status, input_fresh, cache_read, cache_write, output_text,
    output_reasoning, images, videos, estimated, payer, amount_micro, charge_micro, verdict, attempts,
    held_micro, ttfb_ms, duration_ms, dropped_fields)
  select call_id, at, account, account, 'bench', 'gpt-5', 'gpt-5', 1, 'openai', 'chat', 'chat', true, 200, 1000, 0, 0,
    500, 0, 0, 0, false, 'credits', 25000, 25000000, 'complete', '[]', 25000000, 20, 300, '[]'
  from (${ROWS}) as made`;

const FILL_CONSUMPTIONS = `
  insert into consumptions
    (call_id, created_at, account_id, month, amount_micro, spent_micro, credits_micro, shortfall_micro, receipt)
  select call_id, at, account, '${MONTH}', 25000, 25000, 25000000, 0, '{"creditsPerYuan": 1000}'
  from (${ROWS}) as made`;

const FILL_ENTRIES = `
  insert into ledger_entries
    (transaction_id, account_id, seq, kind, pool, change_micro, after_micro, ref, call_at)
  select seq, account, seq, 'consumption', 'credits', -25000000, 1000000000000000, call_id, at
  from (${ROWS}) as made`;

const FILL_USAGE = `
  insert into usage_hourly
  select account_id, date_trunc('hour', created_at, 'UTC'), model_used, key_id, protocol_in, status, payer, '',
    count(*), 0, sum(input_fresh), 0, 0, sum(output_text), 0, 0, 0, sum(amount_micro), sum(charge_micro)
  from calls group by 1, 2, 3, 4, 5, 6, 7`;

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
