-- Changes of an account and of what it owns: store/operations/audit.ts asks by this expression.
create index audit_log_account on audit_log ((coalesce(after ->> 'account_id', before ->> 'account_id',
  case when entity in ('accounts', 'funds', 'sessions') then entity_key end)), id);
