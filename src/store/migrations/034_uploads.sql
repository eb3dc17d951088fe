-- Uploads whose vendor may have the file before `files` has it. What nobody waits for any more is looked for at
-- the vendor and deleted there. Versions before note none.
create table uploads (
  -- The id of the request.
  id text primary key,
  -- Without a reference, because a restore empties accounts and leaves this table out.
  account_id bigint not null,
  noted_at timestamptz not null,
  -- The vendor's credential; `own` if it belongs to the account.
  credential text not null,
  own boolean not null,
  -- SHA-256 of the file's name, and its length, as the vendor has them.
  name_hash text not null,
  bytes bigint not null check (bytes >= 0),
  -- Until then its process waits for the vendor, or the node that looks for the file has time for it.
  due_at timestamptz not null,
  -- It is lost: the file is deleted wherever it turns up.
  lost boolean not null default false
);
create index uploads_due on uploads (due_at);
