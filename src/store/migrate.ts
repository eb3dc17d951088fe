import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { MIGRATION_FILE_BYTES_MAX, MIGRATION_TIMEOUT_MS } from '../bounds.ts';
import { assert } from '../kernel/assert.ts';
import type { Logger } from '../kernel/log.ts';
import { type Database, openDatabase } from './database.ts';
import { EARLIER_TEXTS } from './earlier-migrations.ts';

export interface MigrateOptions {
  readonly connection: string;
  readonly log: Logger;
  /** Another folder of migrations, and what it lives with, for tests. */
  readonly folder?: string;
  readonly livesWith?: number;
}

/** A migration as the database remembers it. */
export interface Applied {
  readonly name: string;
  readonly checksum: string;
}

interface Remembered extends Applied {
  /** The last migration of the oldest version that serves beside it. Older programs wrote nothing. */
  readonly lives_with: number | null;
}

export interface Migration extends Applied {
  readonly text: string;
}

/** The files and the database do not agree. Nothing was changed. */
export class MigrationRefused extends Error {
  override readonly name = 'MigrationRefused';
}

const OWN_FOLDER = fileURLToPath(new URL('./migrations', import.meta.url));
const FILE_NAME = /^\d{3}_[a-z0-9_]+\.sql$/;
/**
 * The last migration of the oldest version that serves on a database of this one. A release that takes away
 * what older versions use raises it (docs/operations.md).
 */
export const OLDEST_SERVED = 15;
/** Any constant: concurrent starts must agree on it. */
const MIGRATION_LOCK = 7_414_512_001;

/**
 * Brings the database to the newest form and names the files it applied. All of them or none: one
 * transaction, under a lock that concurrent starts wait for and then find nothing left to do.
 */
export async function migrate(options: MigrateOptions): Promise<readonly string[]> {
  const migrations = await readMigrations(options.folder);
  const database = await openDatabase({
    connection: options.connection,
    log: options.log,
    statementTimeoutMs: MIGRATION_TIMEOUT_MS,
    connectionsMax: 1,
  });
  try {
    return await database.transaction((transaction) =>
      applyPending(transaction, migrations, options.log, options.livesWith),
    );
  } finally {
    await database.close();
  }
}

/** Applies those of the migrations that the database does not have yet. */
export async function applyPending(
  transaction: Database,
  migrations: readonly Migration[],
  log: Logger,
  livesWith: number = OLDEST_SERVED,
): Promise<readonly string[]> {
  await transaction.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
  await prepareMemory(transaction);
  await transaction.query(moveRows('migrations_ahead', 'migrations'), [0]);
  await adoptEarlierTexts(transaction, migrations);
  const pending = findPending(migrations, await listRemembered(transaction));
  for (const { name, checksum, text } of pending) {
    await transaction.query(text);
    await transaction.query('insert into migrations (name, checksum, lives_with) values ($1, $2, $3)', [
      name,
      checksum,
      livesWith,
    ]);
  }
  const names = pending.map((migration) => migration.name);
  if (names.length > 0) log.info({ migrations: names.length, last: names.at(-1) }, 'database migrated');
  return names;
}

/** An existing table is not altered again: a backup that reads it would make every start wait. */
async function prepareMemory(transaction: Database): Promise<void> {
  const columns =
    'name text primary key, checksum text not null, applied_at timestamptz not null default now()';
  for (const name of ['migrations', 'migrations_ahead']) {
    await transaction.query(`create table if not exists ${name} (${columns}, lives_with int)`);
  }
  const column = await transaction.query(
    `select 1 from pg_attribute where attrelid = 'migrations'::regclass and attname = 'lives_with'`,
  );
  if (column.length === 0) await transaction.query('alter table migrations add column lives_with int');
}

/** From now on the database remembers today's text, so that every later version knows it. */
async function adoptEarlierTexts(transaction: Database, migrations: readonly Migration[]): Promise<void> {
  for (const { name, checksum, mend } of EARLIER_TEXTS) {
    const today = migrations.find((migration) => migration.name === name);
    if (today === undefined) continue;
    const adopted = await transaction.query(
      'update migrations set checksum = $1 where checksum = $2 returning name',
      [today.checksum, checksum],
    );
    if (adopted.length > 0 && mend !== undefined) await transaction.query(mend);
  }
}

function listRemembered(transaction: Database): Promise<readonly Remembered[]> {
  return transaction.query<Remembered>('select name, checksum, lives_with from migrations order by name');
}

/** Those behind a number. */
function moveRows(from: string, to: string): string {
  return `with moved as (delete from ${from} where left(name, 3)::int > $1 returning *)
    insert into ${to} (name, checksum, applied_at, lives_with)
    select name, checksum, applied_at, lives_with from moved returning name`;
}

/**
 * Lets a version start again that refuses migrations it does not know. The migrations behind its last one
 * stay in force, only their records are put aside; the next start of a version like this one takes them back.
 */
export async function setAside(transaction: Database, last: number): Promise<readonly string[]> {
  await transaction.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
  for (const { name, lives_with } of await listRemembered(transaction)) {
    const oldest = lives_with ?? OLDEST_SERVED;
    if (numberOf(name) <= last || oldest <= last) continue;
    throw new MigrationRefused(
      `a version whose last migration is ${last} does not serve on this database: ${name} needs ${oldest}`,
    );
  }
  const moved = await transaction.query<Applied>(moveRows('migrations', 'migrations_ahead'), [last]);
  return moved.map(({ name }) => name).sort();
}

/**
 * What is applied must be unchanged. It must be known too, or come from a newer version that says that this
 * one serves beside it. A file is known by its text, so that a database which has it under an earlier number
 * is up to date all the same.
 */
function findPending(migrations: readonly Migration[], applied: readonly Remembered[]): readonly Migration[] {
  const pending = new Map(migrations.map((migration) => [migration.checksum, migration]));
  const last = numberOf(migrations.at(-1)?.name ?? '000');
  for (const { name, checksum, lives_with } of applied) {
    if (pending.delete(checksum)) continue;
    if (numberOf(name) > last && lives_with !== null && lives_with <= last) continue;
    throw new MigrationRefused(
      migrations.some((migration) => migration.name === name)
        ? `migration ${name} was changed after it had been applied`
        : `the database has migration ${name}, which this version does not know`,
    );
  }
  return [...pending.values()];
}

function numberOf(name: string): number {
  return Number(name.slice(0, 3));
}

/** Every migration of this version, in order. */
export async function readMigrations(folder: string = OWN_FOLDER): Promise<readonly Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
  const migrations: Migration[] = [];
  for (const name of names) {
    if (!FILE_NAME.test(name)) throw new MigrationRefused(`${name} is not named NNN_words.sql`);
    const text = await readFile(`${folder}/${name}`, 'utf8');
    assert(text.length <= MIGRATION_FILE_BYTES_MAX, 'a migration file is small');
    migrations.push({ name, checksum: hash('sha256', text), text });
  }
  return migrations;
}
