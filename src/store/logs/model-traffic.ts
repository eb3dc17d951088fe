import type { ModelTraffic } from '../../ledger/log.ts';
import { RANKED_MODELS_MAX } from '../../operations/bounds.ts';
import { type Database, idNumber } from '../database.ts';

interface TrafficRow {
  readonly model_id: string;
  readonly calls: bigint;
  readonly tokens: bigint;
  readonly users: bigint;
  readonly ttft_calls: bigint;
  readonly ttft_ms: bigint;
  readonly speed_calls: bigint;
  readonly speed_tokens: bigint;
  readonly speed_ms: bigint;
}

/** Exported for the test that checks its plan. The period begins with a day (UTC). */
export const TRAFFIC_TEXT = `
  with users as (
    select model_id, count(distinct account_id) as users from model_users_daily
    where day >= ($1::timestamptz at time zone 'UTC')::date group by 1)
  select model_id, sum(calls)::bigint as calls, sum(input_tokens + output_tokens)::bigint as tokens,
    coalesce(max(users), 0) as users, sum(ttft_calls)::bigint as ttft_calls, sum(ttft_ms)::bigint as ttft_ms,
    sum(speed_calls)::bigint as speed_calls, sum(speed_tokens)::bigint as speed_tokens,
    sum(speed_ms)::bigint as speed_ms
  from model_hourly left join users using (model_id) where hour >= $1
  group by 1 order by 2 desc, 1 limit ${RANKED_MODELS_MAX}`;

/** Every model that was called since a midnight (UTC), the most called first. */
export async function loadModelTraffic(
  database: Database,
  sinceMidnightMs: number,
): Promise<readonly ModelTraffic[]> {
  const since = new Date(sinceMidnightMs).toISOString();
  const rows = await database.query<TrafficRow>(TRAFFIC_TEXT, [since]);
  return rows.map((row) => ({
    model: row.model_id,
    calls: idNumber(row.calls),
    tokens: idNumber(row.tokens),
    users: idNumber(row.users),
    ttftCalls: idNumber(row.ttft_calls),
    ttftMs: idNumber(row.ttft_ms),
    speedCalls: idNumber(row.speed_calls),
    speedTokens: idNumber(row.speed_tokens),
    speedMs: idNumber(row.speed_ms),
  }));
}
