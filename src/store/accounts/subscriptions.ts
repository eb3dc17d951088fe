import { PAGE_SIZE_MAX, SUBSCRIPTION_DAYS_MAX, SUBSCRIPTIONS_PER_ACCOUNT_MAX } from '../../bounds.ts';
import { assert } from '../../kernel/assert.ts';
import { type Database, idNumber } from '../database.ts';
import { touchAccount } from './accounts.ts';

const DAY_MS = 86_400_000;

export interface NewSubscription {
  readonly accountId: number;
  readonly planCode: string;
  readonly startsAtMs: number;
  readonly endsAtMs: number;
}

export type GrantedSubscription =
  | {
      readonly kind: 'granted';
      readonly subscriptionId: number;
      readonly startsAtMs: number;
      readonly endsAtMs: number;
    }
  | { readonly kind: 'unknown-account' }
  | { readonly kind: 'unknown-plan' }
  /** Too many current and future subscriptions. */
  | { readonly kind: 'too-many' };

export function grantSubscription(database: Database, wanted: NewSubscription): Promise<GrantedSubscription> {
  const { startsAtMs, endsAtMs } = wanted;
  assert(endsAtMs > startsAtMs, 'a subscription ends after its start');
  return grant(database, wanted, () => ({ startsAtMs, endsAtMs }));
}

export interface DaysGranted {
  readonly accountId: number;
  readonly planCode: string;
  /** Undefined: the period of the plan. */
  readonly days: number | undefined;
  /** `after-current`: when the last current or future one ends. */
  readonly start: 'now' | 'after-current';
}

/** A period in days, from now on or after the current subscriptions. */
export function grantDays(
  database: Database,
  wanted: DaysGranted,
  nowMs: number,
): Promise<GrantedSubscription> {
  const { days, start } = wanted;
  assert(days === undefined || (days >= 1 && days <= SUBSCRIPTION_DAYS_MAX), 'days are checked before');
  return grant(database, wanted, ({ planDays, lastEndMs }) => {
    const startsAtMs = start === 'now' ? nowMs : Math.max(nowMs, lastEndMs);
    return { startsAtMs, endsAtMs: startsAtMs + (days ?? planDays) * DAY_MS };
  });
}

interface Circumstances {
  readonly planDays: number;
  /** The end of the last subscription that is not cancelled; 0 if there is none. */
  readonly lastEndMs: number;
}

type SubscriptionPeriod = Pick<NewSubscription, 'startsAtMs' | 'endsAtMs'>;

function grant(
  database: Database,
  { accountId, planCode }: Pick<NewSubscription, 'accountId' | 'planCode'>,
  choosePeriod: (circumstances: Circumstances) => SubscriptionPeriod,
): Promise<GrantedSubscription> {
  return database.transaction(async (transaction) => {
    const [plan] = await transaction.query<{ days: number }>('select days from plans where code = $1', [
      planCode,
    ]);
    if (plan === undefined) return { kind: 'unknown-plan' };
    // The account's row is locked now, so two grants after the current one also follow each other.
    if (!(await touchAccount(transaction, accountId))) return { kind: 'unknown-account' };
    const own = await standing(transaction, accountId);
    if (own.count >= SUBSCRIPTIONS_PER_ACCOUNT_MAX) return { kind: 'too-many' };
    const period = choosePeriod({ planDays: plan.days, lastEndMs: own.lastEndMs });
    const { startsAtMs, endsAtMs } = period;
    const [row] = await transaction.query<{ id: bigint }>(
      `insert into subscriptions (account_id, plan_code, starts_at, ends_at) values ($1, $2, $3, $4) returning id`,
      [accountId, planCode, new Date(startsAtMs), new Date(endsAtMs)],
    );
    assert(row !== undefined, 'an insert returns its row');
    return { kind: 'granted', subscriptionId: idNumber(row.id), startsAtMs, endsAtMs };
  });
}

/** The current and future subscriptions of the account. */
async function standing(
  transaction: Database,
  accountId: number,
): Promise<{ readonly count: number; readonly lastEndMs: number }> {
  const [row] = await transaction.query<{ count: number; last_end: Date | null }>(
    `select count(*)::int as count, max(ends_at) as last_end
     from subscriptions where account_id = $1 and status = 'active' and ends_at > now()`,
    [accountId],
  );
  return { count: row?.count ?? 0, lastEndMs: row?.last_end?.getTime() ?? 0 };
}

/** False if the account has no such current or future subscription. */
export function cancelSubscription(
  database: Database,
  accountId: number,
  subscriptionId: number,
): Promise<boolean> {
  return database.transaction(async (transaction) => {
    if (!(await touchAccount(transaction, accountId))) return false;
    const rows = await transaction.query(
      `update subscriptions set status = 'cancelled'
       where id = $1 and account_id = $2 and status = 'active' and ends_at > now() returning id`,
      [subscriptionId, accountId],
    );
    return rows.length === 1;
  });
}

export interface ListedSubscription extends NewSubscription {
  readonly id: number;
  readonly status: 'active' | 'upcoming' | 'ended' | 'cancelled';
  readonly createdAtMs: number;
}

interface SubscriptionRow {
  readonly id: bigint;
  readonly plan_code: string;
  readonly starts_at: Date;
  readonly ends_at: Date;
  readonly status: 'active' | 'cancelled';
  readonly created_at: Date;
}

export interface SubscriptionPage {
  readonly items: readonly ListedSubscription[];
  readonly total: number;
}

/** The latest end first. */
export async function listSubscriptions(
  database: Database,
  accountId: number,
  { offset, limit, nowMs }: { readonly offset: number; readonly limit: number; readonly nowMs: number },
): Promise<SubscriptionPage> {
  assert(limit >= 1 && limit <= PAGE_SIZE_MAX && offset >= 0, 'a page is bounded');
  const rows = await database.query<SubscriptionRow>(
    `select id, plan_code, starts_at, ends_at, status, created_at from subscriptions
     where account_id = $1 order by ends_at desc, id desc limit $2 offset $3`,
    [accountId, limit, offset],
  );
  const [count] = await database.query<{ total: number }>(
    'select count(*)::int as total from subscriptions where account_id = $1',
    [accountId],
  );
  const items = rows.map((row) => ({
    id: idNumber(row.id),
    accountId,
    planCode: row.plan_code,
    startsAtMs: row.starts_at.getTime(),
    endsAtMs: row.ends_at.getTime(),
    status: toStatus(row, nowMs),
    createdAtMs: row.created_at.getTime(),
  }));
  return { items, total: count?.total ?? 0 };
}

/** A period includes its start and excludes its end. */
function toStatus(row: SubscriptionRow, nowMs: number): ListedSubscription['status'] {
  if (row.status === 'cancelled') return 'cancelled';
  if (row.ends_at.getTime() <= nowMs) return 'ended';
  return row.starts_at.getTime() > nowMs ? 'upcoming' : 'active';
}
