import { afterAll, beforeAll, expect, it } from 'vitest';
import { type FreshDatabase, freshDatabase } from '../../../test/support/postgres.ts';
import {
  BACKUP_TABLES,
  LEFT_OUT_TABLES,
  MONTHLY_TABLES,
  OWN_FUNCTIONS,
  OWN_SEQUENCES,
  TELLING_TABLES,
} from './tables.ts';

let fresh: FreshDatabase;
beforeAll(async () => {
  fresh = await freshDatabase();
});
afterAll(() => fresh.drop());

async function namesOf(question: string): Promise<readonly string[]> {
  const rows = await fresh.database.query<{ name: string }>(question);
  return rows.map(({ name }) => name).sort();
}

it('a backup knows every table, sequence and function of a migrated database', async () => {
  const tables = await namesOf(
    `select relname::text as name from pg_class c
     where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition`,
  );
  expect([...BACKUP_TABLES, ...LEFT_OUT_TABLES].sort()).toEqual(tables);
  const free = await namesOf(
    `select relname::text as name from pg_class c where relnamespace = current_schema()::regnamespace
       and relkind = 'S' and not exists (select 1 from pg_depend d where d.objid = c.oid and d.deptype = 'i')`,
  );
  expect([...OWN_SEQUENCES].sort()).toEqual(free);
  const functions = await namesOf(
    'select proname::text as name from pg_proc where pronamespace = current_schema()::regnamespace',
  );
  expect([...OWN_FUNCTIONS].sort()).toEqual(functions);
  const parted = await namesOf("select relname::text as name from pg_class where relkind = 'p'");
  expect([...MONTHLY_TABLES].sort()).toEqual(parted);
  expect(TELLING_TABLES.filter((name) => !BACKUP_TABLES.includes(name))).toEqual([]);
});

it('identity columns count with a sequence that a backup finds by its name', async () => {
  const named = await namesOf(
    `select c.relname::text as name from pg_class c join pg_depend d on d.objid = c.oid and d.deptype = 'i'
     where c.relkind = 'S' and c.relnamespace = current_schema()::regnamespace`,
  );
  expect(named.filter((name) => !BACKUP_TABLES.includes(name.replace(/_id_seq$/, '')))).toEqual([]);
  expect(named.length).toBeGreaterThan(8);
});

it('a table comes after those that it refers to', async () => {
  const references = await fresh.database.query<{ one: string; other: string }>(
    `select conrelid::regclass::text as one, confrelid::regclass::text as other from pg_constraint
     where contype = 'f' and connamespace = current_schema()::regnamespace`,
  );
  expect(references.length).toBeGreaterThan(10);
  const wrong = references.filter(
    ({ one, other }) => BACKUP_TABLES.indexOf(one) < BACKUP_TABLES.indexOf(other),
  );
  expect(wrong).toEqual([]);
});
