-- Corrections of past charges (`tollgate reprice`): adjustments that name their call. There are few of them.
create index ledger_entries_correction on ledger_entries (account_id, ref)
  where kind = 'adjustment' and call_at is not null and account_id is not null;
