import { LOG_DROP_LOCK_MS } from '../../bounds.ts';
import { assert } from '../../kernel/assert.ts';
import type { Database } from '../database.ts';
import { awaitsSink } from './log-sink.ts';

const PARTITIONED = ['calls', 'consumptions'] as const;
/** The advisory lock of all that create or drop partitions. Any constant will do. */
const PARTITION_LOCK = 7_414_512_002;

const DAY_MS = 86_400_000;
let lastDay = Number.NaN;
let lastMonth = '';

/** A month of the logs: `2026-11`, always in UTC, also when spending caps use another zone. */
export function logMonth(timeMs: number): string {
  const day = Math.floor(timeMs / DAY_MS);
  if (day !== lastDay) {
    lastMonth = new Date(timeMs).toISOString().slice(0, 7);
    lastDay = day;
  }
  return lastMonth;
}

/**
 * Creates the missing partitions of these months and of the next ones, so that the first of a month finds its
 * partition. In a separate transaction. A new partition is created detached and then attached, so that
 * readers and writers of the other months continue.
 */
export async function ensurePartitions(database: Database, months: readonly string[]): Promise<void> {
  await database.transaction(async (transaction) => {
    await transaction.query('select pg_advisory_xact_lock($1)', [PARTITION_LOCK]);
    for (const month of new Set(months.flatMap((each) => [each, monthAfter(each)]))) {
      for (const table of PARTITIONED) await ensurePartition(transaction, table, month);
    }
  });
}

async function ensurePartition(transaction: Database, table: string, month: string): Promise<void> {
  const partition = partitionName(table, month);
  const [found] = await transaction.query<{ there: boolean }>('select to_regclass($1) is not null as there', [
    partition,
  ]);
  if (found?.there === true) return;
  await transaction.query(`create table ${partition} (like ${table} including all)`);
  await transaction.query(
    `alter table ${table} attach partition ${partition}
       for values from ('${month}-01 00:00:00+00') to ('${monthAfter(month)}-01 00:00:00+00')`,
  );
}

/**
 * Drops the logs before `month`, stores that month, and returns what it dropped. Dropping locks
 * the whole log for a moment, and all settlements queue behind that lock, so the wait for it is short.
 * `unsent`: nothing was dropped, because ClickHouse has not got all of it yet.
 */
export async function dropPartitionsBefore(
  database: Database,
  month: string,
): Promise<readonly string[] | 'unsent'> {
  assertMonth(month);
  return await database.transaction(async (transaction) => {
    await transaction.query('select pg_advisory_xact_lock($1)', [PARTITION_LOCK]);
    await transaction.query(`set local lock_timeout = ${LOG_DROP_LOCK_MS}`);
    const partitions = await transaction.query<{ name: string }>(
      `select c.relname as name from pg_inherits i
       join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
       where p.relname = any($1) and right(c.relname, 7) < $2 order by 1`,
      [PARTITIONED, month.replace('-', '_')],
    );
    // The lock that dropping takes anyway: no call is settled between the question and the drop.
    if (partitions.length > 0) await transaction.query('lock table only calls in access exclusive mode');
    if (partitions.length > 0 && (await awaitsSink(transaction, month))) return 'unsent';
    await transaction.query('update log_retention set kept_from = greatest(kept_from, $1::timestamptz)', [
      `${month}-01 00:00:00+00`,
    ]);
    for (const { name } of partitions) await transaction.query(`drop table ${name}`);
    return partitions.map(({ name }) => name);
  });
}

function partitionName(table: string, month: string): string {
  assertMonth(month);
  return `${table}_${month.replace('-', '_')}`;
}

function monthAfter(month: string): string {
  assertMonth(month);
  const [year = 0, number = 0] = month.split('-').map(Number);
  return logMonth(Date.UTC(year, number, 1));
}

/** A month becomes part of the statement, so its form is checked. */
function assertMonth(month: string): void {
  assert(/^\d{4}-(?:0[1-9]|1[0-2])$/.test(month), 'a month of the logs is YYYY-MM');
}
