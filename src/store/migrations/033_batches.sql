-- Batches: many requests in one job of a vendor, at a rate of the model's prices. Versions before charge none.
alter table models add column batch_rate_micro bigint not null default 100000000
  check (batch_rate_micro >= 0);

-- Two more kinds of jobs.
alter table jobs drop constraint jobs_kind_check;
alter table jobs add constraint jobs_kind_check
  check (kind in ('video', 'batch', 'message-batch')) not valid;

-- Files that an account has at a vendor. Their bytes are the vendor's; what is here says whose they are.
create table files (
  account_id bigint not null references accounts (id),
  -- The vendor's id of the file.
  object_id text not null,
  created_at timestamptz not null,
  -- Only this credential knows the file; `own` if it belongs to the account.
  route_id bigint not null,
  credential text not null,
  own boolean not null,
  -- The platform's name of the model that its lines name.
  model text not null,
  -- The protocol of its lines, how many there are, and the most that they may use.
  protocol text not null,
  items bigint not null check (items >= 0),
  input_tokens bigint not null check (input_tokens >= 0),
  output_tokens bigint not null check (output_tokens >= 0),
  -- The vendor's id of the batch that wrote it; null for a file of the client.
  batch_id text,
  primary key (account_id, object_id)
);
create index files_list on files (account_id, created_at, object_id);
create index files_old on files (created_at);
