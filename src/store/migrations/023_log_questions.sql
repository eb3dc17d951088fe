-- Calls that ended otherwise than well are few among all, and are looked for by what went wrong. Roll-ups know
-- neither verdicts nor error codes. A call that was served as asked for is in none of these indexes.
create index calls_verdict on calls (verdict, created_at, id) where verdict <> 'complete';
create index calls_account_verdict on calls (account_id, verdict, created_at, id) where verdict <> 'complete';
create index calls_error_code on calls (error_code, created_at, id) where error_code is not null;
create index calls_account_error_code on calls (account_id, error_code, created_at, id)
  where error_code is not null;
create index calls_status on calls (status, created_at, id) where status <> 200;

-- Closed days of each account without its models and keys: what operators look at is summed over all accounts, and
-- this is a small part of usage_daily. Whatever writes a day there also writes it here.
create table traffic_daily (
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  account_id bigint not null,
  calls bigint not null,
  failed bigint not null,
  byok_calls bigint not null,
  -- Covered by subscriptions.
  covered_micro bigint not null,
  amount_micro bigint not null,
  credits_micro bigint not null,
  -- Statuses from 400 on, and how many calls each has.
  error_statuses int[] not null,
  error_calls bigint[] not null,
  -- The hours that have calls, and the same sums of each.
  hours timestamptz[] not null,
  hour_calls bigint[] not null,
  hour_failed bigint[] not null,
  hour_byok_calls bigint[] not null,
  hour_covered_micro bigint[] not null,
  primary key (starts_at, account_id)
);

create function add_up_traffic(account_ids bigint[], starts timestamptz[], ends timestamptz[]) returns void
language sql as $$
  insert into traffic_daily (starts_at, ends_at, account_id, calls, failed, byok_calls, covered_micro, amount_micro,
    credits_micro, error_statuses, error_calls, hours, hour_calls, hour_failed, hour_byok_calls, hour_covered_micro)
  select day.starts_at, day.ends_at, day.account_id, sums.*, errors.*, listed.*
  from unnest(account_ids, starts, ends) as day(account_id, starts_at, ends_at)
  cross join lateral (
    select sum(calls), sum(failed), coalesce(sum(calls) filter (where payer = 'byok'), 0),
      coalesce(sum(amount_micro) filter (where payer = 'subscription'), 0), sum(amount_micro), sum(credits_micro)
    from usage_hourly
    where account_id = day.account_id and hour >= day.starts_at and hour < day.ends_at having count(*) > 0) as sums
  cross join lateral (
    select coalesce(array_agg(status), '{}'), coalesce(array_agg(calls), '{}') from (
      select status, sum(calls) as calls from usage_hourly
      where account_id = day.account_id and hour >= day.starts_at and hour < day.ends_at and status >= 400
      group by status) as by_status) as errors
  cross join lateral (
    select array_agg(hour), array_agg(calls), array_agg(failed), array_agg(byok_calls), array_agg(covered_micro) from (
      select hour, sum(calls) as calls, sum(failed) as failed,
        coalesce(sum(calls) filter (where payer = 'byok'), 0) as byok_calls,
        coalesce(sum(amount_micro) filter (where payer = 'subscription'), 0) as covered_micro
      from usage_hourly
      where account_id = day.account_id and hour >= day.starts_at and hour < day.ends_at group by hour) as by_hour)
    as listed
  on conflict (starts_at, account_id) do update set ends_at = excluded.ends_at, calls = excluded.calls,
    failed = excluded.failed, byok_calls = excluded.byok_calls, covered_micro = excluded.covered_micro,
    amount_micro = excluded.amount_micro, credits_micro = excluded.credits_micro,
    error_statuses = excluded.error_statuses, error_calls = excluded.error_calls, hours = excluded.hours,
    hour_calls = excluded.hour_calls, hour_failed = excluded.hour_failed,
    hour_byok_calls = excluded.hour_byok_calls, hour_covered_micro = excluded.hour_covered_micro
$$;

create function follow_usage_daily() returns trigger language plpgsql as $$
begin
  perform add_up_traffic(array_agg(account_id), array_agg(starts_at), array_agg(ends_at))
  from (select distinct account_id, starts_at, ends_at from changed) as days;
  return null;
end
$$;
create trigger usage_daily_inserted after insert on usage_daily referencing new table as changed
  for each statement execute function follow_usage_daily();
create trigger usage_daily_updated after update on usage_daily referencing new table as changed
  for each statement execute function follow_usage_daily();

select add_up_traffic(array_agg(account_id), array_agg(starts_at), array_agg(ends_at))
from (select distinct account_id, starts_at, ends_at from usage_daily) as days;
