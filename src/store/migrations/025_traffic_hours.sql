-- Calls of all accounts by the hour (UTC) and the HTTP status, for the operator's overview. A trigger on usage_hourly
-- keeps it, because nodes of the version before, which know nothing of it, settle calls beside new ones. The lane
-- only spreads writers: settlers would otherwise wait for each other's rows.
create table traffic_hourly (
  hour timestamptz not null,
  status int not null,
  lane int not null,
  calls bigint not null,
  -- Not served as asked for; a client that left is no failure.
  failed bigint not null,
  byok_calls bigint not null,
  -- Covered by subscriptions.
  covered_micro bigint not null,
  primary key (hour, status, lane)
) with (fillfactor = 70);

create function add_to_traffic_hourly() returns trigger language plpgsql as $$
declare
  own_lane int := pg_backend_pid() % 4;
begin
  -- Inserted and updated hours come separately, and so in no common order: a settler has its lane for itself.
  perform pg_advisory_xact_lock(hashtext('traffic_hourly'), own_lane);
  if tg_op = 'INSERT' then
    insert into traffic_hourly
    select hour, status, own_lane, sum(calls), sum(failed), coalesce(sum(calls) filter (where payer = 'byok'), 0),
      coalesce(sum(amount_micro) filter (where payer = 'subscription'), 0)
    from changed group by hour, status
    on conflict (hour, status, lane) do update set calls = traffic_hourly.calls + excluded.calls,
      failed = traffic_hourly.failed + excluded.failed, byok_calls = traffic_hourly.byok_calls + excluded.byok_calls,
      covered_micro = traffic_hourly.covered_micro + excluded.covered_micro;
  else
    insert into traffic_hourly
    select hour, status, own_lane, sum(calls), sum(failed), coalesce(sum(calls) filter (where payer = 'byok'), 0),
      coalesce(sum(amount_micro) filter (where payer = 'subscription'), 0)
    from (select hour, status, payer, calls, failed, amount_micro from changed
          union all
          select hour, status, payer, -calls, -failed, -amount_micro from former) as differences
    group by hour, status
    on conflict (hour, status, lane) do update set calls = traffic_hourly.calls + excluded.calls,
      failed = traffic_hourly.failed + excluded.failed, byok_calls = traffic_hourly.byok_calls + excluded.byok_calls,
      covered_micro = traffic_hourly.covered_micro + excluded.covered_micro;
  end if;
  return null;
end
$$;
create trigger usage_hourly_inserted after insert on usage_hourly referencing new table as changed
  for each statement execute function add_to_traffic_hourly();
create trigger usage_hourly_updated after update on usage_hourly
  referencing old table as former new table as changed
  for each statement execute function add_to_traffic_hourly();

insert into traffic_hourly
select hour, status, 0, sum(calls), sum(failed), coalesce(sum(calls) filter (where payer = 'byok'), 0),
  coalesce(sum(amount_micro) filter (where payer = 'subscription'), 0)
from usage_hourly group by hour, status;
