import { TTFT_SAMPLE_CALLS, TTFT_SAMPLE_SLICES } from '../../operations/bounds.ts';
import { type Database, toIsoTime } from '../database.ts';

/** Milliseconds to the first token: half of the streams took at most `p50`, 19 of 20 at most `p95`. */
export interface FirstToken {
  readonly p50Ms: number;
  readonly p95Ms: number;
}

/** Percentiles of a period and of its points. What had no stream is absent. */
export interface FirstTokens {
  find(at: {
    readonly point?: number | undefined;
    readonly vendor?: string | undefined;
  }): FirstToken | undefined;
}

/**
 * Percentiles cannot be summed, so roll-ups have none. They are those of a sample of the log: the newest
 * calls of many short times that are spread evenly over the period. The number of rows that are read is
 * bounded, and where there are few, all are read. $1 and $2 are the times, $3 and $4 the whole period, $5
 * the edges of the points.
 */
const SAMPLE = `
  with sample as materialized (
    select width_bucket(call.created_at, $5::timestamptz[]) - 1 as point, call.vendor, call.ttfb_ms
    from unnest($1::timestamptz[], $2::timestamptz[]) as slice(lo, hi)
    cross join lateral (
      select created_at, vendor, stream, ttfb_ms from calls
      where created_at >= slice.lo and created_at < slice.hi and created_at >= $3 and created_at < $4
      order by created_at desc limit ${TTFT_SAMPLE_CALLS}) as call
    where call.stream and call.ttfb_ms is not null and call.vendor is not null)
  select point, vendor, percentile_disc(array[0.5, 0.95]) within group (order by ttfb_ms) as ms
  from sample group by grouping sets ((point), (point, vendor), (vendor), ())
  having count(*) > 0`;

interface Row {
  readonly point: number | null;
  readonly vendor: string | null;
  readonly ms: readonly [number, number];
}

export async function findFirstTokens(
  database: Database,
  { edges, toMs }: { readonly edges: readonly number[]; readonly toMs: number },
): Promise<FirstTokens> {
  const slices = listSliceStarts(edges, toMs);
  const ends = [...slices.slice(1), toMs];
  const values = [slices.map(toIsoTime), ends.map(toIsoTime), toIsoTime(edges[0] ?? toMs), toIsoTime(toMs)];
  const rows = await database.query<Row>(SAMPLE, [...values, edges.map(toIsoTime)]);
  const found = new Map(
    rows.map(({ point, vendor, ms: [p50Ms, p95Ms] }) => [toSampleKey(point, vendor), { p50Ms, p95Ms }]),
  );
  return { find: ({ point, vendor }) => found.get(toSampleKey(point ?? null, vendor ?? null)) };
}

function toSampleKey(point: number | null, vendor: string | null): string {
  return JSON.stringify([point, vendor]);
}

/** The starts of the times: each point has equally many. */
function listSliceStarts(edges: readonly number[], toMs: number): readonly number[] {
  const parts = Math.max(1, Math.floor(TTFT_SAMPLE_SLICES / Math.max(1, edges.length)));
  return edges.flatMap((edge, at) => {
    const lengthMs = (edges[at + 1] ?? toMs) - edge;
    return Array.from({ length: parts }, (_, part) => edge + Math.floor((lengthMs * part) / parts));
  });
}
