-- What operators write down about an account, for each other. Its owner never sees it.
create table account_notes (
  id bigint generated always as identity primary key,
  account_id bigint not null references accounts (id),
  -- Nothing: written at the terminal.
  author_account_id bigint references accounts (id),
  text text not null check (char_length(text) between 1 and 4000),
  created_at timestamptz not null default now()
);
create index account_notes_account on account_notes (account_id, id desc);
