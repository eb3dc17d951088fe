-- Logins: sessions, what failed, where accounts were entered from, and the first operator's token. No secret of
-- a session stands here, only its SHA-256.

create table sessions (
  id text primary key,
  account_id bigint not null references accounts (id),
  -- `token`: access and refresh tokens of a program; `cookie`: a browser of the console.
  kind text not null check (kind in ('token', 'cookie')),
  -- Of the refresh token or cookie in use. One that was used before differs: its use ends the session.
  secret_hash text not null,
  created_at timestamptz not null,
  used_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz,
  -- For the owner, who wants to know which session is which.
  address text not null,
  user_agent text not null
) with (fillfactor = 80);
create index sessions_account on sessions (account_id, created_at);
create index sessions_end on sessions (expires_at);

-- Failed logins, counted for an account, an address, or both; names are marks, not mailboxes.
create table login_failures (
  scope text primary key,
  failures int not null check (failures >= 0),
  blocked_until timestamptz not null,
  forgotten_at timestamptz not null
) with (fillfactor = 70);
create index login_failures_end on login_failures (forgotten_at);

-- From where an account was entered with its password: strangers who guess cannot lock these out.
create table login_addresses (
  account_id bigint not null references accounts (id),
  address_mark text not null,
  used_at timestamptz not null,
  primary key (account_id, address_mark)
);

-- One row: what operators set for the whole platform. Nothing: the configuration decides.
create table platform_settings (
  id boolean primary key default true check (id),
  registration text check (registration in ('open', 'closed'))
);
insert into platform_settings default values;

-- At most one row: the hash of the token that makes the first operator.
create table setup_token (
  id boolean primary key default true check (id),
  token_hash text not null,
  expires_at timestamptz not null
);
