import { assert } from '../../kernel/assert.ts';
import { STATS_GROUPS_MAX } from '../../operations/bounds.ts';
import type { Database } from '../database.ts';
import { hasRoomForDays, WITH_DAYS, WITH_HOURS } from './account-days.ts';

/* What operators look at: sums of the roll-ups, so that a look costs the same whatever was called. */

/** Whole hours (UTC), because roll-ups are by hour. */
export interface Period {
  readonly fromMs: number;
  readonly toMs: number;
}

/** All calls, including refused ones. */
export interface TrafficSums {
  readonly calls: number;
  readonly failed: number;
  readonly byokCalls: number;
  /** Covered by subscriptions, in micro-yuan. */
  readonly coveredMicro: bigint;
}

export interface Traffic extends TrafficSums {
  readonly activeAccounts: number;
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

const TOP_ACCOUNTS = 20;

/** $1 and $2 are the hours. */
export const HOURS = 'hour >= $1 and hour < $2';

function toHours({ fromMs, toMs }: Period): readonly string[] {
  return [new Date(fromMs).toISOString(), new Date(toMs).toISOString()];
}

export interface TrafficRow {
  readonly calls: bigint;
  readonly failed: bigint;
  readonly byok_calls: bigint;
  readonly covered_micro: bigint;
}

export const TRAFFIC_SUMS = printSums(['calls', 'failed', 'byok_calls', 'covered_micro']);

function printSums(names: readonly string[]): string {
  return names.map((name) => `sum(${name})::bigint as ${name}`).join(', ');
}

/** One row for each status. */
const TRAFFIC = `select status, ${TRAFFIC_SUMS} from traffic_hourly where ${HOURS}
  group by status order by sum(calls) desc, status`;

/** A look at each account costs less than a walk over the hours of all. */
const ACTIVE_ACCOUNTS = `select count(*)::int as accounts from accounts
  where exists (select from usage_hourly where account_id = accounts.id and ${HOURS})`;

export function toTraffic(row: TrafficRow): TrafficSums {
  return {
    calls: Number(row.calls),
    failed: Number(row.failed),
    byokCalls: Number(row.byok_calls),
    coveredMicro: row.covered_micro,
  };
}

export const NO_TRAFFIC: TrafficSums = { calls: 0, failed: 0, byokCalls: 0, coveredMicro: 0n };

export async function findTraffic(database: Database, period: Period): Promise<Traffic> {
  const [rows, [active]] = await Promise.all([
    database.query<TrafficRow & { readonly status: number }>(TRAFFIC, toHours(period)),
    database.query<{ readonly accounts: number }>(ACTIVE_ACCOUNTS, toHours(period)),
  ]);
  const answers = rows.map((row) => ({ status: row.status, ...toTraffic(row) }));
  const sums = answers.reduce<TrafficSums>(
    (sum, each) => ({
      calls: sum.calls + each.calls,
      failed: sum.failed + each.failed,
      byokCalls: sum.byokCalls + each.byokCalls,
      coveredMicro: sum.coveredMicro + each.coveredMicro,
    }),
    NO_TRAFFIC,
  );
  const errors = answers
    .filter(({ status }) => status >= 400)
    .map(({ status, calls }) => ({ status, calls }));
  return { ...sums, activeAccounts: active?.accounts ?? 0, errors };
}

const PAID = ['calls', 'failed', 'credits_micro', 'amount_micro'];

const accountSalesText = (head: string, days: string): string => `${head}
  select used.*, accounts.email from (
    select account_id, ${printSums(PAID)}
    from (${days} select account_id, ${PAID.join(', ')} from hour_rows) as rows group by account_id
    order by sum(credits_micro) desc, sum(amount_micro) desc, account_id limit ${TOP_ACCOUNTS}) used
  join accounts on accounts.id = used.account_id order by credits_micro desc, amount_micro desc, account_id`;

/** A long time is read by days, a short one by hours. */
const ACCOUNT_SALES = {
  days: accountSalesText(WITH_DAYS, `select account_id, ${PAID.join(', ')} from day_rows union all`),
  hours: accountSalesText(WITH_HOURS, ''),
};

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

export const SALES_SUMS = printSums([
  ...['calls', 'failed', 'input_tokens', 'output_tokens', 'images'],
  ...['amount_micro', 'spent_micro', 'cost_micro'],
]);

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

export interface AccountSales {
  readonly accountId: number;
  readonly email: string;
  readonly calls: number;
  readonly failed: number;
  readonly creditsMicro: bigint;
  readonly amountMicro: bigint;
}

/** Those that paid most come first. */
export async function findAccountSales(database: Database, period: Period): Promise<readonly AccountSales[]> {
  const rows = await database.query<{
    account_id: bigint;
    email: string;
    calls: bigint;
    failed: bigint;
    credits_micro: bigint;
    amount_micro: bigint;
  }>(ACCOUNT_SALES[hasRoomForDays(period) ? 'days' : 'hours'], toHours(period));
  return rows.map((row) => ({
    accountId: Number(row.account_id),
    email: row.email,
    calls: Number(row.calls),
    failed: Number(row.failed),
    creditsMicro: row.credits_micro,
    amountMicro: row.amount_micro,
  }));
}
