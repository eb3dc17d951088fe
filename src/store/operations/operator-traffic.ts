/**
 * How statements over all accounts read a long time: days where they are closed, hours elsewhere, as those
 * of one account do (logs/daily-rollup-read.ts). $1 and $2 are whole hours. The result does not depend on
 * which days are closed.
 */

/** Below this length hours alone are fewer rows. */
const DAYS_FROM_MS = 2 * 86_400_000;

export function hasRoomForDays({
  fromMs,
  toMs,
}: {
  readonly fromMs: number;
  readonly toMs: number;
}): boolean {
  return toMs - fromMs >= DAYS_FROM_MS;
}

/** No day is as long as this, so a day that overlaps the time begins at most so long before it. */
const DAY_MAX = "interval '2 days'";

/** Days that lie inside the time. */
export const WHOLE_DAYS = 'starts_at >= $1 and ends_at <= $2';
/** Those that no edge in $3 divides. */
export const UNDIVIDED_DAYS = `${WHOLE_DAYS}
  and width_bucket(starts_at, $3::timestamptz[]) = width_bucket(ends_at - interval '1 microsecond', $3::timestamptz[])`;
/** Also those that lie inside in part, for readers of their hours. */
export const TOUCHED_DAYS = 'ends_at > $1';

/** `day_rows` are the days that match, `hour_rows` all hours of accounts that are in none of them. */
export const withDays = (days: string, columns: string): string => `
  with day_rows as materialized (
    select account_id, starts_at, ends_at, ${columns} from traffic_daily
    where starts_at >= $1::timestamptz - ${DAY_MAX} and starts_at < $2::timestamptz and ${days}),
  gaps as materialized (
    select account_id, lo, hi from (
      select account_id, coalesce(lag(ends_at) over (partition by account_id order by starts_at), $1::timestamptz)
        as lo, starts_at as hi from day_rows
      union all
      select id, coalesce(closed_to, $1::timestamptz), $2::timestamptz from accounts
      left join (select account_id, max(ends_at) as closed_to from day_rows group by 1) as last on account_id = id)
      as between_days
    where lo < hi),
  hour_rows as materialized (
    select gaps.account_id, hour, status, calls, failed, amount_micro, credits_micro,
      case when payer = 'byok' then calls else 0 end as byok_calls,
      case when payer = 'subscription' then amount_micro else 0 end as covered_micro
    from gaps cross join lateral (
      select * from usage_hourly
      where account_id = gaps.account_id and hour >= gaps.lo and hour < gaps.hi offset 0) as each)`;

/** The same columns from hours alone. */
export const WITH_HOURS = `
  with hour_rows as materialized (
    select account_id, hour, status, calls, failed, amount_micro, credits_micro,
      case when payer = 'byok' then calls else 0 end as byok_calls,
      case when payer = 'subscription' then amount_micro else 0 end as covered_micro
    from usage_hourly where hour >= $1 and hour < $2)`;
