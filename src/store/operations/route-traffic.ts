import { ROUTE_TRAFFIC_CALLS_MAX } from '../../operations/bounds.ts';
import { type Database, idNumber } from '../database.ts';
import type { FirstToken } from './first-token.ts';

/** What a route did since a moment. */
export interface RouteTraffic {
  readonly routeId: number;
  /** Calls that it served or was the last to try. */
  readonly calls: number;
  readonly attempts: number;
  readonly failedAttempts: number;
  /** Streams that had a first token, and their milliseconds to it. */
  readonly ttftCalls: number;
  readonly ttftMs: number;
  /** Undefined: no stream had a first token. */
  readonly firstToken: FirstToken | undefined;
}

interface Row {
  readonly route_id: bigint;
  readonly calls: bigint;
  readonly attempts: bigint;
  readonly failed: bigint;
  readonly ttft_calls: bigint;
  readonly ttft_ms: bigint;
  readonly percentiles: readonly [number, number] | null;
}

/** The newest calls by the primary key, so that the work is bounded. Calls with BYOK are not ours. */
const TRAFFIC = `
  with recent as (
    select route_id, attempts, stream, ttfb_ms from calls
    where created_at >= $1 and route_id is not null and payer <> 'byok'
    order by created_at desc, call_id desc limit ${ROUTE_TRAFFIC_CALLS_MAX}),
  ended as (
    select route_id, count(*) as calls, count(*) filter (where stream and ttfb_ms is not null) as ttft_calls,
      coalesce(sum(ttfb_ms) filter (where stream), 0)::bigint as ttft_ms,
      percentile_disc(array[0.5, 0.95]) within group (order by ttfb_ms)
        filter (where stream and ttfb_ms is not null) as percentiles
    from recent group by 1),
  tried as (
    select (attempt ->> 'routeId')::bigint as route_id, count(*) as attempts,
      count(*) filter (where attempt ->> 'outcome' <> 'ok') as failed
    from recent, jsonb_array_elements(attempts) as attempt group by 1)
  select route_id, coalesce(calls, 0) as calls, coalesce(attempts, 0) as attempts, coalesce(failed, 0) as failed,
    coalesce(ttft_calls, 0) as ttft_calls, coalesce(ttft_ms, 0)::bigint as ttft_ms, percentiles
  from ended full join tried using (route_id)`;

export async function findRouteTraffic(
  database: Database,
  sinceMs: number,
): Promise<ReadonlyMap<number, RouteTraffic>> {
  const rows = await database.query<Row>(TRAFFIC, [new Date(sinceMs).toISOString()]);
  return new Map(rows.map((row) => [idNumber(row.route_id), toTraffic(row)]));
}

function toTraffic(row: Row): RouteTraffic {
  return {
    routeId: idNumber(row.route_id),
    calls: idNumber(row.calls),
    attempts: idNumber(row.attempts),
    failedAttempts: idNumber(row.failed),
    ttftCalls: idNumber(row.ttft_calls),
    ttftMs: idNumber(row.ttft_ms),
    firstToken:
      row.percentiles === null ? undefined : { p50Ms: row.percentiles[0], p95Ms: row.percentiles[1] },
  };
}
