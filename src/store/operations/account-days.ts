/**
 * How a statement that compares all accounts reads a long time: days where they are closed, hours elsewhere,
 * as those of one account do (logs/daily-rollup-read.ts). $1 and $2 are whole hours. The result does not
 * depend on which days are closed.
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

const COLUMNS = 'calls, failed, amount_micro, credits_micro';

/** `day_rows` are the days inside the time, `hour_rows` all hours of accounts that are in none of them. */
export const WITH_DAYS = `
  with day_rows as materialized (
    select account_id, starts_at, ends_at, ${COLUMNS} from traffic_daily
    where starts_at >= $1::timestamptz and starts_at < $2::timestamptz and ends_at <= $2),
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
    select gaps.account_id, ${COLUMNS} from gaps cross join lateral (
      select * from usage_hourly
      where account_id = gaps.account_id and hour >= gaps.lo and hour < gaps.hi offset 0) as each)`;

/** The same columns from hours alone. */
export const WITH_HOURS = `
  with hour_rows as materialized (
    select account_id, ${COLUMNS} from usage_hourly where hour >= $1 and hour < $2)`;
