import type { SinkLine, SinkReport, SinkState, SinkStore } from '../../clickhouse/contract.ts';
import { assert } from '../../kernel/assert.ts';
import { type Database, idNumber } from '../database.ts';

/** How far the call log was sent to ClickHouse. One row for all nodes. */
export function createSinkStore(database: Database): SinkStore {
  return {
    register: async () => {
      await database.query('insert into log_sink default values on conflict do nothing');
    },
    take: (holder, leaseMs) => take(database, holder, leaseMs),
    release: async (holder) => {
      await database.query(`update log_sink set held_until = '-infinity' where holder = $1`, [holder]);
    },
    fence: () => setFence(database),
    isPast: async ({ mark }) => {
      const [row] = await database.query<{ past: boolean }>(
        'select pg_snapshot_xmin(pg_current_snapshot()) >= $1::xid8 as past',
        [String(mark)],
      );
      return row?.past === true;
    },
    read: (range, callsMax) => readLines(database, [range.after, range.to, callsMax]),
    begin: async ({ after, to }) => {
      const rows = await database.query(
        'update log_sink set sending_to = $2 where sent_to = $1 and sending_to is null returning 1',
        [after, to],
      );
      return rows.length > 0;
    },
    advance: async ({ after, to }, calls) => {
      const rows = await database.query(ADVANCE, [after, to, calls]);
      return rows.length > 0;
    },
    caughtUp: async (agoMs) => {
      await database.query(
        `update log_sink set caught_up_at = greatest(caught_up_at, now() - $1 * interval '1 millisecond')`,
        [agoMs],
      );
    },
    failed: async (reason) => {
      await database.query('update log_sink set failure = $1, failed_at = now()', [reason]);
    },
    report: () => report(database),
    forget: async () => (await database.query('delete from log_sink returning 1')).length > 0,
  };
}

const ADVANCE = `
  update log_sink set sent_to = $2, sending_to = null, sent_calls = sent_calls + $3,
    failure = case when $3 > 0 then null else failure end,
    failed_at = case when $3 > 0 then null else failed_at end
  where sent_to = $1 and coalesce(sending_to, $2) = $2 returning 1`;

async function take(database: Database, holder: string, leaseMs: number): Promise<SinkState | undefined> {
  const [row] = await database.query<{ sent_to: bigint; sending_to: bigint | null }>(
    `update log_sink set holder = $1, held_until = now() + $2 * interval '1 millisecond'
     where holder = $1 or held_until < now() returning sent_to, sending_to`,
    [holder, leaseMs],
  );
  if (row === undefined) return undefined;
  const { sent_to, sending_to } = row;
  return { sentTo: idNumber(sent_to), sendingTo: sending_to === null ? undefined : idNumber(sending_to) };
}

/**
 * A settlement locks its accounts, which gives it a transaction id, before it takes numbers for its calls. So
 * whoever has a number up to the one that is read here has an id below the one that is read after it: two
 * statements, in this order.
 */
async function setFence(database: Database): Promise<{ lastNumber: number; mark: bigint }> {
  const [last] = await database.query<{ number: bigint }>(
    'select case when is_called then last_value else last_value - 1 end as number from calls_id_seq',
  );
  const [mark] = await database.query<{ mark: string }>(
    'select pg_snapshot_xmax(pg_current_snapshot())::text as mark',
  );
  assert(last !== undefined && mark !== undefined, 'the database knows its sequence and its transactions');
  return { lastNumber: idNumber(last.number), mark: BigInt(mark.mark) };
}

/** The names are those of the table in ClickHouse. A call and its consumption are never changed. */
const LINES = `
  with picked as materialized (
    select * from calls where id > $1 and id <= $2 order by id limit $3)
  select line.number, row_to_json(line)::text as json
  from (
    select call_id, to_char(created_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.MS') as created_at,
      id as number, account_id, key_id, key_name, model_asked, model_used, route_id, vendor, protocol_in,
      protocol_out, stream, status, error_code, verdict, input_fresh, cache_read, cache_write, output_text,
      output_reasoning, images, videos, estimated, payer, free_reason, amount_micro, charge_micro,
      coalesce(taken.credits_micro, 0) as credits_micro, coalesce(taken.shortfall_micro, 0) as shortfall_micro,
      held_micro, admitted_ms, gate_ms, ttfb_ms, duration_ms, attempts::text as attempts,
      dropped_fields::text as dropped_fields, price::text as price, refusal::text as refusal
    from picked left join lateral (
      select credits_micro, shortfall_micro from consumptions
      where consumptions.created_at = picked.created_at and consumptions.call_id = picked.call_id limit 1
    ) as taken on true
  ) as line order by line.number`;

async function readLines(
  database: Database,
  values: readonly [after: number, to: number, callsMax: number],
): Promise<readonly SinkLine[]> {
  const rows = await database.query<{ number: bigint; json: string }>(LINES, values);
  return rows.map(({ number, json }) => ({ number: idNumber(number), json }));
}

interface ReportRow {
  readonly sent_calls: bigint;
  readonly lag_calls: bigint;
  readonly lag_seconds: number;
  readonly holder: string | null;
  readonly failure: string | null;
}

async function report(database: Database): Promise<SinkReport | undefined> {
  const [row] = await database.query<ReportRow>(
    `select sent_calls, failure, greatest(0, last_value - sent_to - (not is_called)::int)::bigint as lag_calls,
       case when held_until > now() then holder end as holder,
       greatest(0, extract(epoch from now() - caught_up_at))::float8 as lag_seconds
     from log_sink, calls_id_seq`,
  );
  if (row === undefined) return undefined;
  return {
    sentCalls: idNumber(row.sent_calls),
    lagCalls: idNumber(row.lag_calls),
    lagSeconds: row.lag_seconds,
    holder: row.holder ?? undefined,
    failure: row.failure ?? undefined,
  };
}

/** Whether ClickHouse has not got all calls before this month yet. */
export async function awaitsSink(transaction: Database, month: string): Promise<boolean> {
  const rows = await transaction.query(
    `select 1 from log_sink where exists (
       select 1 from calls where calls.created_at < $1::timestamptz and calls.id > log_sink.sent_to)`,
    [`${month}-01 00:00:00+00`],
  );
  return rows.length > 0;
}
