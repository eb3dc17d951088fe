import { afterEach, beforeEach, expect, it } from 'vitest';
import { CATALOG_TEXT, catalogDocument } from '../../../test/support/catalog.ts';
import { type FreshDatabase, freshDatabase } from '../../../test/support/postgres.ts';
import { hashApiKey } from '../../accounts/api-key.ts';
import { CachedDirectory } from '../../accounts/directory.ts';
import { newSealer } from '../../kernel/encoding/seal.ts';
import { silentLogger } from '../../kernel/log.ts';
import { systemRandom } from '../../kernel/random.ts';
import { systemClock } from '../../kernel/time/clock.ts';
import { applyCatalog } from '../catalog/catalog.ts';
import { announceAndWait, followChanges } from '../changes.ts';
import { type Database, openDatabase } from '../database.ts';
import { findLogin, updateAccount } from './accounts.ts';
import { createKey, deleteKeys } from './api-keys.ts';
import { directorySource } from './directory-source.ts';

const options = {
  sealer: newSealer(['the secret of this test, long enough'], systemRandom),
  log: silentLogger,
  clock: systemClock,
  hashPassword: () => Promise.resolve('hash'),
};

/** A server of its own: its pool, its listener, its memory. */
interface Server {
  readonly database: Database;
  readonly directory: CachedDirectory;
}

let fresh: FreshDatabase;
let servers: Server[];

async function startServer(): Promise<Server> {
  const database = await openDatabase({ connection: fresh.connection, log: silentLogger });
  const source = directorySource(database, options);
  const directory = await CachedDirectory.open({ source, clock: systemClock, log: silentLogger });
  const follower = {
    onChange: (change: { kind: string; accountId?: number }) =>
      change.kind === 'catalog' ? directory.reloadCatalog() : directory.forgetAccount(change.accountId ?? 0),
    onMissed: () => directory.forgetAll(),
  };
  await followChanges(database, follower, silentLogger);
  return { database, directory };
}

beforeEach(async () => {
  fresh = await freshDatabase();
  await applyCatalog(fresh.database, catalogDocument(CATALOG_TEXT), options);
  servers = [await startServer(), await startServer()];
});

afterEach(async () => {
  for (const { directory, database } of servers) {
    directory.close();
    await database.close();
  }
  await fresh.drop();
});

async function newKey(): Promise<{ accountId: number; keyId: number; hash: string }> {
  const login = await findLogin(fresh.database, 'user@example.com');
  const accountId = login?.accountId ?? 0;
  const wanted = {
    accountId,
    name: 'k',
    policyId: undefined,
    expiresAtMs: undefined,
    status: 'enabled',
  } as const;
  const created = await createKey(fresh.database, wanted, systemRandom);
  if (created.kind !== 'created') throw new Error(created.kind);
  return { accountId, keyId: created.key.id, hash: hashApiKey(created.text) };
}

it('a caller is loaded with the plan of the catalogue', async () => {
  const { hash, accountId } = await newKey();
  for (const { directory } of servers) {
    const caller = await directory.findCaller(hash);
    expect(caller?.account).toMatchObject({
      id: accountId,
      userType: 1,
      funds: { creditsMicro: 50_000_500_000n },
    });
    expect(caller?.account.subscriptions[0]?.plan).toBe(directory.catalog().plans.get('PRO'));
  }
});

it('a deleted key is unknown to every server once the change is acknowledged', async () => {
  for (let round = 0; round < 10; round++) {
    const { accountId, keyId, hash } = await newKey();
    for (const { directory } of servers) expect(await directory.findCaller(hash)).toBeDefined();
    await deleteKeys(fresh.database, accountId, [keyId]);
    expect(await announceAndWait(fresh.database, 60_000)).toBe('in-force');
    for (const { directory } of servers) expect(await directory.findCaller(hash)).toBeUndefined();
  }
});

it('a changed account and a changed catalogue are in force on every server once acknowledged', async () => {
  const { accountId, hash } = await newKey();
  for (const { directory } of servers) await directory.findCaller(hash);
  await updateAccount(fresh.database, accountId, { userType: 2 });
  await applyCatalog(
    fresh.database,
    catalogDocument(CATALOG_TEXT.replace('level: 2, price', 'level: 3, price')),
    options,
  );
  expect(await announceAndWait(fresh.database, 60_000)).toBe('in-force');
  for (const { directory } of servers) {
    const caller = await directory.findCaller(hash);
    expect([caller?.account.userType, caller?.account.subscriptions[0]?.plan.level]).toEqual([2, 3]);
  }
});

it('a change that was missed while the listener was cut off is seen after its return', async () => {
  const { accountId, hash } = await newKey();
  const [{ directory }] = servers as [Server];
  await directory.findCaller(hash);
  // The write and the cut happen in one statement, so this server cannot hear the notice.
  await fresh.database.query(
    `with cut as (select pg_terminate_backend(pid) from pg_stat_activity
                  where datname = current_database() and pid <> pg_backend_pid())
     update accounts set status = 'disabled' from (select count(*) from cut) as done where id = $1`,
    [accountId],
  );
  await expect
    .poll(async () => (await directory.findCaller(hash))?.account.status, { timeout: 60_000 })
    .toBe('disabled');
});
