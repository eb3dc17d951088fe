import { afterAll, beforeAll, expect, test } from 'vitest';
import { newMember } from '../../../test/support/logins.ts';
import { type FreshDatabase, freshDatabase } from '../../../test/support/postgres.ts';
import { hashApiKey } from '../../accounts/api-key.ts';
import { newSealer } from '../../kernel/encoding/seal.ts';
import { silentLogger } from '../../kernel/log.ts';
import { systemRandom } from '../../kernel/random.ts';
import { findCaller } from './accounts.ts';
import { listKeys } from './api-keys.ts';
import { makePlaygroundKey, type PlaygroundKey, prunePlaygroundKeys } from './playground-keys.ts';
import { createSessionStore, insertSession } from './sessions.ts';

const unsealing = {
  sealer: newSealer(['the secret of this test, long enough'], systemRandom),
  log: silentLogger,
};
const HOUR_MS = 3_600_000;
const nowMs = Date.now();

let fresh: FreshDatabase;
let accountId: number;
beforeAll(async () => {
  fresh = await freshDatabase();
  accountId = await newMember(fresh.database, 'player@example.com');
});
afterAll(() => fresh.drop());

async function login(id: string): Promise<void> {
  const session = { id, accountId, kind: 'cookie', secretHash: 'h', address: '192.0.2.1' } as const;
  const rest = { addressMark: 'm', userAgent: 'a test', createdAtMs: nowMs, expiresAtMs: nowMs + 60_000 };
  await insertSession(fresh.database, { ...session, ...rest });
}

const make = (sessionId: string): Promise<PlaygroundKey | undefined> =>
  makePlaygroundKey(
    fresh.database,
    { accountId, sessionId, nowMs, expiresAtMs: nowMs + HOUR_MS },
    systemRandom,
  );

async function isValid(key: PlaygroundKey | undefined): Promise<boolean> {
  return (await findCaller(fresh.database, hashApiKey(key?.text ?? ''), unsealing)) !== undefined;
}

const rows = () => fresh.database.query('select id from api_keys where account_id = $1', [accountId]);

test('a session has one key, not beyond its own end, and none when it is over', async () => {
  await login('first');
  expect(await make('another')).toBeUndefined();
  const replaced = await make('first');
  expect(replaced).toMatchObject({ expiresAtMs: nowMs + 60_000 });
  const key = await make('first');
  expect([await isValid(replaced), await isValid(key)]).toEqual([false, true]);
  expect(await rows()).toHaveLength(1);
  expect(await listKeys(fresh.database, accountId, { offset: 0, limit: 10 })).toEqual({
    items: [],
    total: 0,
  });
  await createSessionStore(fresh.database).endSession(accountId, 'first', nowMs);
  expect(await isValid(key)).toBe(false);
  expect(await make('first')).toBeUndefined();
  expect(await prunePlaygroundKeys(fresh.database, nowMs)).toBe(0);
  expect(await prunePlaygroundKeys(fresh.database, nowMs + 60_000)).toBe(1);
  expect(await rows()).toEqual([]);
});

test('a session ends while a settlement has locked its account and its key', async () => {
  await Promise.all(['ended', 'deleted'].map(login));
  const keys = [await make('ended'), await make('deleted')];
  const settlement = await fresh.database.transaction(async (transaction) => {
    await transaction.query('select id from accounts where id = $1 for update', [accountId]);
    await transaction.query('select id from api_keys where account_id = $1 for update', [accountId]);
    await createSessionStore(fresh.database).endSession(accountId, 'ended', nowMs);
    await fresh.database.query('delete from sessions where id = $1', ['deleted']);
    return 'committed';
  });
  expect(settlement).toBe('committed');
  expect(await Promise.all(keys.map(isValid))).toEqual([false, false]);
});
