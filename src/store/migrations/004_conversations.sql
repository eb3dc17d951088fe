-- What the gateway remembers of conversations between calls (docs/conversations.md): answers of Responses, and
-- what a client's protocol has no field for. Values are compressed, then sealed for their account and key.

create table conversations (
  account_id bigint not null references accounts (id) on delete cascade,
  -- SHA-256 of the key: ids of vendors and clients may be of any length and script.
  key_hash bytea not null check (octet_length(key_hash) = 32),
  sealed bytea not null,
  bytes int not null check (bytes > 0),
  created_at timestamptz not null,
  primary key (account_id, key_hash)
);
-- Sealed bytes do not compress, so nobody should try.
alter table conversations alter column sealed set storage external;
create index conversations_age on conversations (created_at);
create index conversations_account on conversations (account_id, created_at desc) include (bytes);
