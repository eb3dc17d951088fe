import { assert } from '../../kernel/assert.ts';
import { VERSION } from '../../kernel/version.ts';
import { type Applied, readMigrations } from '../migrate.ts';
import { findCheckValue } from '../sealing.ts';
import { type BackupAbout, FORMAT, type Sealed, TABLE_PREFIX, type Totals } from './about.ts';
import type { CopyTransaction } from './copy.ts';
import { BACKUP_TABLES, MONTHLY_TABLES, OWN_SEQUENCES } from './tables.ts';

/** The database cannot be backed up by this version. */
export class BackupRefused extends Error {
  override readonly name = 'BackupRefused';
}

/** Texts of times, bytes and numbers must not depend on the settings of a server. */
export const COPY_SETTINGS = [
  "set local datestyle = 'ISO'",
  "set local timezone = 'UTC'",
  "set local intervalstyle = 'postgres'",
  "set local bytea_output = 'hex'",
  'set local extra_float_digits = 1',
  "set local client_encoding = 'UTF8'",
];

/** Refuses a database that has another form than this version knows: tables would be missing. */
export async function checkForm(transaction: CopyTransaction): Promise<void> {
  const [found] = await transaction.query<{ there: boolean }>(
    "select to_regclass('migrations') is not null as there",
  );
  if (found?.there !== true) throw new BackupRefused('the database is empty: there is nothing to back up');
  const applied = await transaction.query<Applied>('select name, checksum from migrations order by name');
  const own = await readMigrations();
  const [checksums, known] = [applied, own].map((list) => new Set(list.map(({ checksum }) => checksum)));
  const other =
    applied.find(({ checksum }) => known?.has(checksum) !== true) ??
    own.find(({ checksum }) => checksums?.has(checksum) !== true);
  if (other === undefined) return;
  throw new BackupRefused(
    `the database has not the form of this version (migration ${other.name}): ` +
      'back it up with the version that runs on it, or run "tollgate migrate" first',
  );
}

/**
 * Makes all further statements of the transaction see one moment, that of the next statement. Tables are
 * locked against removal before it, because months of the logs may be dropped at any time. Servers go on
 * reading and writing.
 */
export async function lockTables(transaction: CopyTransaction): Promise<void> {
  await transaction.query('set transaction isolation level repeatable read, read only');
  for (const setting of COPY_SETTINGS) await transaction.query(setting);
  await transaction.query(`lock table ${BACKUP_TABLES.join(', ')} in access share mode`);
}

/** What is in the snapshot. */
export async function describeSnapshot(
  transaction: CopyTransaction,
): Promise<Omit<BackupAbout, 'has_secret'>> {
  const [moment] = await transaction.query<{ at: Date }>('select statement_timestamp() as at');
  return {
    format: FORMAT,
    version: VERSION,
    taken_at: moment?.at.toISOString() ?? '',
    migrations: await transaction.query<Applied>('select name, checksum from migrations order by name'),
    tables: await listColumns(transaction),
    months: await listMonths(transaction),
    sequences: await listSequences(transaction),
    sealed: await countSealed(transaction),
    check_value: (await findCheckValue(transaction)) ?? null,
  };
}

/** Writes every table in parts. Answers the number of rows of each. */
export async function writeTables(
  transaction: CopyTransaction,
  tables: BackupAbout['tables'],
  add: (name: string, content: Buffer) => Promise<void>,
): Promise<Readonly<Record<string, number>>> {
  const rows: Record<string, number> = {};
  for (const { name, columns } of tables) {
    let part = 0;
    const statement = `copy (select ${columns.join(', ')} from ${name}) to stdout`;
    rows[name] = await transaction.copyOut(statement, (content) =>
      add(`${TABLE_PREFIX}${name}/${String(++part).padStart(6, '0')}.copy`, content),
    );
  }
  return rows;
}

export async function readTotals(transaction: CopyTransaction): Promise<Totals> {
  const [row] = await transaction.query<Record<keyof Totals, string>>(
    `select wallets.*, entries.*, logged.*, consumed.* from
       (select count(*)::text as accounts, coalesce(sum(credits_micro), 0)::text as credits_micro,
          coalesce(sum(balance_micro), 0)::text as balance_micro from accounts) wallets,
       (select count(*)::text as ledger_entries, coalesce(sum(change_micro), 0)::text as ledger_micro
        from ledger_entries where account_id is not null) entries,
       (select count(*)::text as calls from calls) logged,
       (select coalesce(sum(credits_micro), 0)::text as consumed_micro from consumptions) consumed`,
  );
  assert(row !== undefined, 'sums have one row');
  return row;
}

async function listColumns(transaction: CopyTransaction): Promise<BackupAbout['tables']> {
  const rows = await transaction.query<{ name: string; columns: string[] }>(
    `select c.relname::text as name, array_agg(a.attname::text order by a.attnum) as columns
     from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.oid = any(array(select to_regclass(each) from unnest($1::text[]) as each))
       and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' group by c.relname`,
    [BACKUP_TABLES],
  );
  const columns = new Map(rows.map((row) => [row.name, row.columns]));
  return BACKUP_TABLES.map((name) => ({ name, columns: columns.get(name) ?? [] }));
}

async function listMonths(transaction: CopyTransaction): Promise<readonly string[]> {
  const rows = await transaction.query<{ month: string }>(
    `select distinct replace(right(part.relname, 7), '_', '-') as month from pg_inherits i
     join pg_class part on part.oid = i.inhrelid
     where i.inhparent = any(array(select to_regclass(each) from unnest($1::text[]) as each)) order by 1`,
    [MONTHLY_TABLES],
  );
  return rows.map(({ month }) => month);
}

/** Numbers that were given out, not those of the snapshot: a number is never given twice. */
async function listSequences(transaction: CopyTransaction): Promise<BackupAbout['sequences']> {
  return await transaction.query<{ name: string; last: string }>(
    `select sequencename::text as name, last_value::text as last from pg_sequences
     where schemaname = current_schema() and sequencename = any($1) and last_value is not null order by 1`,
    [[...OWN_SEQUENCES, ...BACKUP_TABLES.map((name) => `${name}_id_seq`)]],
  );
}

async function countSealed(transaction: CopyTransaction): Promise<Sealed> {
  const [row] = await transaction.query<Record<keyof Sealed, bigint>>(
    `select credentials.*, documents.*, conversations.* from
       (select count(*) filter (where owner_account_id is null) as credentials,
          count(*) filter (where owner_account_id is not null) as byok_credentials from credentials) credentials,
       (select count(*) as documents from verifications where document_sealed is not null) documents,
       (select count(*) as conversations from conversations) conversations`,
  );
  return {
    credentials: Number(row?.credentials ?? 0),
    byok_credentials: Number(row?.byok_credentials ?? 0),
    documents: Number(row?.documents ?? 0),
    conversations: Number(row?.conversations ?? 0),
  };
}
