import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { accountWith, CREDITS_PER_YUAN, callOf, jobOf } from '../../../test/support/calls.ts';
import { CATALOG_TEXT } from '../../../test/support/catalog.ts';
import { type Commands, commandsWith } from '../../../test/support/commands.ts';
import { type FreshDatabase, freshDatabase } from '../../../test/support/postgres.ts';
import { silentLogger } from '../../kernel/log.ts';
import { createCalendar } from '../../kernel/time/calendar.ts';
import { ManualClock } from '../../kernel/time/clock.ts';
import { ABOUT_NAME, type BackupAbout, TABLE_PREFIX } from '../../store/backup/about.ts';
import { ArchiveReader, readObject } from '../../store/backup/archive-reader.ts';
import { ArchiveWriter } from '../../store/backup/archive-writer.ts';
import { BACKUP_TABLES } from '../../store/backup/tables.ts';
import type { Database } from '../../store/database.ts';
import { createLedgerStore } from '../../store/ledger/ledger.ts';
import { closeSomeDays } from '../../store/logs/daily-rollup.ts';
import { applyPending, readMigrations } from '../../store/migrate.ts';

const SECRET = 'the secret of the place that is backed up';
let folder: string;
let original: Site;
let file: string;
const sites: Site[] = [];

/** A database, a data directory, and the commands on them. */
interface Site extends Commands {
  readonly database: Database;
  readonly fresh: FreshDatabase;
  readonly dataDirectory: string;
}

let made = 0;

async function newSite(settings: Readonly<Record<string, string>> = {}): Promise<Site> {
  const fresh = await freshDatabase();
  const own = join(folder, `site-${++made}`);
  mkdirSync(own);
  const dataDirectory = join(own, 'data');
  const environment = { TOLLGATE_DATA: dataDirectory, DATABASE_URL: fresh.connection, ...settings };
  const site = { ...(await commandsWith(environment, own)), database: fresh.database, fresh, dataDirectory };
  sites.push(site);
  return site;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tollgate-backup-'));
  file = join(folder, 'whole.tar.gz');
  original = await newSite({ TOLLGATE_SECRET: SECRET });
  const catalog = join(folder, 'catalog.yaml');
  writeFileSync(catalog, CATALOG_TEXT);
  await original.json('apply', '-f', catalog);
  const { database } = original;
  const accountId = await accountWith(database, { creditsMicro: 900_000_000n, balanceMicro: 7_000_000n });
  const calendar = createCalendar('UTC');
  const ledger = createLedgerStore({ database, creditsPerYuan: CREDITS_PER_YUAN, calendar });
  const dayMs = 86_400_000;
  for (let day = 1; day < 40; day += 13) {
    const createdAtMs = Date.UTC(2026, 9, 1) + day * dayMs;
    await ledger.settle([callOf({ accountId, createdAtMs }), callOf({ accountId, createdAtMs })]);
  }
  await ledger.settle([jobOf({ accountId, payer: 'byok', chargeMicro: 0n, freeReason: 'byok' })]);
  const closing = { timeZone: 'UTC', toMs: Date.UTC(2026, 11, 1), afterId: 0 };
  await closeSomeDays(database, closing);
  mkdirSync(join(original.dataDirectory, 'journal'), { recursive: true });
  writeFileSync(join(original.dataDirectory, 'journal', '000007.log'), 'a line\nand a torn li');
  mkdirSync(join(original.dataDirectory, 'workers', '2', 'journal'), { recursive: true });
  writeFileSync(join(original.dataDirectory, 'workers', '2', 'journal', 'rejected.log'), 'refused\n');
});
afterAll(async () => {
  for (const { fresh } of sites) await fresh.drop();
  await rm(folder, { recursive: true, force: true });
});

/** Every row of every table as one text. */
async function contentOf(database: Database): Promise<Readonly<Record<string, string>>> {
  const content: Record<string, string> = {};
  for (const table of BACKUP_TABLES) {
    const [row] = await database.query<{ rows: string | null }>(
      `select string_agg(each::text, e'\\n' order by each::text) as rows from ${table} each`,
    );
    content[table] = row?.rows ?? '';
  }
  return content;
}

it('writes one closed file, and a restore into an empty place has the same rows and files', async () => {
  const before = await contentOf(original.database);
  const written = await original.json<{ rows: Record<string, number>; journal: object }>(
    ...['backup', '--to', file],
  );
  expect(written).toMatchObject({ rows: { calls: 6, accounts: 3, jobs: 1 }, journal: { files: 2 } });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(gunzipSync(readFileSync(file)).includes(SECRET)).toBe(false);
  const site = await newSite({ TOLLGATE_SECRET: SECRET });
  expect(await site.json('restore', '--from', file)).toMatchObject({ secret: 'kept', migrated: [] });
  expect(await contentOf(site.database)).toEqual(before);
  expect(Object.values(before).filter((rows) => rows !== '').length).toBeGreaterThan(14);
  expect(readFileSync(join(site.dataDirectory, 'journal', '000007.log'), 'utf8')).toBe('a line\n');
  const rejected = join(site.dataDirectory, 'workers', '2', 'journal', 'rejected.log');
  expect(readFileSync(rejected, 'utf8')).toBe('refused\n');
  expect(statSync(rejected).mode & 0o777).toBe(0o600);
  expect((await site.run('doctor')).stdout).toContain('no findings');
  // Numbers go on where they were, and triggers watch again.
  const accountId = await accountWith(site.database, { creditsMicro: 5n });
  expect(accountId).toBeGreaterThan(3);
  await expect(site.database.query('delete from ledger_entries')).rejects.toThrow('never changed');
  await expect(site.database.query('truncate audit_log')).rejects.toThrow('never changed');
});

