import { type Database, toIsoTime } from '../database.ts';
import {
  HOURS,
  NO_TRAFFIC,
  type Period,
  SALES_SUMS,
  type Sales,
  type SalesRow,
  TRAFFIC_SUMS,
  type TrafficRow,
  type TrafficSums,
  toSales,
  toTraffic,
} from './operator-stats.ts';

/** What operators look at over time, from the same roll-ups as the sums. */

/** Between each edge and the next: $1 and $2 are the hours of all, $3 the edges. */
const BUCKET = 'width_bucket(hour, $3::timestamptz[]) as bucket';

const TRAFFIC = `select ${BUCKET}, ${TRAFFIC_SUMS} from traffic_hourly where ${HOURS} group by 1`;
const ERRORS = `select status, ${BUCKET}, sum(calls)::bigint as calls
  from traffic_hourly where ${HOURS} and status >= 400 group by 1, 2`;
const SALES = `
  select vendor, ${BUCKET}, ${SALES_SUMS}, sum(ttft_calls)::bigint as ttft_calls, sum(ttft_ms)::bigint as ttft_ms
  from model_hourly where ${HOURS} group by 1, 2 order by 1`;

interface Bucket {
  readonly bucket: number;
}

interface ErrorRow extends Bucket {
  readonly status: number;
  readonly calls: bigint;
}

interface TimedRow extends SalesRow, Bucket {
  readonly vendor: string;
  readonly ttft_calls: bigint;
  readonly ttft_ms: bigint;
}

export interface TimedSales extends Sales {
  /** Streams that had a first token, and their milliseconds to it. */
  readonly ttftCalls: number;
  readonly ttftMs: number;
}

/** Traffic, failed calls and sales between each edge and the next. */
export interface OperatorSeries {
  /** Answers that are not a success, by HTTP status, the most first. */
  readonly errors: readonly { readonly status: number; readonly points: readonly number[] }[];
  readonly traffic: readonly TrafficSums[];
  readonly vendors: readonly { readonly vendor: string; readonly points: readonly TimedSales[] }[];
}

export async function findSeries(
  database: Database,
  { fromMs, toMs, edges }: Period & { readonly edges: readonly number[] },
): Promise<OperatorSeries> {
  const values = [toIsoTime(fromMs), toIsoTime(toMs), edges.map(toIsoTime)];
  const [traffic, sales, answers] = await Promise.all([
    database.query<TrafficRow & Bucket>(TRAFFIC, values),
    database.query<TimedRow>(SALES, values),
    database.query<ErrorRow>(ERRORS, values),
  ]);
  const place = ({ bucket }: Bucket): number => bucket - 1;
  const asked = new Map(traffic.map((row) => [place(row), toTraffic(row)]));
  const vendors = [...Map.groupBy(sales, ({ vendor }) => vendor)].map(([vendor, rows]) => {
    const sold = new Map(rows.map((row) => [place(row), toTimedSales(row)]));
    return { vendor, points: edges.map((_, at) => sold.get(at) ?? NOTHING_SOLD) };
  });
  const errors = errorSeries(answers, edges.length);
  return { traffic: edges.map((_, at) => asked.get(at) ?? NO_TRAFFIC), errors, vendors };
}

function errorSeries(rows: readonly ErrorRow[], points: number): OperatorSeries['errors'] {
  const errors = [...Map.groupBy(rows, ({ status }) => status)].map(([status, own]) => {
    const calls = new Map(own.map((row) => [row.bucket, Number(row.calls)]));
    return { status, points: Array.from({ length: points }, (_, at) => calls.get(at + 1) ?? 0) };
  });
  const all = (each: (typeof errors)[number]): number => each.points.reduce((sum, calls) => sum + calls, 0);
  return errors.toSorted((one, other) => all(other) - all(one) || one.status - other.status);
}

const NOTHING_SOLD: TimedSales = {
  ...{ calls: 0, failed: 0, inputTokens: 0, outputTokens: 0, images: 0, ttftCalls: 0, ttftMs: 0 },
  ...{ amountMicro: 0n, revenueMicro: 0n, costMicro: 0n },
};

function toTimedSales(row: TimedRow): TimedSales {
  return { ...toSales(row), ttftCalls: Number(row.ttft_calls), ttftMs: Number(row.ttft_ms) };
}
