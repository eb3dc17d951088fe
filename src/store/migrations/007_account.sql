-- What an account manages of itself: when its keys were used last, and its verification.

-- To the minute, by the time of the call. Settling writes it, so the page of the keys need not look for calls.
alter table api_keys add column last_used_at timestamptz;
update api_keys set last_used_at = used.hour
from (select key_id, max(hour) as hour from usage_hourly group by key_id) used where used.key_id = api_keys.id;

create table verifications (
  id bigint generated always as identity primary key,
  account_id bigint not null references accounts (id),
  kind text not null check (kind in ('personal', 'enterprise')),
  -- {"name", "document_number", "contact"}: what the person says, for an operator to judge.
  fields jsonb not null,
  status text not null default 'pending' check (status in ('pending', 'approved', 'refused')),
  -- Why it was refused.
  reason text,
  -- Free Credits that the approval gave.
  granted_micro bigint not null default 0 check (granted_micro >= 0),
  created_at timestamptz not null default now(),
  decided_at timestamptz,
  -- Nothing: it is undecided, or was decided at the terminal of the server.
  decided_by bigint references accounts (id),
  check ((status = 'pending') = (decided_at is null))
);
create index verifications_account on verifications (account_id, id);
-- An account waits for one decision at a time; operators look through these.
create unique index verifications_pending on verifications (account_id) where status = 'pending';