it('refuses a place that is not empty, unless told to replace it', async () => {
  const site = await newSite({ TOLLGATE_SECRET: SECRET });
  const kept = await accountWith(site.database, { creditsMicro: 1_000_000n });
  const refused = await site.run('restore', '--from', file);
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toContain('not empty');
  expect(existsSync(join(site.dataDirectory, 'restore.unfinished'))).toBe(false);
  expect(await site.database.query('select id from accounts')).toEqual([{ id: BigInt(kept) }]);
  mkdirSync(join(site.dataDirectory, 'journal'), { recursive: true });
  writeFileSync(join(site.dataDirectory, 'journal', '000001.log'), 'of other books\n');
  expect((await site.run('restore', '--from', file)).stderr).toContain('has a journal');
  expect((await site.run('restore', '--from', file, '--replace')).code).toBe(0);
  expect(await contentOf(site.database)).toEqual(await contentOf(original.database));
  expect(readdirSync(join(site.dataDirectory, 'journal'))).toEqual(['000007.log']);
  expect(readdirSync(join(site.dataDirectory, 'journal.before-restore-1'))).toEqual(['000001.log']);
});

it('never restores below a running server', async () => {
  const site = await newSite({ TOLLGATE_SECRET: SECRET });
  await site.database.query(
    `insert into node_heartbeats (node, instance, worker, started_at, seen_at, version, active_calls)
     values ('local', 'there:1', 0, now(), now(), '1', 0)`,
  );
  const refused = await site.run('restore', '--from', file, '--replace');
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringContaining('a server runs on this database'),
  ]);
});

it('needs the secret, takes it from a backup that has it, or does without when told', async () => {
  const without = await newSite();
  const refused = await without.run('restore', '--from', file);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toMatch(/does not contain its secret.*2 vendor credentials/);
  expect(await without.database.query('select 1 from accounts')).toEqual([]);
  const told = await without.run('restore', '--from', file, '--new-secret');
  expect(told.stdout).toMatch(
    /set the vendor credentials again[\s\S]*cannot be decrypted: 2 vendor credentials/,
  );
  expect((await without.run('account', 'list')).code).toBe(0);
  const full = join(folder, 'with-secret.tar.gz');
  const said = await original.run('backup', '--to', full, '--with-secret');
  expect(said.stdout).toContain('The secret is in the file');
  const site = await newSite();
  expect(await site.json('restore', '--from', full)).toMatchObject({ secret: 'written' });
  const secret = join(site.dataDirectory, 'secret');
  expect([readFileSync(secret, 'utf8'), statSync(secret).mode & 0o777]).toEqual([`${SECRET}\n`, 0o600]);
  expect((await site.run('catalog', 'list', 'credentials')).code).toBe(0);
  const other = await newSite({ TOLLGATE_SECRET: 'a secret that is none of the backup, but long' });
  expect((await other.run('restore', '--from', full)).stderr).toContain('unset it');
});

type Tables = BackupAbout['tables'];

/** The backup, with another description of itself and other rows of its tables. Undefined: none of them. */
async function rewrite(
  name: string,
  change: (about: BackupAbout) => object,
  toRows: (table: string, rows: Buffer) => Buffer | undefined = (_, rows) => rows,
): Promise<string> {
  const path = join(folder, name);
  const reader = new ArchiveReader(file);
  const writer = new ArchiveWriter(path, new ManualClock());
  for await (const entry of reader.entries()) {
    if (entry.name === ABOUT_NAME) {
      const about = (await readObject(entry)) as unknown as BackupAbout;
      await writer.add(entry.name, Buffer.from(JSON.stringify({ ...about, ...change(about) })));
      continue;
    }
    const parts: Buffer[] = [];
    for await (const part of entry.content) parts.push(part);
    const [, table = ''] = entry.name.split('/');
    const isTable = entry.name.startsWith(TABLE_PREFIX);
    const content = Buffer.concat(parts);
    const kept = isTable ? toRows(table, content) : content;
    if (kept !== undefined) await writer.add(entry.name, kept);
  }
  const { sha256: _, ...end } = reader.end;
  await writer.finish(end);
  return path;
}

/** In the text form of COPY a tab separates columns, and nothing else. */
function keepColumns(rows: Buffer, had: readonly string[], has: readonly string[]): Buffer {
  if (had.length === has.length) return rows;
  const places = has.map((column) => had.indexOf(column));
  const lines = rows
    .toString()
    .split('\n')
    .filter((line) => line !== '');
  return Buffer.from(
    lines.map((line) => `${places.map((at) => line.split('\t')[at]).join('\t')}\n`).join(''),
  );
}

