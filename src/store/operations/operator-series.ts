import { type Database, toIsoTime } from '../database.ts';
import {
  HOURS,
  type Period,
  SALES_SUMS,
  type Sales,
  type SalesRow,
  sumTraffic,
  TRAFFIC_SUMS,
  type Traffic,
  type TrafficRow,
  toSales,
  toTraffic,
} from './operator-stats.ts';
import { hasRoomForDays, TOUCHED_DAYS, UNDIVIDED_DAYS, WITH_HOURS, withDays } from './operator-traffic.ts';

/** What operators look at over time, from the same roll-ups as the sums. */

/** Between each edge and the next: $1 and $2 are the hours of all, $3 the edges. */
const printBucket = (at: string): string => `width_bucket(${at}, $3::timestamptz[]) as bucket`;
const BUCKET = printBucket('hour');

const SUMS = TRAFFIC_SUMS.join(', ');
const HOUR_ROWS = `select ${BUCKET}, account_id, ${SUMS} from hour_rows`;
const HOUR_LISTS = TRAFFIC_SUMS.map((name) => `hour_${name}`);

/** An account's hour stands in one of its days, or in hours of its own: no account is counted twice. */
const HOURS_OF_DAYS = `${withDays(TOUCHED_DAYS, ['hours', ...HOUR_LISTS].join(', '))}
  select ${BUCKET}, sum(calls)::bigint as calls, sum(failed)::bigint as failed, sum(accounts)::bigint as accounts,
    sum(byok_calls)::bigint as byok, sum(covered_micro)::bigint as covered
  from (
    select hour, count(*) as accounts, ${TRAFFIC_SUMS.map((name) => `sum(${name}) as ${name}`).join(', ')}
    from (
      select unnest(hours) as hour, ${TRAFFIC_SUMS.map((name) => `unnest(hour_${name}) as ${name}`).join(', ')}
      from day_rows
      union all
      select hour, ${TRAFFIC_SUMS.map((name) => `sum(${name})::bigint`).join(', ')}
      from hour_rows group by hour, account_id) as of_accounts
    group by 1) as of_hours
  where hour >= $1 and hour < $2 group by 1`;

/** A long time by days, or by the hours of days; a short one by hours alone. */
const TRAFFIC = {
  days: `${withDays(UNDIVIDED_DAYS, SUMS)} ${sumTraffic(
    `select ${printBucket('starts_at')}, account_id, ${SUMS} from day_rows union all ${HOUR_ROWS}`,
  )}`,
  hoursOfDays: HOURS_OF_DAYS,
  hours: `${WITH_HOURS} ${sumTraffic(HOUR_ROWS)}`,
};

function chooseTrafficReading({
  fromMs,
  toMs,
  edges,
}: Period & { readonly edges: readonly number[] }): keyof typeof TRAFFIC {
  if (!hasRoomForDays({ fromMs, toMs })) return 'hours';
  const [first = 0, second = Number.POSITIVE_INFINITY] = edges;
  return second - first > HOUR_MS ? 'days' : 'hoursOfDays';
}

const HOUR_MS = 3_600_000;
const SALES = `
  select vendor, ${BUCKET}, ${SALES_SUMS}, sum(ttft_calls)::bigint as ttft_calls, sum(ttft_ms)::bigint as ttft_ms
  from model_hourly where ${HOURS} group by 1, 2 order by 1`;

const errorsText = (head: string, rows: string): string =>
  `${head} select status, bucket, sum(calls)::bigint as calls from (${rows}) as each group by 1, 2`;
const ERRORS_OF_HOURS = `select status, ${BUCKET}, calls from hour_rows where status >= 400`;
const ERRORS_OF_DAYS = `select unnest(error_statuses) as status, ${printBucket('starts_at')}, unnest(error_calls) as calls
  from day_rows`;
/** Days know their errors by status, but not by hour. */
const ERRORS = {
  days: errorsText(
    withDays(UNDIVIDED_DAYS, 'error_statuses, error_calls'),
    `${ERRORS_OF_DAYS} union all ${ERRORS_OF_HOURS}`,
  ),
  hours: errorsText(WITH_HOURS, ERRORS_OF_HOURS),
};

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
  readonly traffic: readonly Omit<Traffic, 'errors'>[];
  readonly vendors: readonly { readonly vendor: string; readonly points: readonly TimedSales[] }[];
}

export async function findSeries(
  database: Database,
  { fromMs, toMs, edges }: Period & { readonly edges: readonly number[] },
): Promise<OperatorSeries> {
  const values = [toIsoTime(fromMs), toIsoTime(toMs), edges.map(toIsoTime)];
  const reading = chooseTrafficReading({ fromMs, toMs, edges });
  const [traffic, sales, answers] = await Promise.all([
    database.query<TrafficRow & Bucket>(TRAFFIC[reading], values),
    database.query<TimedRow>(SALES, values),
    database.query<ErrorRow>(ERRORS[reading === 'days' ? 'days' : 'hours'], values),
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

const NO_TRAFFIC: Omit<Traffic, 'errors'> = {
  ...{ calls: 0, failed: 0, activeAccounts: 0, coveredMicro: 0n, byokCalls: 0 },
};
const NOTHING_SOLD: TimedSales = {
  ...{ calls: 0, failed: 0, inputTokens: 0, outputTokens: 0, images: 0, ttftCalls: 0, ttftMs: 0 },
  ...{ amountMicro: 0n, revenueMicro: 0n, costMicro: 0n },
};

function toTimedSales(row: TimedRow): TimedSales {
  return { ...toSales(row), ttftCalls: Number(row.ttft_calls), ttftMs: Number(row.ttft_ms) };
}
