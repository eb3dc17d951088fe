import { assert } from '../../kernel/assert.ts';
import { STATS_GROUPS_MAX } from '../../operations/bounds.ts';
import type { Database } from '../database.ts';
import { hasRoomForDays, WHOLE_DAYS, WITH_HOURS, withDays } from './operator-traffic.ts';

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

const TOP_ACCOUNTS = 20;

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

export const TRAFFIC_SUMS = ['calls', 'failed', 'byok_calls', 'covered_micro'];

/** Sums and accounts of rows that say which bucket they are in: one row for each account, then one of all. */
export const sumTraffic = (rows: string): string => `
  select bucket, sum(calls)::bigint as calls, sum(failed)::bigint as failed, count(*) as accounts,
    sum(byok_calls)::bigint as byok, sum(covered_micro)::bigint as covered
  from (
    select bucket, account_id, ${TRAFFIC_SUMS.map((name) => `sum(${name}) as ${name}`).join(', ')}
    from (${rows}) as rows group by 1, 2) as of_accounts
  group by 1`;

const PAID = ['calls', 'failed', 'credits_micro', 'amount_micro'];

interface Reading {
  readonly head: string;
  /** Rows of days before those of hours, if days are read. */
  readonly days: (columns: string) => string;
}

const FROM_HOURS: Reading = { head: WITH_HOURS, days: () => '' };
const fromDays = (needed: readonly string[]): Reading => ({
  head: withDays(WHOLE_DAYS, needed.join(', ')),
  days: (columns) => `select ${columns} from day_rows union all`,
});

const ONE_BUCKET = `1 as bucket, account_id, ${TRAFFIC_SUMS.join(', ')}`;
const trafficText = ({ head, days }: Reading): string => `${head}
  select sums.*, (
    select coalesce(json_agg(json_build_object('status', status, 'calls', calls) order by calls desc, status), '[]')
    from (select status, sum(calls) as calls from (
        ${days('unnest(error_statuses) as status, unnest(error_calls) as calls')}
        select status, calls from hour_rows where status >= 400) as each
      group by 1) as by_status) as errors
  from (${sumTraffic(`${days(ONE_BUCKET)} select ${ONE_BUCKET} from hour_rows`)}) as sums`;

const accountSalesText = ({ head, days }: Reading): string => `${head}
  select used.*, accounts.email from (
    select account_id, ${PAID.map((name) => `sum(${name})::bigint as ${name}`).join(', ')}
    from (${days(`account_id, ${PAID.join(', ')}`)}
      select account_id, ${PAID.join(', ')} from hour_rows) as rows group by account_id
    order by sum(credits_micro) desc, sum(amount_micro) desc, account_id limit ${TOP_ACCOUNTS}) used
  join accounts on accounts.id = used.account_id order by credits_micro desc, amount_micro desc, account_id`;

/** A long time is read by days, a short one by hours. */
const TEXTS = {
  traffic: {
    days: trafficText(fromDays([...TRAFFIC_SUMS, 'error_statuses', 'error_calls'])),
    hours: trafficText(FROM_HOURS),
  },
  accountSales: { days: accountSalesText(fromDays(PAID)), hours: accountSalesText(FROM_HOURS) },
};

export function toTraffic(row: TrafficRow): Omit<Traffic, 'errors'> {
  return {
    calls: Number(row.calls),
    failed: Number(row.failed),
    activeAccounts: Number(row.accounts),
    coveredMicro: row.covered,
    byokCalls: Number(row.byok),
  };
}

const NO_TRAFFIC: Traffic = {
  ...{ calls: 0, failed: 0, activeAccounts: 0, coveredMicro: 0n, byokCalls: 0, errors: [] },
};

export async function findTraffic(database: Database, period: Period): Promise<Traffic> {
  const [row] = await database.query<TrafficRow & Pick<Traffic, 'errors'>>(
    TEXTS.traffic[hasRoomForDays(period) ? 'days' : 'hours'],
    toHours(period),
  );
  return row === undefined ? NO_TRAFFIC : { ...toTraffic(row), errors: row.errors };
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
  }>(TEXTS.accountSales[hasRoomForDays(period) ? 'days' : 'hours'], toHours(period));
  return rows.map((row) => ({
    accountId: Number(row.account_id),
    email: row.email,
    calls: Number(row.calls),
    failed: Number(row.failed),
    creditsMicro: row.credits_micro,
    amountMicro: row.amount_micro,
  }));
}