async function aboutOf(path: string): Promise<BackupAbout> {
  for await (const entry of new ArchiveReader(path).entries()) {
    if (entry.name === ABOUT_NAME) return (await readObject(entry)) as unknown as BackupAbout;
  }
  throw new Error('the backup does not describe itself');
}

/** Of these tables and columns, those that the version without the migrations from `first` on had. */
async function narrow(tables: Tables, first: string): Promise<Tables> {
  const older = (await readMigrations()).filter(({ name }) => name < first);
  const { database, drop } = await freshDatabase();
  await database.query('drop schema public cascade');
  await database.query('create schema public');
  await database.transaction((transaction) => applyPending(transaction, older, silentLogger));
  const rows = await database.query<{ name: string; columns: string[] }>(
    `select table_name::text as name, array_agg(column_name::text) as columns
     from information_schema.columns where table_schema = 'public' group by 1`,
  );
  await drop();
  const there = new Map(rows.map(({ name, columns }) => [name, new Set(columns)]));
  return tables.flatMap(({ name, columns }) => {
    const known = there.get(name);
    return known === undefined ? [] : [{ name, columns: columns.filter((column) => known.has(column)) }];
  });
}

it('migrates the backup of an older version, and refuses that of a newer one', async () => {
  const site = await newSite({ TOLLGATE_SECRET: SECRET });
  const newer = await rewrite('newer.tar.gz', ({ migrations }) => ({
    version: '9.0.0',
    migrations: [...migrations, { name: '999_future.sql', checksum: 'unknown' }],
  }));
  const refused = await site.run('restore', '--from', newer);
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/9\.0\.0.*999_future\.sql/)]);
  const first = '026_corrections.sql';
  const { tables: newTables } = await aboutOf(file);
  const tables = await narrow(newTables, first);
  const older = await rewrite(
    'older.tar.gz',
    ({ migrations }) => ({ migrations: migrations.filter(({ name }) => name < first), tables }),
    (table, rows) => {
      const [had, has] = [newTables, tables].map((each) => each.find(({ name }) => name === table)?.columns);
      return had && has && keepColumns(rows, had, has);
    },
  );
  const { migrated } = await site.json<{ migrated: string[] }>('restore', '--from', older);
  expect(migrated).toContain(first);
  // An older version does not date models, so their dates are unknown afterwards.
  await original.database.query('update models set created_at = null');
  const [restored, before] = [await contentOf(site.database), await contentOf(original.database)];
  for (const { name } of tables) expect(restored[name], name).toBe(before[name]);
  expect((await site.run('migrate')).stdout).toContain('up to date');
});

it('checks a file without changing anything, and says what is wrong with it', async () => {
  const site = await newSite({ TOLLGATE_SECRET: SECRET });
  expect((await site.run('restore', '--from', file, '--check')).stdout).toMatch(/complete[\s\S]*3 accounts/);
  const cut = join(folder, 'cut.tar.gz');
  writeFileSync(cut, readFileSync(file).subarray(0, 2_000));
  for (const args of [['--check'], []]) {
    const refused = await site.run('restore', '--from', cut, ...args);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('not complete')]);
  }
  const wrong = await rewrite('wrong.tar.gz', ({ tables }) => ({
    tables: tables.filter(({ name }) => name !== 'calls'),
  }));
  expect((await site.run('restore', '--from', wrong)).stderr).toContain('rows of an unknown table');
  expect((await site.run('restore', '--from', join(folder, 'none'))).stderr).toContain('ENOENT');
  expect(await site.database.query('select 1 from accounts')).toEqual([]);
});

it('keeps everybody out of a place where a restore was interrupted', async () => {
  const site = await newSite({ TOLLGATE_SECRET: SECRET });
  mkdirSync(join(site.dataDirectory, 'restore.unfinished', 'journal'), { recursive: true });
  for (const command of [['account', 'list'], ['backup'], ['migrate']]) {
    expect((await site.run(...command)).stderr, command.join(' ')).toContain('was interrupted');
  }
  expect((await site.run('restore', '--from', file)).code).toBe(0);
  expect((await site.run('account', 'list')).code).toBe(0);
});

it('refuses what it cannot back up or write', async () => {
  const site = await newSite({ TOLLGATE_SECRET: SECRET });
  expect((await site.run('backup', '--to', file)).stderr).toContain('exists');
  expect((await site.run('backup', '--to', join(folder, 'none', 'x'))).stderr).toContain(
    'could not be written',
  );
  await site.database.query("insert into migrations (name, checksum) values ('999_future.sql', 'unknown')");
  expect((await site.run('backup', '--to', join(folder, 'x'))).stderr).toContain('999_future.sql');
  const empty = await newSite({ DATABASE_URL: '' });
  chmodSync(folder, 0o711);
  expect((await empty.run('backup')).stderr).toContain('there is no database');
});
