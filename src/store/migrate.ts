import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { MIGRATION_FILE_BYTES_MAX, MIGRATION_TIMEOUT_MS } from '../bounds.ts';
import { assert } from '../kernel/assert.ts';
import type { Logger } from '../kernel/log.ts';
import { type Database, openDatabase } from './database.ts';

export interface MigrateOptions {
  readonly connection: string;
  readonly log: Logger;
  /** Another folder of migrations, for tests. */
  readonly folder?: string;
}

/** A migration as the database remembers it. */
export interface Applied {
  readonly name: string;
  readonly checksum: string;
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
    return await database.transaction((transaction) => applyPending(transaction, migrations, options.log));
  } finally {
    await database.close();
  }
}

/** Applies those of the migrations that the database does not have yet. */
export async function applyPending(
  transaction: Database,
  migrations: readonly Migration[],
  log: Logger,
): Promise<readonly string[]> {
  await transaction.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
  await transaction.query(
    `create table if not exists migrations (
       name text primary key, checksum text not null, applied_at timestamptz not null default now())`,
  );
  const applied = await transaction.query<Applied>('select name, checksum from migrations order by name');
  const pending = findPending(migrations, applied);
  for (const { name, checksum, text } of pending) {
    await transaction.query(text);
    await transaction.query('insert into migrations (name, checksum) values ($1, $2)', [name, checksum]);
  }
  const names = pending.map((migration) => migration.name);
  if (names.length > 0) log.info({ migrations: names.length, last: names.at(-1) }, 'database migrated');
  return names;
}

/**
 * What is applied must be unchanged and known: an older program never works on a newer database. A file is
 * known by its text, so that a database which has it under an earlier number is up to date all the same.
 */
function findPending(migrations: readonly Migration[], applied: readonly Applied[]): readonly Migration[] {
  const pending = new Map(migrations.map((migration) => [migration.checksum, migration]));
  for (const { name, checksum } of applied) {
    if (pending.delete(checksum)) continue;
    throw new MigrationRefused(
      migrations.some((migration) => migration.name === name)
        ? `migration ${name} was changed after it had been applied`
        : `the database has migration ${name}, which this version does not know`,
    );
  }
  return [...pending.values()];
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
