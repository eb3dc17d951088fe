-- Jobs: work of a vendor that outlives the call which created it. The price of the call is held until the job
-- ends; then the call is written to the logs, complete or void. Versions before settle such calls at once.
create table jobs (
  call_id text primary key,
  account_id bigint not null references accounts (id),
  kind text not null check (kind in ('video')),
  -- The vendor's id of the job.
  object_id text not null,
  -- Only this credential knows the job; `own` if it belongs to the account.
  route_id bigint not null,
  credential text not null,
  own boolean not null,
  -- The platform's name of the model.
  model text not null,
  -- The time of the call.
  created_at timestamptz not null,
  state text not null default 'running' check (state in ('running', 'complete', 'void')),
  ended_at timestamptz,
  -- Deleted by the client.
  hidden boolean not null default false,
  -- When a vendor is asked about it next; while it is being asked, when another node may.
  examine_at timestamptz not null,
  -- The record of the call, as in the journal. A text, because it may contain what jsonb refuses.
  record text not null,
  -- What was taken: micro-Credits, the micro-yuan that count in the month, and those exchanged for it.
  held_micro bigint not null check (held_micro >= 0),
  month text not null,
  spent_micro bigint not null check (spent_micro >= 0),
  exchanged_micro bigint not null check (exchanged_micro >= 0),
  unique (account_id, object_id),
  check ((state = 'running') = (ended_at is null))
) with (fillfactor = 70);
create index jobs_due on jobs (examine_at) where state = 'running';
create index jobs_list on jobs (account_id, kind, created_at, call_id) where not hidden;
create index jobs_ended on jobs (ended_at) where state <> 'running';

-- What is held for a job, and returned when it ends. All rows so far have one of the other kinds, so they
-- need not be read again.
alter table ledger_entries drop constraint ledger_entries_kind_check;
alter table ledger_entries add constraint ledger_entries_kind_check
  check (kind in ('top_up', 'exchange', 'consumption', 'grant', 'adjustment', 'hold')) not valid;
create index ledger_entries_hold on ledger_entries (account_id, ref)
  where kind = 'hold' and account_id is not null;
