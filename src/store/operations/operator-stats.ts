import { assert } from '../../kernel/assert.ts';
import { STATS_GROUPS_MAX } from '../../operations/bounds.ts';
import type { Database } from '../database.ts';

/* What operators look at: sums of the roll-ups, so that a look costs the same whatever was called. */

/** Whole hours (UTC), because roll-ups are by hour. */
export interface Period {
  readonly fromMs: number;
  readonly toMs: number;
}

/** All calls, including refused ones. */
export interface Traffic {
  readonly calls: number;
  readonly failed: number;
  readonly activeAccounts: number;
  /** Covered by subscriptions, in micro-yuan. */
  readonly coveredMicro: bigint;
  readonly byokCalls: number;
  /** Answers that are not a success, by HTTP status. */
  readonly errors: readonly { readonly status: number; readonly calls: number }[];
}

/** Sales: sums over the calls that reached a vendor. */
export interface Sales {
  readonly calls: number;
  readonly failed: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly images: number;
  /** At the prices of the platform, for all payers. */
  readonly amountMicro: bigint;
  /** Paid with Credits, in micro-yuan. */
  readonly revenueMicro: bigint;
  /** At the vendors' rates: catalog/price.ts `vendorCostMicro`. */
  readonly costMicro: bigint;
}

/** $1 and $2 are the hours. */
export const HOURS = 'hour >= $1 and hour < $2';

function toHours({ fromMs, toMs }: Period): readonly string[] {
  return [new Date(fromMs).toISOString(), new Date(toMs).toISOString()];
}

export interface TrafficRow {
  readonly calls: bigint;
  readonly failed: bigint;
  readonly accounts: bigint;
  readonly covered: bigint;
  readonly byok: bigint;
}

export const TRAFFIC_SUMS = `coalesce(sum(calls), 0)::bigint as calls, coalesce(sum(failed), 0)::bigint as failed,
  count(distinct account_id) as accounts,
  coalesce(sum(amount_micro) filter (where payer = 'subscription'), 0)::bigint as covered,
  coalesce(sum(calls) filter (where payer = 'byok'), 0)::bigint as byok`;

export function toTraffic(row: TrafficRow): Omit<Traffic, 'errors'> {
  return {
    calls: Number(row.calls),
    failed: Number(row.failed),
    activeAccounts: Number(row.accounts),
    coveredMicro: row.covered,
    byokCalls: Number(row.byok),
  };
}

export async function findTraffic(database: Database, period: Period): Promise<Traffic> {
  const [sums] = await database.query<TrafficRow>(
    `select ${TRAFFIC_SUMS} from usage_hourly where ${HOURS}`,
    toHours(period),
  );
  assert(sums !== undefined, 'a sum is one row');
  const errors = await database.query<{ status: number; calls: bigint }>(
    `select status, sum(calls)::bigint as calls from usage_hourly where ${HOURS} and status >= 400
     group by status order by 2 desc, 1`,
    toHours(period),
  );
  return {
    ...toTraffic(sums),
    errors: errors.map(({ status, calls }) => ({ status, calls: Number(calls) })),
  };
}

export interface SalesRow {
  readonly calls: bigint;
  readonly failed: bigint;
  readonly input_tokens: bigint;
  readonly output_tokens: bigint;
  readonly images: bigint;
  readonly amount_micro: bigint;
  readonly spent_micro: bigint;
  readonly cost_micro: bigint;
}

export const SALES_SUMS = [
  ...['calls', 'failed', 'input_tokens', 'output_tokens', 'images'],
  ...['amount_micro', 'spent_micro', 'cost_micro'],
]
  .map((name) => `sum(${name})::bigint as ${name}`)
  .join(', ');

export function toSales(row: SalesRow): Sales {
  return {
    calls: Number(row.calls),
    failed: Number(row.failed),
    inputTokens: Number(row.input_tokens),
    outputTokens: Number(row.output_tokens),
    images: Number(row.images),
    amountMicro: row.amount_micro,
    revenueMicro: row.spent_micro,
    costMicro: row.cost_micro,
  };
}

export async function findVendorSales(
  database: Database,
  period: Period,
): Promise<readonly (Sales & { readonly vendor: string })[]> {
  const rows = await database.query<SalesRow & { vendor: string }>(
    `select vendor, ${SALES_SUMS} from model_hourly where ${HOURS} group by vendor order by vendor`,
    toHours(period),
  );
  return rows.map((row) => ({ vendor: row.vendor, ...toSales(row) }));
}

/** Those that brought most come first; so many that nobody reads on. */
export async function findModelSales(
  database: Database,
  period: Period,
): Promise<readonly (Sales & { readonly model: string })[]> {
  const rows = await database.query<SalesRow & { model_id: string }>(
    `select model_id, ${SALES_SUMS} from model_hourly where ${HOURS} group by model_id
     order by sum(spent_micro) desc, sum(calls) desc, model_id limit ${STATS_GROUPS_MAX}`,
    toHours(period),
  );
  return rows.map((row) => ({ model: row.model_id, ...toSales(row) }));
}

/** The platform's own; what users host is theirs. */
export async function findCredentialSales(
  database: Database,
  period: Period,
): Promise<readonly (Sales & { readonly credential: string })[]> {
  const rows = await database.query<SalesRow & { credential: string }>(
    `select credential, ${SALES_SUMS} from model_hourly where ${HOURS} and credential <> ''
     group by credential order by credential`,
    toHours(period),
  );
  return rows.map((row) => ({ credential: row.credential, ...toSales(row) }));
}

export interface PlatformCounts {
  readonly accounts: number;
  readonly newAccounts: number;
  readonly pendingVerifications: number;
  readonly openFeedback: number;
}

export async function countPlatform(database: Database, period: Period): Promise<PlatformCounts> {
  const [row] = await database.query<{ accounts: number; fresh: number; pending: number; open: number }>(
    `select (select count(*)::int from accounts) as accounts,
       (select count(*)::int from accounts where created_at >= $1 and created_at < $2) as fresh,
       (select count(*)::int from verifications where status = 'pending') as pending,
       (select count(*)::int from feedback where status = 'open') as open`,
    toHours(period),
  );
  assert(row !== undefined, 'counts are one row');
  const { accounts, fresh, pending, open } = row;
  return { accounts, newAccounts: fresh, pendingVerifications: pending, openFeedback: open };
}
