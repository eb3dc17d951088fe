import type { Database } from '../database.ts';
import type { Period, Sales, Traffic } from './operator-stats.ts';

/** What operators look at over time, from the same roll-ups as the sums. */

/** Between each edge and the next: $1 and $2 are the hours of all, $3 the edges. */
const BUCKET = 'width_bucket(hour, $3::timestamptz[]) as bucket';
const HOURS = 'hour >= $1 and hour < $2';

const TRAFFIC = `
  select ${BUCKET}, sum(calls)::bigint as calls, sum(failed)::bigint as failed,
    count(distinct account_id) as accounts,
    coalesce(sum(amount_micro) filter (where payer = 'subscription'), 0)::bigint as covered,
    coalesce(sum(calls) filter (where payer = 'byok'), 0)::bigint as byok
  from usage_hourly where ${HOURS} group by 1`;

const SUMS = [
  ...['calls', 'failed', 'input_tokens', 'output_tokens', 'images', 'amount_micro', 'spent_micro'],
  ...['cost_micro', 'ttft_calls', 'ttft_ms'],
];
const SALES = `
  select vendor, ${BUCKET}, ${SUMS.map((name) => `sum(${name})::bigint as ${name}`).join(', ')}
  from model_hourly where ${HOURS} group by 1, 2 order by 1`;

interface TrafficRow {
  readonly bucket: number;
  readonly calls: bigint;
  readonly failed: bigint;
  readonly accounts: bigint;
  readonly covered: bigint;
  readonly byok: bigint;
}

interface SalesRow {
  readonly vendor: string;
  readonly bucket: number;
  readonly calls: bigint;
  readonly failed: bigint;
  readonly input_tokens: bigint;
  readonly output_tokens: bigint;
  readonly images: bigint;
  readonly amount_micro: bigint;
  readonly spent_micro: bigint;
  readonly cost_micro: bigint;
  readonly ttft_calls: bigint;
  readonly ttft_ms: bigint;
}

export interface TimedSales extends Sales {
  /** Streams that had a first token, and their milliseconds to it. */
  readonly ttftCalls: number;
  readonly ttftMs: number;
}

/** Traffic and sales between each edge and the next. */
export interface OperatorSeries {
  readonly traffic: readonly Omit<Traffic, 'errors'>[];
  readonly vendors: readonly { readonly vendor: string; readonly points: readonly TimedSales[] }[];
}

export async function findSeries(
  database: Database,
  { fromMs, toMs, edges }: Period & { readonly edges: readonly number[] },
): Promise<OperatorSeries> {
  const values = [timeOf(fromMs), timeOf(toMs), edges.map(timeOf)];
  const traffic = await database.query<TrafficRow>(TRAFFIC, values);
  const sales = await database.query<SalesRow>(SALES, values);
  const place = ({ bucket }: { readonly bucket: number }): number => bucket - 1;
  const asked = new Map(traffic.map((row) => [place(row), trafficOf(row)]));
  const vendors = [...Map.groupBy(sales, ({ vendor }) => vendor)].map(([vendor, rows]) => {
    const sold = new Map(rows.map((row) => [place(row), salesOf(row)]));
    return { vendor, points: edges.map((_, at) => sold.get(at) ?? NOTHING_SOLD) };
  });
  return { traffic: edges.map((_, at) => asked.get(at) ?? NO_TRAFFIC), vendors };
}

const NO_TRAFFIC: Omit<Traffic, 'errors'> = {
  ...{ calls: 0, failed: 0, activeAccounts: 0, coveredMicro: 0n, byokCalls: 0 },
};
const NOTHING_SOLD: TimedSales = {
  ...{ calls: 0, failed: 0, inputTokens: 0, outputTokens: 0, images: 0, ttftCalls: 0, ttftMs: 0 },
  ...{ amountMicro: 0n, revenueMicro: 0n, costMicro: 0n },
};

function trafficOf(row: TrafficRow): Omit<Traffic, 'errors'> {
  return {
    calls: Number(row.calls),
    failed: Number(row.failed),
    activeAccounts: Number(row.accounts),
    coveredMicro: row.covered,
    byokCalls: Number(row.byok),
  };
}

function salesOf(row: SalesRow): TimedSales {
  return {
    calls: Number(row.calls),
    failed: Number(row.failed),
    inputTokens: Number(row.input_tokens),
    outputTokens: Number(row.output_tokens),
    images: Number(row.images),
    amountMicro: row.amount_micro,
    revenueMicro: row.spent_micro,
    costMicro: row.cost_micro,
    ttftCalls: Number(row.ttft_calls),
    ttftMs: Number(row.ttft_ms),
  };
}

function timeOf(timeMs: number): string {
  return new Date(timeMs).toISOString();
}
