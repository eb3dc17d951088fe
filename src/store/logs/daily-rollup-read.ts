/**
 * How a statement reads an account's usage over a time: whole days where they are closed, hours elsewhere.
 * The result does not depend on which days are closed.
 */
interface Span {
  /** Expressions; the account is $1. */
  readonly from: string;
  readonly to: string;
  /** Moments that divide the range: a day that contains one of them is read by its hours. */
  readonly edges?: string;
}

/** Common table expressions: `day_rows` are the whole days, `gaps` the times between them. */
export function daysAndGaps({ from, to, edges }: Span): string {
  const uncut =
    edges === undefined
      ? ''
      : `and width_bucket(starts_at, ${edges}) = width_bucket(ends_at - interval '1 microsecond', ${edges})`;
  return `
    day_rows as materialized (
      select * from usage_daily where account_id = $1 and starts_at >= ${from} and ends_at <= ${to} ${uncut}),
    gaps as materialized (
      select lo, hi from (
        select coalesce(lag(ends_at) over (order by starts_at), ${from}) as lo, starts_at as hi
        from (select distinct starts_at, ends_at from day_rows) as closed
        union all
        select coalesce(max(ends_at), ${from}), ${to} from day_rows) as between_days
      where lo < hi)`;
}

/** The hours of the gaps that match a condition, as `hours`; each gap is a separate index scan. */
export function hoursOfGaps(condition: string): string {
  return `gaps cross join lateral (
    select * from usage_hourly
    where account_id = $1 and hour >= gaps.lo and hour < gaps.hi and ${condition} offset 0) as hours`;
}
