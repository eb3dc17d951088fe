-- The call log, the consumption log and the ledger. Money is bigint micro-units: micro-yuan, or micro-Credits
-- where a column says credits (or charge, shortfall). Logs are partitioned by month (UTC) of created_at, which
-- is the call's own time, so that a call has the same key however often it is settled.

create sequence calls_id_seq as bigint;
create table calls (
  id bigint not null default nextval('calls_id_seq'),
  call_id text not null,
  created_at timestamptz not null,
  account_id bigint not null,
  key_id bigint not null,
  key_name text not null,
  model_asked text not null,
  model_used text not null,
  route_id bigint,
  vendor text,
  protocol_in text not null,
  protocol_out text,
  stream boolean not null,
  status int not null,
  error_code int,
  -- Usage in buckets that do not overlap (kernel/usage.ts).
  input_fresh bigint not null check (input_fresh >= 0),
  cache_read bigint not null check (cache_read >= 0),
  cache_write bigint not null check (cache_write >= 0),
  output_text bigint not null check (output_text >= 0),
  output_reasoning bigint not null check (output_reasoning >= 0),
  images bigint not null check (images >= 0),
  videos bigint not null check (videos >= 0),
  estimated boolean not null,
  payer text not null check (payer in ('byok', 'subscription', 'credits', 'none')),
  -- Prices and rates of this call, amounts as texts. Never changed: spec 2.5.
  price jsonb,
  amount_micro bigint not null check (amount_micro >= 0),
  charge_micro bigint not null check (charge_micro >= 0),
  free_reason text,
  verdict text not null,
  attempts jsonb not null,
  held_micro bigint not null check (held_micro >= 0),
  ttfb_ms int,
  duration_ms int not null,
  dropped_fields jsonb not null,
  primary key (created_at, call_id)
) partition by range (created_at);
create index calls_account on calls (account_id, created_at desc);

create sequence consumptions_id_seq as bigint;
create table consumptions (
  id bigint not null default nextval('consumptions_id_seq'),
  call_id text not null,
  created_at timestamptz not null,
  account_id bigint not null,
  -- The month of the spending cap it counts in, in TOLLGATE_TIMEZONE at the time.
  month text not null,
  -- The price of the call in micro-yuan.
  amount_micro bigint not null check (amount_micro >= 0),
  -- What of it was really paid: less than the amount when there is a shortfall.
  spent_micro bigint not null check (spent_micro between 0 and amount_micro),
  credits_micro bigint not null check (credits_micro >= 0),
  shortfall_micro bigint not null check (shortfall_micro >= 0),
  receipt jsonb not null,
  primary key (created_at, call_id)
) partition by range (created_at);
create index consumptions_account on consumptions (account_id, created_at desc);

-- One row: logs older than this were dropped, so nothing may be concluded from their absence.
create table log_retention (
  id boolean primary key default true check (id),
  kept_from timestamptz not null default '-infinity'
);
insert into log_retention default values;

create sequence ledger_transaction_seq as bigint;
-- Double entry: what enters or leaves an account leaves or enters the platform's side, so within a transaction
-- the changes of each kind and pool sum to zero. The platform's side is one row per kind and pool with neither
-- account nor running total: it is a sum over all accounts, and a total would make every settlement wait for
-- every other one.
create table ledger_entries (
  id bigint generated always as identity primary key,
  transaction_id bigint not null,
  -- Written only while the account's row is locked, so a foreign key would prove it twice, for a third of the time.
  account_id bigint,
  -- 1, 2, 3 … for each account.
  seq bigint check (seq > 0),
  kind text not null check (kind in ('top_up', 'exchange', 'consumption', 'grant', 'adjustment')),
  pool text not null check (pool in ('balance', 'credits')),
  change_micro bigint not null,
  after_micro bigint check (after_micro >= 0),
  -- The call id of a consumption, or what an operator gave as the reason.
  ref text not null,
  -- The time of that call, which with its id is the key of the logs; nothing when there is no call.
  call_at timestamptz,
  created_at timestamptz not null default now(),
  check ((account_id is null) = (seq is null) and (account_id is null) = (after_micro is null))
);
create unique index ledger_entries_chain on ledger_entries (account_id, seq);
create index ledger_entries_transaction on ledger_entries (transaction_id);
-- A call is charged once, whatever happens to the logs.
create unique index ledger_entries_charge on ledger_entries (ref)
  where kind = 'consumption' and account_id is not null;

create function refuse_ledger_change() returns trigger language plpgsql as $$
begin
  raise exception 'ledger entries are never changed or deleted: write an adjustment';
end $$;
create trigger ledger_entries_are_final before update or delete on ledger_entries
  for each row execute function refuse_ledger_change();
create trigger ledger_entries_are_kept before truncate on ledger_entries
  for each statement execute function refuse_ledger_change();
