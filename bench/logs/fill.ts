/** Databases of any size, written by PostgreSQL itself: logs as the readers of the platform meet them. */
import type { Database } from '../../src/store/database.ts';
import { closeSomeDays } from '../../src/store/logs/daily-rollup.ts';
import { ensurePartitions, logMonth } from '../../src/store/logs/partitions.ts';
import { ROWS, type RowsLike } from './rows.ts';

export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface Size {
  readonly rows: number;
  readonly accounts: number;
  readonly rowsLike?: RowsLike;
  readonly span?: Span;
}

const DAY_MS = 86_400_000;
export const FILLED_TO_MS = Date.UTC(2026, 10, 15, 12);
/** All rows stand in one month: the largest partition that a page can meet. */
const ONE_MONTH: Span = { fromMs: Date.UTC(2026, 10, 1), toMs: FILLED_TO_MS };

export async function fill(database: Database, size: Size): Promise<void> {
  const { rows, accounts, rowsLike = 'even', span = ONE_MONTH } = size;
  await ensurePartitions(database, monthsOf(span));
  const indexes = await dropIndexes(database);
  const values = [rows, accounts, span.fromMs, span.toMs];
  await database.query(MADE);
  await database.query(`insert into made ${ROWS[rowsLike]}`, values);
  await database.query(FILL_ACCOUNTS, [accounts]);
  for (const statement of [FILL_CALLS, FILL_CONSUMPTIONS, FILL_ENTRIES, 'drop table made']) {
    await database.query(statement);
  }
  for (const statement of [FILL_USAGE, FILL_MODELS, FILL_USERS]) await database.query(statement);
  for (const statement of indexes) await database.query(statement);
  await closeDays(database, span.toMs);
  for (const table of [...TABLES, ...ROLLUPS, 'accounts']) await database.query(`vacuum analyze ${table}`);
}

function monthsOf({ fromMs, toMs }: Span): readonly string[] {
  const months = new Set<string>();
  for (let timeMs = fromMs; timeMs < toMs; timeMs += DAY_MS) months.add(logMonth(timeMs));
  return [...months, logMonth(toMs)];
}

const TABLES = ['calls', 'consumptions', 'ledger_entries'];
const ROLLUPS = ['usage_hourly', 'traffic_hourly', 'usage_daily', 'model_hourly', 'model_users_daily'];

/** The rows as they are made once, for all tables. */
const MADE = `
  create unlogged table made (call_id text, at timestamptz, account bigint, key bigint, seq bigint, model text,
    protocol text, payer text, status int, error_code int, verdict text)`;

const FILL_ACCOUNTS = `
  insert into accounts (email, password_hash, status, role, user_type, user_rate_micro, api_billing,
    auto_exchange, credits_micro, last_seq)
  select 'bench-' || i || '@example.com', 'none', 'enabled', 'user', 1, 100000000, true, false, 1000000000000000,
    coalesce(last, 0)
  from generate_series(1, $1::bigint) as i
  left join (select account, max(seq) as last from made group by 1) as entries on account = i order by i`;

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

/** What a call is charged: own keys and plans cost no Credits. */
const CHARGE = "case when payer = 'credits' then 25000000 else 0 end";

const FILL_CALLS = `
  insert into calls (call_id, created_at, account_id, key_id, key_name, model_asked, model_used, route_id, vendor,
    protocol_in, protocol_out, stream, status, error_code, input_fresh, cache_read, cache_write, output_text,
    output_reasoning, images, videos, estimated, payer, price, amount_micro, charge_micro, free_reason, verdict,
    attempts, held_micro, ttfb_ms, duration_ms, dropped_fields)
  select call_id, at, account, key, 'bench', model, model, 1, case when payer <> 'none' then 'openai' end, protocol,
    'chat', true, status, error_code, 1000, 0, 0, 500, 0, 0, 0, false, payer,
    case when payer <> 'none' then '${PRICE}'::jsonb end, 25000, ${CHARGE},
    case payer when 'byok' then 'byok' when 'subscription' then 'covered' end, verdict, '${ATTEMPTS}', 25000000, 20, 300, '[]'
  from made`;

const FILL_CONSUMPTIONS = `
  insert into consumptions
    (call_id, created_at, account_id, month, amount_micro, spent_micro, credits_micro, shortfall_micro, receipt)
  select call_id, at, account, to_char(at at time zone 'UTC', 'YYYY-MM'), 25000, ${CHARGE} / 1000, ${CHARGE}, 0,
    '{"creditsPerYuan": 1000, "exchangedMicro": "0", "chargeMicro": "25000000", "model": "m", "estimated": false}'
  from made where payer <> 'none'`;

const FILL_ENTRIES = `
  insert into ledger_entries
    (transaction_id, account_id, seq, kind, pool, change_micro, after_micro, ref, call_at, created_at)
  select seq, account, seq, 'consumption', 'credits', -25000000, 1000000000000000, call_id, at, at from made`;

const FILL_USAGE = `
  insert into usage_hourly (account_id, hour, model_id, key_id, protocol, status, payer, credential, calls, failed,
    consumed, input_fresh, cache_read, cache_write, output_text, output_reasoning, images, videos, amount_micro,
    credits_micro, ttft_calls, ttft_ms)
  select account_id, date_trunc('hour', created_at, 'UTC'), model_used, key_id, protocol_in, status, payer,
    case when payer = 'byok' then 'own' else '' end, count(*),
    count(*) filter (where verdict not in ('complete', 'cut-by-client')), count(*) filter (where price is not null),
    sum(input_fresh), 0, 0, sum(output_text), 0, 0, 0, sum(amount_micro), sum(charge_micro), count(*), sum(ttfb_ms)
  from calls group by 1, 2, 3, 4, 5, 6, 7 order by 2, 1`;

const FILL_MODELS = `
  insert into model_hourly (hour, model_id, vendor, credential, lane, calls, failed, input_tokens, output_tokens,
    images, amount_micro, credits_micro, spent_micro, cost_micro, ttft_calls, ttft_ms, speed_calls, speed_tokens,
    speed_ms)
  select hour, model_id, 'openai', case when payer = 'byok' then '' else 'main' end, 0, sum(calls), sum(failed),
    sum(input_fresh), sum(output_text), 0, sum(amount_micro), sum(credits_micro), sum(credits_micro) / 1000,
    sum(amount_micro) / 2, sum(calls), sum(calls) * 20, sum(calls), sum(output_text), sum(calls) * 280
  from usage_hourly where payer <> 'none' group by 1, 2, 4`;

const FILL_USERS = `
  insert into model_users_daily
  select distinct (hour at time zone 'UTC')::date, model_id, account_id from usage_hourly`;

/** As upkeep does it, up to the running day. */
async function closeDays(database: Database, filledToMs: number): Promise<void> {
  const toMs = filledToMs - (filledToMs % DAY_MS);
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
