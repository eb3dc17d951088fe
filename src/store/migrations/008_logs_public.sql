-- What the pages of the logs and the public endpoints need beyond the tables of 002 and 005.

-- Totals of the consumption log, as those of the call log, come from the roll-up.
alter table usage_hourly
  -- Of the calls, those that reached a vendor: each of them has a row in the consumption log.
  add column consumed bigint not null default 0 check (consumed >= 0);
update usage_hourly usage set consumed = counted.calls
from (select account_id, date_trunc('hour', created_at, 'UTC') as hour, model_used, key_id, protocol_in, status,
        payer, case when payer = 'byok' then coalesce(attempts -> -1 ->> 'credential', '') else '' end as credential,
        count(*) as calls
      from calls where price is not null group by 1, 2, 3, 4, 5, 6, 7, 8) counted
where usage.account_id = counted.account_id and usage.hour = counted.hour and usage.model_id = counted.model_used
  and usage.key_id = counted.key_id and usage.protocol = counted.protocol_in and usage.status = counted.status
  and usage.payer = counted.payer and usage.credential = counted.credential;

-- One call of one account by its id: whoever guesses ids reads no row of another account.
drop index calls_id;
create index calls_own on calls (account_id, id);

-- Entries are written while the account is locked, so their times go up with their numbers as long as it is
-- the statement's time; the transaction's own may be from before the lock. A range of the balance log is
-- found by that order.
alter table ledger_entries alter column created_at set default statement_timestamp();

create table feedback (
  id bigint generated always as identity primary key,
  -- Nothing: it was sent without a login.
  account_id bigint references accounts (id),
  content text not null,
  contact text,
  status text not null default 'open' check (status in ('open', 'done')),
  created_at timestamptz not null default now()
);
create index feedback_status on feedback (status, id);

-- Who has sent feedback lately: spec 8 allows one in sixty seconds. Addresses are kept for an hour at most.
create table feedback_senders (
  address text primary key,
  sent_at timestamptz not null
);
create index feedback_senders_age on feedback_senders (sent_at);
