/** Columns of the table, by name, with their types in ClickHouse. The store writes the same names. */
export const COLUMNS: Readonly<Record<string, string>> = {
  call_id: 'String',
  created_at: "DateTime64(3, 'UTC')",
  number: 'UInt64',
  account_id: 'UInt64',
  key_id: 'UInt64',
  key_name: 'String',
  model_asked: 'String',
  model_used: 'String',
  route_id: 'Nullable(UInt64)',
  vendor: 'LowCardinality(Nullable(String))',
  protocol_in: 'LowCardinality(String)',
  protocol_out: 'LowCardinality(Nullable(String))',
  stream: 'Bool',
  status: 'UInt16',
  error_code: 'Nullable(UInt32)',
  verdict: 'LowCardinality(String)',
  input_fresh: 'UInt64',
  cache_read: 'UInt64',
  cache_write: 'UInt64',
  output_text: 'UInt64',
  output_reasoning: 'UInt64',
  images: 'UInt64',
  videos: 'UInt64',
  estimated: 'Bool',
  payer: 'LowCardinality(String)',
  free_reason: 'LowCardinality(Nullable(String))',
  amount_micro: 'UInt64',
  charge_micro: 'UInt64',
  credits_micro: 'UInt64',
  shortfall_micro: 'UInt64',
  held_micro: 'UInt64',
  admitted_ms: 'Nullable(Int32)',
  gate_ms: 'Nullable(Int32)',
  ttfb_ms: 'Nullable(Int32)',
  duration_ms: 'Int32',
  attempts: 'String',
  dropped_fields: 'String',
  price: 'Nullable(String)',
  refusal: 'Nullable(String)',
};

/** Names that need no quotes: the settings are checked. */
export interface TableName {
  readonly database: string;
  readonly table: string;
}

/**
 * The table that the sink writes. The time of a call is part of its id, so the sorting key has one row for a
 * call id: what was inserted twice becomes one row when parts are merged, and `final` shows it before that.
 * The window is how many batches back a repeated token is recognized and not inserted at all. Tables that are
 * replicated have such a window of their own.
 */
export function createTable({ database, table }: TableName): string {
  const columns = Object.entries(COLUMNS).map(([name, type]) => `  ${name} ${type}`);
  return [
    `create table if not exists ${database}.${table} (`,
    columns.join(',\n'),
    ') engine = ReplacingMergeTree',
    'partition by toYYYYMM(created_at)',
    'order by (created_at, call_id)',
    'settings non_replicated_deduplication_window = 10000',
  ].join('\n');
}

export function createDatabase({ database }: TableName): string {
  return `create database if not exists ${database}`;
}

/** Rows follow as the body of the request. */
export function insertRows({ database, table }: TableName): string {
  return `insert into ${database}.${table} (${Object.keys(COLUMNS).join(', ')}) format JSONEachRow`;
}
