import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type FreshDatabase, freshDatabase } from '../../test/support/postgres.ts';
import { silentLogger } from '../kernel/log.ts';
import { migrate } from './migrate.ts';

let fresh: FreshDatabase;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tollgate-migrations-'));
});

beforeEach(async () => {
  fresh = await freshDatabase();
  await fresh.database.query('drop table migrations');
  await writeFile(
    join(folder, '001_first.sql'),
    'create table first_table (id int); insert into first_table values (1);',
  );
  await writeFile(join(folder, '002_second.sql'), 'create table second_table (id int);');
  await rm(join(folder, '003_broken.sql'), { force: true });
  return () => fresh.drop();
});

afterAll(() => rm(folder, { recursive: true, force: true }));

const run = () => migrate({ connection: fresh.connection, log: silentLogger, folder });

test('migrations are applied in order, once', async () => {
  expect(await run()).toEqual(['001_first.sql', '002_second.sql']);
  expect(await run()).toEqual([]);
  expect(await fresh.database.query('select id from first_table')).toEqual([{ id: 1 }]);
});

test('eight starts at once apply every migration exactly once', async () => {
  const results = await Promise.all(Array.from({ length: 8 }, run));
  expect(results.flat().sort()).toEqual(['001_first.sql', '002_second.sql']);
  expect(await fresh.database.query('select id from first_table')).toEqual([{ id: 1 }]);
});

test('a migration that was changed after it was applied is refused', async () => {
  await run();
  await writeFile(join(folder, '001_first.sql'), 'create table first_table (id bigint);');
  await expect(run()).rejects.toThrow('migration 001_first.sql was changed after it had been applied');
});

test('a database of a newer version is refused', async () => {
  await run();
  await rm(join(folder, '002_second.sql'));
  await expect(run()).rejects.toThrow('has migration 002_second.sql, which this version does not know');
});

test('a migration that fails leaves nothing behind, neither its own part nor that of those before it', async () => {
  await writeFile(join(folder, '003_broken.sql'), 'create table third_table (id int); select 1 / 0;');
  await expect(run()).rejects.toThrow('division by zero');
  const tables = await fresh.database.query(
    "select table_name from information_schema.tables where table_name in ('first_table', 'third_table')",
  );
  expect(tables).toEqual([]);
});
