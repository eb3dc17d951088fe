import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { freshDatabase } from '../../test/support/postgres.ts';
import { silentLogger } from '../kernel/log.ts';
import { openStore } from './open.ts';

const folder = mkdtempSync(join(tmpdir(), 'tollgate-open-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('without DATABASE_URL the embedded server is used, migrated once, and stopped when it is closed', async () => {
  const place = { databaseUrl: undefined, dataDirectory: folder, log: silentLogger };
  const first = await openStore(place);
  expect(first.migrated.length).toBeGreaterThan(0);
  await first.close();
  expect(existsSync(join(folder, 'postgres', 'postmaster.pid'))).toBe(false);
  const again = await openStore(place);
  expect(again.migrated).toEqual([]);
  await again.close();
});

test('DATABASE_URL selects that server and does not use the data directory', async () => {
  const fresh = await freshDatabase();
  const dataDirectory = join(folder, 'untouched');
  const store = await openStore({ databaseUrl: fresh.connection, dataDirectory, log: silentLogger });
  expect(await store.database.query('select 1 as one')).toEqual([{ one: 1 }]);
  await store.close();
  await fresh.drop();
  expect(existsSync(dataDirectory)).toBe(false);
});
