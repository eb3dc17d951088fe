-- Links that were mailed: to confirm an address, or to choose a new password. Only the hash of a token is here.
create table account_tokens (
  token_hash text primary key,
  account_id bigint not null references accounts (id),
  purpose text not null check (purpose in ('verify', 'reset')),
  -- The address that it was sent to. The link is void when the account has another.
  email text not null,
  expires_at timestamptz not null,
  -- A new link replaces the one before.
  unique (account_id, purpose)
);
create index account_tokens_end on account_tokens (expires_at);
