import { DAYS_CLOSE_ACCOUNTS, DAYS_CLOSE_DAYS, DAYS_LOOK_ACCOUNTS } from '../../bounds.ts';
import { assert } from '../../kernel/assert.ts';
import type { CallRecord } from '../../ledger/contract.ts';
import { type Database, idNumber } from '../database.ts';

/**
 * Days are sums of hours. Upkeep creates them later, so that settling writes no second roll-up. Both are
 * done under the lock of the account's row: no day is closed while a call of the account is settled, and
 * a later settlement sees that it is closed.
 */
const KEY = ['model_id', 'key_id', 'protocol', 'status', 'payer', 'credential'];
const SUMS = [
  'calls',
  'failed',
  'consumed',
  'input_fresh',
  'cache_read',
  'cache_write',
  'output_text',
  'output_reasoning',
  'images',
  'videos',
  'amount_micro',
  'credits_micro',
  'ttft_calls',
  'ttft_ms',
];

/**
 * Adds up the hours of `spans` (account_id, starts_at, ends_at). An existing day is replaced, so
 * a repetition has no effect.
 */
const addUp = (spans: string): string => `
  insert into usage_daily (account_id, starts_at, ends_at, ${[...KEY, ...SUMS].join(', ')})
  select span.account_id, span.starts_at, span.ends_at, ${KEY.join(', ')},
    ${SUMS.map((name) => `sum(${name})`).join(', ')}
  from ${spans} as span cross join lateral (
    select * from usage_hourly
    where account_id = span.account_id and hour >= span.starts_at and hour < span.ends_at offset 0) as hours
  group by span.account_id, span.starts_at, span.ends_at, ${KEY.join(', ')}
  on conflict (account_id, starts_at, ${KEY.join(', ')}) do update set
    ${SUMS.map((name) => `${name} = excluded.${name}`).join(', ')}`;

/** Accounts with hours before $2 that are in no day, among the next ones after $1. */
const FIND_DUE = `
  with next as (
    select id, days_closed_to from accounts where id > $1 order by id limit ${DAYS_LOOK_ACCOUNTS})
  select (select max(id) from next) as last, (select count(*) from next) as looked, array(
    select id from next where (
      select hour from usage_hourly
      where account_id = id and hour >= days_closed_to and hour < $2::timestamptz order by hour limit 1) is not null
    order by id limit ${DAYS_CLOSE_ACCOUNTS}) as due`;

const HOLD = 'select id from accounts where id = any($1::bigint[]) order by id for no key update';

/**
 * The next days of each account, up to $2. A day begins with its first whole hour and ends with its last:
 * where midnight is at half past, that hour is left out. It also ends where the account's days end for now,
 * and begins where the last ones ended: those may have been days of another time zone.
 */
const CLOSE = `
  with open as (
    select id, days_closed_to, least($2::timestamptz, date_trunc('hour',
      date_trunc('day', first.hour + interval '${DAYS_CLOSE_DAYS} days', $3), 'UTC')) as closed_to
    from accounts cross join lateral (
      select min(hour) as hour from usage_hourly
      where account_id = accounts.id and hour >= days_closed_to and hour < $2::timestamptz) as first
    where id = any($1::bigint[]) and first.hour is not null),
  hours as (
    select id, days_closed_to, closed_to, date_trunc('day', hour, $3) as midnight
    from open cross join lateral (
      select distinct hour from usage_hourly
      where account_id = id and hour >= days_closed_to and hour < closed_to offset 0) as hours),
  days as (
    select distinct id as account_id,
      greatest(days_closed_to, date_trunc('hour', midnight + interval '1 hour' - interval '1 microsecond', 'UTC'))
        as starts_at,
      least(closed_to, date_trunc('hour', date_trunc('day', midnight + interval '36 hours', $3), 'UTC')) as ends_at
    from hours),
  added as (${addUp('(select * from days where starts_at < ends_at)')})
  update accounts set days_closed_to = open.closed_to from open where accounts.id = open.id`;

export interface Closing {
  readonly timeZone: string;
  /** The end of the days that may be closed: the first moment of a day. */
  readonly toMs: number;
  /** Accounts up to this one were checked. */
  readonly afterId: number;
}

const HOUR_MS = 3_600_000;

/**
 * Closes days of a few accounts, in one transaction. Returns where to continue, or undefined if no account
 * has a day to close. Several nodes may do it at once: each does what is left.
 */
export async function closeSomeDays(database: Database, closing: Closing): Promise<number | undefined> {
  const to = new Date(Math.floor(closing.toMs / HOUR_MS) * HOUR_MS).toISOString();
  const [found] = await database.query<{ last: bigint | null; looked: bigint; due: readonly bigint[] }>(
    FIND_DUE,
    [closing.afterId, to],
  );
  assert(found !== undefined, 'a search is one row');
  const [first] = found.due;
  if (first !== undefined) {
    await database.transaction(async (transaction) => {
      await transaction.query(HOLD, [found.due]);
      await transaction.query(CLOSE, [found.due, to, closing.timeZone]);
    });
    // It may have more days than are closed at once.
    return idNumber(first) - 1;
  }
  return found.last === null || found.looked < DAYS_LOOK_ACCOUNTS ? undefined : idNumber(found.last);
}

/** The days that contain one of the hours. An hour in no day is always read as an hour. */
const ADD_UP_AGAIN = addUp(`(
  select distinct late.account_id, day.starts_at, day.ends_at
  from unnest($1::bigint[], $2::timestamptz[]) as late(account_id, hour) cross join lateral (
    select starts_at, ends_at from usage_daily
    where account_id = late.account_id and starts_at <= late.hour order by starts_at desc limit 1) as day
  where late.hour < day.ends_at)`);

/**
 * Adds up again the closed days of these calls, after their hours are written and the accounts are
 * locked. This is rare: a call that ended long after its day, or a node that was away.
 */
export async function addToClosedDays(
  transaction: Database,
  calls: readonly CallRecord[],
  closedTo: (accountId: number) => number,
): Promise<void> {
  const late = calls.filter(({ accountId, createdAtMs }) => createdAtMs < closedTo(accountId));
  if (late.length === 0) return;
  const hours = new Map(late.map((call) => [`${call.accountId} ${toHour(call)}`, call]));
  const values = [[...hours.values()].map(({ accountId }) => accountId), [...hours.values()].map(toHour)];
  await transaction.query(ADD_UP_AGAIN, values);
}

function toHour({ createdAtMs }: CallRecord): string {
  return new Date(Math.floor(createdAtMs / HOUR_MS) * HOUR_MS).toISOString();
}
