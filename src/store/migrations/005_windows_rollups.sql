-- What a restart must not forget, what statistics and rankings are read from, and who is alive. Roll-ups are
-- written by the transaction that settles the calls, so at any moment they are the sums of the call log.

-- Windows of a gate in memory, as far as settled calls have used them. A newer window replaces an older one.
create table gate_windows (
  -- `account:12`, `key:34`, `subscription:56`.
  scope text not null,
  dimension text not null check (dimension in ('requests', 'tokens', 'images', 'videos', 'amount')),
  seconds bigint not null check (seconds > 0),
  started_at timestamptz not null,
  ends_at timestamptz not null,
  -- A count, or micro-yuan for `amount`.
  used bigint not null check (used >= 0),
  primary key (scope, dimension, seconds),
  check (ends_at = started_at + seconds * interval '1 second')
) with (fillfactor = 70);
create index gate_windows_end on gate_windows (ends_at);

-- One account's calls, hour by hour (UTC). Everything a page of the logs can be filtered by is in the key, so
-- that its total, and the hours a far page begins in, are sums over few rows instead of a walk over the log.
create table usage_hourly (
  account_id bigint not null,
  hour timestamptz not null,
  -- The model that served, or was asked for when none did.
  model_id text not null,
  key_id bigint not null,
  protocol text not null,
  status int not null,
  -- What a subscription covered is the amount of its calls.
  payer text not null,
  -- The account's own credential of a BYOK call; '' for all others.
  credential text not null,
  calls bigint not null check (calls > 0),
  -- Not served as asked for; a client that left is no failure.
  failed bigint not null check (failed >= 0),
  input_fresh bigint not null check (input_fresh >= 0),
  cache_read bigint not null check (cache_read >= 0),
  cache_write bigint not null check (cache_write >= 0),
  output_text bigint not null check (output_text >= 0),
  output_reasoning bigint not null check (output_reasoning >= 0),
  images bigint not null check (images >= 0),
  videos bigint not null check (videos >= 0),
  amount_micro bigint not null check (amount_micro >= 0),
  -- What was really taken.
  credits_micro bigint not null check (credits_micro >= 0),
  primary key (account_id, hour, model_id, key_id, protocol, status, payer, credential)
) with (fillfactor = 70);

-- All accounts' calls that reached a vendor, for rankings and the operator's overview. The lane only spreads
-- writers: settlers of several processes would otherwise wait for each other's row.
create table model_hourly (
  hour timestamptz not null,
  model_id text not null,
  vendor text not null,
  lane int not null,
  calls bigint not null check (calls > 0),
  failed bigint not null check (failed >= 0),
  input_tokens bigint not null check (input_tokens >= 0),
  output_tokens bigint not null check (output_tokens >= 0),
  images bigint not null check (images >= 0),
  amount_micro bigint not null check (amount_micro >= 0),
  credits_micro bigint not null check (credits_micro >= 0),
  -- Time to the first token: of streams that got one.
  ttft_calls bigint not null check (ttft_calls >= 0),
  ttft_ms bigint not null check (ttft_ms >= 0),
  -- Tokens per second: of complete streams whose tokens the vendor counted, from the first token on.
  speed_calls bigint not null check (speed_calls >= 0),
  speed_tokens bigint not null check (speed_tokens >= 0),
  speed_ms bigint not null check (speed_ms >= 0),
  primary key (hour, model_id, vendor, lane)
) with (fillfactor = 70);

-- Who used a model on a day (UTC): distinct users of a period cannot be summed from hours.
create table model_users_daily (
  day date not null,
  model_id text not null,
  account_id bigint not null,
  primary key (day, model_id, account_id)
);

create table node_heartbeats (
  node text not null,
  -- Machine and port: two machines may bear one name, and then both are seen.
  instance text not null,
  worker int not null,
  started_at timestamptz not null,
  seen_at timestamptz not null,
  version text not null,
  active_calls bigint not null check (active_calls >= 0),
  primary key (node, instance, worker)
);

-- Pages of the logs go by (created_at, id): calls of one millisecond have an order too. One call by its id.
drop index calls_account;
create index calls_account on calls (account_id, created_at, id);
create index calls_id on calls (id);
drop index consumptions_account;
create index consumptions_account on consumptions (account_id, created_at, id);

-- Every settlement writes the account's row; with room on the page it need not touch the indexes. The number
-- of its last ledger entry stands there too, so that it need not be looked up.
alter table accounts set (fillfactor = 80);
alter table accounts add column last_seq bigint not null default 0 check (last_seq >= 0);
update accounts set last_seq = last.seq
from (select account_id, max(seq) as seq from ledger_entries group by account_id) last
where last.account_id = accounts.id;

-- Calls from before: free ones get their row in the consumption log, and everything its roll-up. The factor
-- of a free call was not written down; that of the latest charge is the best there is.
insert into consumptions
  (call_id, created_at, account_id, month, amount_micro, spent_micro, credits_micro, shortfall_micro, receipt)
select call_id, created_at, account_id, to_char(created_at at time zone 'UTC', 'YYYY-MM'), amount_micro, 0, 0, 0,
  jsonb_build_object('model', model_used, 'estimated', estimated, 'chargeMicro', '0', 'exchangedMicro', '0',
    'creditsPerYuan', coalesce(
      (select receipt -> 'creditsPerYuan' from consumptions order by created_at desc limit 1), '1000'))
from calls where price is not null and charge_micro = 0;

insert into usage_hourly
select calls.account_id, date_trunc('hour', created_at, 'UTC'), model_used, key_id, protocol_in, status, payer,
  case when payer = 'byok' then coalesce(attempts -> -1 ->> 'credential', '') else '' end,
  count(*), count(*) filter (where verdict not in ('complete', 'cut-by-client')),
  sum(input_fresh), sum(cache_read), sum(cache_write), sum(output_text), sum(output_reasoning), sum(images),
  sum(videos), sum(calls.amount_micro), sum(coalesce(credits_micro, 0))
from calls left join consumptions using (created_at, call_id) group by 1, 2, 3, 4, 5, 6, 7, 8;

insert into model_hourly
select date_trunc('hour', created_at, 'UTC'), model_used, vendor, 0,
  count(*), count(*) filter (where verdict not in ('complete', 'cut-by-client')),
  sum(input_fresh + cache_read + cache_write), sum(output_text + output_reasoning), sum(images),
  sum(calls.amount_micro), sum(coalesce(credits_micro, 0)),
  count(*) filter (where stream and ttfb_ms is not null),
  coalesce(sum(ttfb_ms) filter (where stream and ttfb_ms is not null), 0),
  count(*) filter (where is_timed),
  coalesce(sum(output_text + output_reasoning) filter (where is_timed), 0),
  coalesce(sum(duration_ms - ttfb_ms) filter (where is_timed), 0)
from (select *, coalesce(stream and verdict = 'complete' and not estimated and duration_ms > ttfb_ms
        and output_text + output_reasoning > 0, false) as is_timed from calls) calls
left join consumptions using (created_at, call_id)
where price is not null and vendor is not null group by 1, 2, 3;

insert into model_users_daily
select distinct (created_at at time zone 'UTC')::date, model_used, account_id from calls
where price is not null and vendor is not null;
