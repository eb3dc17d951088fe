-- The entries of balances alone. They are few among those of Credits, so the places of both are counted with them.
create index ledger_entries_balance on ledger_entries (account_id, seq)
  where pool = 'balance' and account_id is not null;
