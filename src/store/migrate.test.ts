import { hash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type FreshDatabase, freshDatabase } from '../../test/support/postgres.ts';
import { silentLogger } from '../kernel/log.ts';
import { EARLIER_TEXTS } from './earlier-migrations.ts';
import { migrate, OLDEST_SERVED, setAside } from './migrate.ts';

let fresh: FreshDatabase;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tollgate-migrations-'));
});

beforeEach(async () => {
  fresh = await freshDatabase();
  await fresh.database.query('drop table migrations, migrations_ahead');
  await writeFile(
    join(folder, '001_first.sql'),
    'create table first_table (id int); insert into first_table values (1);',
  );
  await writeFile(join(folder, '002_second.sql'), 'create table second_table (id int);');
  for (const name of ['001_renamed.sql', '003_broken.sql']) {
    await rm(join(folder, name), { force: true });
  }
  return () => fresh.drop();
});

afterAll(() => rm(folder, { recursive: true, force: true }));

const run = (livesWith?: number) =>
  migrate({ connection: fresh.connection, log: silentLogger, folder, ...(livesWith && { livesWith }) });

test('migrations are applied in order, once', async () => {
  expect(await run()).toEqual(['001_first.sql', '002_second.sql']);
  expect(await run()).toEqual([]);
  expect(await fresh.database.query('select id from first_table')).toEqual([{ id: 1 }]);
});

test('eight simultaneous starts apply every migration exactly once', async () => {
  const results = await Promise.all(Array.from({ length: 8 }, () => run()));
  expect(results.flat().sort()).toEqual(['001_first.sql', '002_second.sql']);
  expect(await fresh.database.query('select id from first_table')).toEqual([{ id: 1 }]);
});

test('a migration that was changed after it was applied is refused', async () => {
  await run();
  await writeFile(join(folder, '001_first.sql'), 'create table first_table (id bigint);');
  await expect(run()).rejects.toThrow('migration 001_first.sql was changed after it had been applied');
});

test('a renamed migration is recognised by its text', async () => {
  await run();
  await rename(join(folder, '001_first.sql'), join(folder, '001_renamed.sql'));
  expect(await run()).toEqual([]);
  await writeFile(join(folder, '001_renamed.sql'), 'create table first_table (id bigint);');
  await expect(run()).rejects.toThrow('has migration 001_first.sql, which this version does not know');
});

test('migrations are numbered from 001 without a gap', async () => {
  const names = (await readdir(join(import.meta.dirname, 'migrations'))).sort();
  const numbers = names.map((_name, index) => String(index + 1).padStart(3, '0'));
  expect(names.map((name) => name.slice(0, 3))).toEqual(numbers);
});

/** Three files have lower numbers now than when they were released. */
const RELEASED = {
  '011_days.sql': '010_days.sql',
  '012_platform.sql': '011_platform.sql',
  '013_calls_own.sql': '012_calls_own.sql',
};

test('a database with former file numbers starts without an error', async () => {
  const before = await freshDatabase();
  try {
    for (const [former, now] of Object.entries(RELEASED)) {
      const renamed = await before.database.query(
        'update migrations set name = $1 where name = $2 returning checksum',
        [former, now],
      );
      expect(renamed, now).toHaveLength(1);
    }
    expect(await migrate({ connection: before.connection, log: silentLogger })).toEqual([]);
  } finally {
    await before.drop();
  }
});

test('no migration is changed by a byte, and each has its line in migrations.sha256', async () => {
  const own = join(import.meta.dirname, 'migrations');
  const names = (await readdir(own)).sort();
  const lines = names.map(async (name) => `${hash('sha256', await readFile(join(own, name)))}  ${name}`);
  const released = await readFile(join(import.meta.dirname, 'migrations.sha256'), 'utf8');
  expect(
    await Promise.all(lines),
    'a released migration never changes: write a new one. A new migration adds its line: ' +
      '(cd src/store/migrations && sha256sum *.sql > ../migrations.sha256)',
  ).toEqual(released.trimEnd().split('\n'));
});

test.each(EARLIER_TEXTS)(
  'a database that has $name as it was before is brought to the text of today',
  async ({ name, checksum, mend }) => {
    const before = await freshDatabase();
    try {
      if (mend !== undefined)
        await before.database.query('alter table files rename column batch_id to call_id');
      const [today] = await before.database.query<{ checksum: string }>(
        'select checksum from migrations where name = $1',
        [name],
      );
      await before.database.query('update migrations set checksum = $1 where name = $2', [checksum, name]);
      expect(await migrate({ connection: before.connection, log: silentLogger })).toEqual([]);
      expect(await before.database.query('select checksum from migrations where name = $1', [name])).toEqual([
        today,
      ]);
      expect(await migrate({ connection: before.connection, log: silentLogger })).toEqual([]);
      expect(await before.database.query('select batch_id from files')).toEqual([]);
    } finally {
      await before.drop();
    }
  },
);

test('a database of a newer version is refused', async () => {
  await run();
  await rm(join(folder, '002_second.sql'));
  await expect(run()).rejects.toThrow('has migration 002_second.sql, which this version does not know');
});

test('a database of a newer version is taken when that version says that this one serves beside it', async () => {
  await run(1);
  await rm(join(folder, '002_second.sql'));
  expect(await run(1)).toEqual([]);
  await writeFile(join(folder, '001_first.sql'), 'create table first_table (id bigint);');
  await expect(run(1)).rejects.toThrow('migration 001_first.sql was changed after it had been applied');
});

test('a database that remembers nothing of older versions is migrated further', async () => {
  await run();
  await fresh.database.query('alter table migrations drop column lives_with');
  await fresh.database.query('drop table migrations_ahead');
  await writeFile(join(folder, '003_broken.sql'), 'create table third_table (id int);');
  expect(await run(2)).toEqual(['003_broken.sql']);
  expect(await fresh.database.query('select lives_with from migrations order by name')).toEqual([
    { lives_with: null },
    { lives_with: null },
    { lives_with: 2 },
  ]);
});

test('records of later migrations are put aside, and are taken back by the next start', async () => {
  await run(1);
  const names = () => fresh.database.query('select name from migrations order by name');
  const back = (last: number) => fresh.database.transaction((transaction) => setAside(transaction, last));
  await expect(back(0)).rejects.toThrow('001_first.sql needs 1');
  expect(await back(1)).toEqual(['002_second.sql']);
  expect(await names()).toEqual([{ name: '001_first.sql' }]);
  expect(await back(1)).toEqual([]);
  expect(await run(1)).toEqual([]);
  expect(await names()).toEqual([{ name: '001_first.sql' }, { name: '002_second.sql' }]);
  await run();
  await fresh.database.query('update migrations set lives_with = null');
  await expect(back(1)).rejects.toThrow(`002_second.sql needs ${OLDEST_SERVED}`);
});

test('a failed migration leaves nothing behind, neither its own part nor that of those before it', async () => {
  await writeFile(join(folder, '003_broken.sql'), 'create table third_table (id int); select 1 / 0;');
  await expect(run()).rejects.toThrow('division by zero');
  const tables = await fresh.database.query(
    "select table_name from information_schema.tables where table_name in ('first_table', 'third_table')",
  );
  expect(tables).toEqual([]);
});
