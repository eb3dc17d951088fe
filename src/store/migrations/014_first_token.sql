-- Time to the first token of an account's streams, hour by hour and day by day, as model_hourly has it of all accounts.
alter table usage_hourly
  -- Streams that got a first token, and their milliseconds until it.
  add column ttft_calls bigint not null default 0 check (ttft_calls >= 0),
  add column ttft_ms bigint not null default 0 check (ttft_ms >= 0);
alter table usage_daily
  add column ttft_calls bigint not null default 0 check (ttft_calls >= 0),
  add column ttft_ms bigint not null default 0 check (ttft_ms >= 0);

-- Calls from before, as far as the log has them. Hours come first: days are their sums.
update usage_hourly usage set ttft_calls = timed.calls, ttft_ms = timed.ms
from (select account_id, date_trunc('hour', created_at, 'UTC') as hour, model_used, key_id, protocol_in, status,
        payer, case when payer = 'byok' then coalesce(attempts -> -1 ->> 'credential', '') else '' end as credential,
        count(*) as calls, sum(ttfb_ms) as ms
      from calls where stream and ttfb_ms is not null group by 1, 2, 3, 4, 5, 6, 7, 8) timed
where usage.account_id = timed.account_id and usage.hour = timed.hour and usage.model_id = timed.model_used
  and usage.key_id = timed.key_id and usage.protocol = timed.protocol_in and usage.status = timed.status
  and usage.payer = timed.payer and usage.credential = timed.credential;

update usage_daily daily set ttft_calls = hours.calls, ttft_ms = hours.ms
from (select day.account_id, day.starts_at, model_id, key_id, protocol, status, payer, credential,
        sum(ttft_calls) as calls, sum(ttft_ms) as ms
      from (select distinct account_id, starts_at, ends_at from usage_daily) as day
      join usage_hourly using (account_id)
      where hour >= starts_at and hour < ends_at and ttft_calls > 0 group by 1, 2, 3, 4, 5, 6, 7, 8) hours
where daily.account_id = hours.account_id and daily.starts_at = hours.starts_at and daily.model_id = hours.model_id
  and daily.key_id = hours.key_id and daily.protocol = hours.protocol and daily.status = hours.status
  and daily.payer = hours.payer and daily.credential = hours.credential;
