-- What operators did, and what they look at: the audit log, and what each credential of the platform costs.

create table audit_log (
  id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  -- Nothing: somebody at the terminal of the server.
  actor_account_id bigint references accounts (id),
  address text not null,
  -- `vendors.update`: the name of the endpoint, or of the command.
  action text not null,
  entity text not null,
  entity_key text not null,
  -- As the operator sees them; of a secret only the last characters. Nothing before: it was created.
  before jsonb,
  after jsonb
);
create index audit_log_actor on audit_log (actor_account_id, id);
create index audit_log_entity on audit_log (entity, entity_key, id);

create function refuse_audit_change() returns trigger language plpgsql as $$
begin
  raise exception 'the audit log is never changed or deleted';
end $$;
create trigger audit_log_is_final before update or delete on audit_log
  for each row execute function refuse_audit_change();
create trigger audit_log_is_kept before truncate on audit_log
  for each statement execute function refuse_audit_change();

-- Which credential of the platform served ('' for the users' own), what was really paid for it in micro-yuan,
-- and what it cost: the list price at the rates of route, vendor and credential, without those of the seller
-- (docs/platform.md). Hours whose calls are still in the log are added up anew.
alter table model_hourly add column credential text not null default '';
alter table model_hourly add column spent_micro bigint not null default 0 check (spent_micro >= 0);
alter table model_hourly add column cost_micro bigint not null default 0 check (cost_micro >= 0);
alter table model_hourly drop constraint model_hourly_pkey;
alter table model_hourly add primary key (hour, model_id, vendor, credential, lane);

create function call_cost_micro(call calls) returns bigint language sql immutable as $$
  select case when call.price is null or call.payer = 'byok' then 0 else div(
    ((call.input_fresh * (prices ->> 'inputMicro')::numeric
      + call.cache_read * coalesce(prices ->> 'cacheInputMicro', prices ->> 'inputMicro')::numeric
      + call.cache_write * coalesce(prices ->> 'cacheWriteMicro', prices ->> 'inputMicro')::numeric
      + (call.output_text + call.output_reasoning) * coalesce(
          case when call.cache_read > 0 then prices ->> 'cacheOutputMicro' end, prices ->> 'outputMicro')::numeric)
      + (call.images * (prices ->> 'imageMicro')::numeric + call.videos * (prices ->> 'videoMicro')::numeric)
        * 1000000)
      * (rates ->> 'rateMultiplierMicro')::numeric * (rates ->> 'vendorMicro')::numeric
      * (rates ->> 'credentialMicro')::numeric,
    -- Tokens of a price, the multiplier's one, and twice a hundred in micro-units.
    1e6 * 1e6 * 1e8 * 1e8) end::bigint
  from (select call.price -> 'prices' as prices, call.price -> 'rates' as rates) each
$$;

delete from model_hourly where hour >= (select kept_from from log_retention);
insert into model_hourly
  (hour, model_id, vendor, credential, lane, calls, failed, input_tokens, output_tokens, images, amount_micro,
   credits_micro, spent_micro, cost_micro, ttft_calls, ttft_ms, speed_calls, speed_tokens, speed_ms)
select date_trunc('hour', created_at, 'UTC'), model_used, vendor,
  case when payer = 'byok' then '' else coalesce(attempts -> -1 ->> 'credential', '') end, 0,
  count(*), count(*) filter (where verdict not in ('complete', 'cut-by-client')),
  sum(input_fresh + cache_read + cache_write), sum(output_text + output_reasoning), sum(images),
  sum(calls.amount_micro), sum(coalesce(credits_micro, 0)), sum(coalesce(spent_micro, 0)), sum(cost_micro),
  count(*) filter (where stream and ttfb_ms is not null),
  coalesce(sum(ttfb_ms) filter (where stream and ttfb_ms is not null), 0),
  count(*) filter (where is_timed),
  coalesce(sum(output_text + output_reasoning) filter (where is_timed), 0),
  coalesce(sum(duration_ms - ttfb_ms) filter (where is_timed), 0)
from (select *, call_cost_micro(calls) as cost_micro,
        coalesce(stream and verdict = 'complete' and not estimated and duration_ms > ttfb_ms
          and output_text + output_reasoning > 0, false) as is_timed from calls) calls
left join consumptions using (created_at, call_id)
where price is not null and vendor is not null group by 1, 2, 3, 4;
drop function call_cost_micro(calls);

-- The overview sums a period over all accounts. Rows come in the order of their hours, so a few bytes for each
-- range of pages tell which of them a period is in.
create index usage_hourly_hour on usage_hourly using brin (hour) with (pages_per_range = 32, autosummarize = on);
