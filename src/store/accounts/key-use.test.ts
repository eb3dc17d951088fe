import { afterAll, beforeAll, expect, test } from 'vitest';
import { accountWith, CREDITS_PER_YUAN, callOf, NOVEMBER } from '../../../test/support/calls.ts';
import { type FreshDatabase, freshDatabase } from '../../../test/support/postgres.ts';
import { systemRandom } from '../../kernel/random.ts';
import { createCalendar } from '../../kernel/time/calendar.ts';
import { createLedgerStore } from '../ledger/ledger.ts';
import { Writes } from '../writes.ts';
import { createKey, deleteKeys, findKey, type ListedKey, updateKey } from './api-keys.ts';
import { KeyUse } from './key-use.ts';

const MINUTE_MS = 60_000;
let fresh: FreshDatabase;
let accountId: number;

beforeAll(async () => {
  fresh = await freshDatabase();
  accountId = await accountWith(fresh.database, { creditsMicro: 1_000_000_000n });
});
afterAll(() => fresh.drop());

async function newKey(name = 'a key'): Promise<ListedKey> {
  const wanted = { accountId, name, policyId: undefined, expiresAtMs: undefined, status: 'enabled' } as const;
  const created = await createKey(fresh.database, wanted, systemRandom);
  if (created.kind !== 'created') throw new Error(created.kind);
  return created.key;
}

const settle = (calls: readonly { readonly keyId: number; readonly createdAtMs: number }[]) =>
  createLedgerStore({
    database: fresh.database,
    creditsPerYuan: CREDITS_PER_YUAN,
    calendar: createCalendar('UTC'),
  }).settle(calls.map((parts) => callOf({ accountId, ...parts })));

const lastUsed = async (key: ListedKey) => (await findKey(fresh.database, accountId, key.id))?.lastUsedAtMs;

test('a key is marked as used by its settled calls, to the minute', async () => {
  const [used, idle] = [await newKey(), await newKey()];
  expect(used.lastUsedAtMs).toBeUndefined();
  await settle([
    { keyId: used.id, createdAtMs: NOVEMBER + 5_000 },
    { keyId: used.id, createdAtMs: NOVEMBER + 2_000 },
  ]);
  expect(await lastUsed(used), 'the last of a batch').toBe(NOVEMBER + 5_000);
  await settle([{ keyId: used.id, createdAtMs: NOVEMBER + 5_000 + MINUTE_MS }]);
  expect(await lastUsed(used), 'a minute later it is not written again').toBe(NOVEMBER + 5_000);
  await settle([{ keyId: used.id, createdAtMs: NOVEMBER + 5_001 + MINUTE_MS }]);
  expect(await lastUsed(used)).toBe(NOVEMBER + 5_001 + MINUTE_MS);
  await settle([{ keyId: used.id, createdAtMs: NOVEMBER }]);
  expect(await lastUsed(used), 'a late call changes nothing').toBe(NOVEMBER + 5_001 + MINUTE_MS);
  expect(await lastUsed(idle)).toBeUndefined();
});

test('a process marks a busy key once a minute, after failures too', () => {
  const keyUse = new KeyUse();
  const due = (afterMs: number) => {
    const calls = [callOf({ accountId, keyId: 7, createdAtMs: NOVEMBER + afterMs })];
    return keyUse.add(new Writes(), calls);
  };
  expect(due(0), 'not committed').toEqual(new Map([[7, NOVEMBER]]));
  keyUse.remember(due(0));
  expect([due(-5_000), due(0), due(MINUTE_MS)].map((uses) => uses.size)).toEqual([0, 0, 0]);
  keyUse.remember(due(MINUTE_MS + 1));
  expect(due(MINUTE_MS * 2).size).toBe(0);
  expect(due(MINUTE_MS * 2 + 2)).toEqual(new Map([[7, NOVEMBER + MINUTE_MS * 2 + 2]]));
});

test('calls of a deleted key are still settled', async () => {
  const key = await newKey();
  await deleteKeys(fresh.database, accountId, [key.id]);
  await expect(settle([{ keyId: key.id, createdAtMs: NOVEMBER }])).resolves.toHaveLength(1);
});

test('a name has up to 100 characters of any size in bytes', async () => {
  const name = '𝔎'.repeat(100);
  const key = await newKey(name);
  const place = { accountId, keyId: key.id };
  expect(key.name).toBe(name);
  expect(await updateKey(fresh.database, place, { name: 'b', status: 'disabled' })).toEqual({
    ...key,
    name: 'b',
    status: 'disabled',
  });
  expect(await updateKey(fresh.database, place, { status: 'enabled' })).toEqual({ ...key, name: 'b' });
  expect(() => updateKey(fresh.database, place, { name: `${name}x` })).toThrow('checked before');
  const stranger = await accountWith(fresh.database, {});
  expect(
    await updateKey(fresh.database, { accountId: stranger, keyId: key.id }, { name: 'c' }),
  ).toBeUndefined();
});
