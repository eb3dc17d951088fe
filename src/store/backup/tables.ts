/**
 * What a backup contains, in the order in which a restore writes it: a row comes after the rows that it
 * refers to. A test compares the lists with a migrated database.
 */
export const BACKUP_TABLES: readonly string[] = [
  'policies',
  'catalog_settings',
  'vendors',
  'plans',
  'models',
  'nodes',
  'announcements',
  'platform_settings',
  'setup_token',
  'log_retention',
  'log_sink',
  'seal_check',
  'accounts',
  'credentials',
  'routes',
  'api_keys',
  'subscriptions',
  'verifications',
  'sessions',
  'login_failures',
  'login_addresses',
  'feedback',
  'feedback_senders',
  'account_notes',
  'alert_channels',
  'alert_settings',
  'alert_states',
  'alert_outbox',
  'alert_tasks',
  'verified_addresses',
  'account_tokens',
  'conversations',
  'jobs',
  'files',
  'gate_windows',
  'ledger_entries',
  'audit_log',
  'calls',
  'consumptions',
  'usage_hourly',
  'traffic_hourly',
  'usage_daily',
  'traffic_daily',
  'model_hourly',
  'model_users_daily',
];

/**
 * Who serves now and what is being uploaded, which is not so after a restore; and what the manifest has.
 */
export const LEFT_OUT_TABLES: readonly string[] = [
  'node_heartbeats',
  'uploads',
  'migrations',
  'migrations_ahead',
];

export const OWN_SEQUENCES: readonly string[] = [
  'calls_id_seq',
  'consumptions_id_seq',
  'ledger_transaction_seq',
];

export const OWN_FUNCTIONS: readonly string[] = [
  'refuse_ledger_change',
  'refuse_audit_change',
  'note_auto_exchange_off',
  'end_playground_key',
  'follow_usage_daily',
  'add_up_traffic',
  'add_to_traffic_hourly',
];

/** Tables with a part for each month. */
export const MONTHLY_TABLES: readonly string[] = ['calls', 'consumptions'];

/** A table without a row in any of these has nothing that a restore could destroy. */
export const TELLING_TABLES: readonly string[] = ['accounts', 'vendors', 'ledger_entries', 'audit_log'];
