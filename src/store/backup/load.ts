import type { Logger } from '../../kernel/log.ts';
import { ensurePartitions } from '../logs/partitions.ts';
import { applyPending, readMigrations } from '../migrate.ts';
import { hasLiveServer } from '../operations/heartbeats.ts';
import { type BackupAbout, TABLE_PREFIX, type Totals } from './about.ts';
import { ArchiveDamaged, type ArchiveEntry } from './archive-reader.ts';
import type { CopyTransaction } from './copy.ts';
import { COPY_SETTINGS, readTotals } from './snapshot.ts';
import { BACKUP_TABLES, LEFT_OUT_TABLES, OWN_FUNCTIONS, OWN_SEQUENCES, TELLING_TABLES } from './tables.ts';

/** The backup cannot be restored here. The message contains the remedy. */
export class RestoreRefused extends Error {
  override readonly name = 'RestoreRefused';
}

export type DatabaseState = 'empty' | 'used' | 'served';

/** `served`: a server has said within the last seconds that it runs on this database. */
export async function judgeDatabase(transaction: CopyTransaction): Promise<DatabaseState> {
  const there = await transaction.query<{ name: string }>(
    'select each as name from unnest($1::text[]) as each where to_regclass(each) is not null',
    [[...TELLING_TABLES, 'node_heartbeats']],
  );
  const names = new Set(there.map(({ name }) => name));
  if (names.has('node_heartbeats') && (await hasLiveServer(transaction))) return 'served';
  for (const name of TELLING_TABLES.filter((each) => names.has(each))) {
    const rows = await transaction.query(`select 1 from ${name} limit 1`);
    if (rows.length > 0) return 'used';
  }
  return 'empty';
}

/**
 * Brings the database into the form that the backup was taken from, without a row. Everything happens in the
 * transaction: who is interrupted leaves the database as it was.
 */
export async function prepareTables(
  transaction: CopyTransaction,
  about: BackupAbout,
  log: Logger,
): Promise<void> {
  const own = await readMigrations();
  const known = new Map(own.map((migration) => [migration.checksum, migration]));
  const unknown = about.migrations.find(({ checksum }) => !known.has(checksum));
  if (unknown !== undefined) {
    throw new RestoreRefused(
      `the backup was made by version ${about.version} and has migration ${unknown.name}, ` +
        'which this version does not know: restore it with that version, or a later one',
    );
  }
  for (const setting of COPY_SETTINGS) await transaction.query(setting);
  await dropOwn(transaction);
  const before = new Set(about.migrations.map(({ checksum }) => checksum));
  const first = own.filter(({ checksum }) => before.has(checksum));
  await applyPending(transaction, first, log);
  const tables = about.tables.map(({ name }) => name);
  const missing = await listMissing(transaction, tables);
  if (missing.length > 0) throw new ArchiveDamaged(`the backup has unknown tables: ${missing.join(', ')}`);
  // Rows are as they were, so nothing must follow from them.
  for (const name of tables) await transaction.query(`alter table ${name} disable trigger user`);
  await transaction.query(`truncate ${tables.join(', ')}`);
  if (about.months.length > 0) await ensurePartitions(transaction, about.months);
}

/** Reads one part of a table. */
export async function loadPart(
  transaction: CopyTransaction,
  about: BackupAbout,
  entry: ArchiveEntry,
): Promise<void> {
  const [name = ''] = entry.name.slice(TABLE_PREFIX.length).split('/');
  const table = about.tables.find((each) => each.name === name);
  if (table === undefined) throw new ArchiveDamaged(`the backup has rows of an unknown table: ${entry.name}`);
  await transaction.copyIn(`copy ${name} (${table.columns.join(', ')}) from stdin`, entry.content);
}

/** What comes after the last row. The sums must be those of the backup. */
export async function completeTables(
  transaction: CopyTransaction,
  { about, totals, log }: { readonly about: BackupAbout; readonly totals: Totals; readonly log: Logger },
): Promise<readonly string[]> {
  for (const { name } of about.tables) await transaction.query(`alter table ${name} enable trigger user`);
  for (const { name, last } of about.sequences) {
    await transaction.query('select setval($1::regclass, $2::bigint)', [name, last]);
  }
  const found = await readTotals(transaction);
  for (const [name, value] of Object.entries(found)) {
    if (totals[name as keyof Totals] === value) continue;
    throw new ArchiveDamaged(
      `the backup says ${name} ${totals[name as keyof Totals]}, and its rows sum up to ${value}`,
    );
  }
  const migrated = await applyPending(transaction, await readMigrations(), log);
  await transaction.query(`analyze ${about.tables.map(({ name }) => name).join(', ')}`);
  return migrated;
}

/** The next start takes whatever secret it finds. What was sealed with the old one does not open. */
export async function forgetSecret(transaction: CopyTransaction): Promise<void> {
  await transaction.query('delete from seal_check');
  await transaction.query('delete from conversations');
}

async function dropOwn(transaction: CopyTransaction): Promise<void> {
  const tables = [...BACKUP_TABLES, ...LEFT_OUT_TABLES];
  await transaction.query(`drop table if exists ${tables.join(', ')} cascade`);
  await transaction.query(`drop sequence if exists ${OWN_SEQUENCES.join(', ')} cascade`);
  await transaction.query(`drop function if exists ${OWN_FUNCTIONS.join(', ')} cascade`);
}

async function listMissing(
  transaction: CopyTransaction,
  tables: readonly string[],
): Promise<readonly string[]> {
  const rows = await transaction.query<{ name: string }>(
    'select each as name from unnest($1::text[]) as each where to_regclass(each) is null',
    [tables],
  );
  return rows.map(({ name }) => name);
}
