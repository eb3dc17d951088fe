import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { accountWith } from '../../../test/support/calls.ts';
import { type FreshDatabase, freshDatabase } from '../../../test/support/postgres.ts';
import type { ConversationStore, ConversationValue } from '../../conversation/contract.ts';
import { newSealer } from '../../kernel/encoding/seal.ts';
import { systemRandom } from '../../kernel/random.ts';
import { createConversationStore } from './conversations.ts';

const NOON = Date.UTC(2026, 10, 15, 12);
const sealerOf = (secret: string) => newSealer([secret.repeat(40)], systemRandom);

let fresh: FreshDatabase;
let store: ConversationStore;
let ada = 0;
let bob = 0;

beforeAll(async () => {
  fresh = await freshDatabase();
  store = createConversationStore(fresh.database, sealerOf('a'));
  ada = await accountWith(fresh.database, {});
  bob = await accountWith(fresh.database, {});
});
beforeEach(() => fresh.database.query('delete from conversations'));
afterAll(() => fresh.drop());

function kept(accountId: number, key: string, text: string, createdAtMs = NOON): ConversationValue {
  return { accountId, key, value: Buffer.from(text), createdAtMs };
}

const keysOf = (values: readonly ConversationValue[]) => values.map(({ key }) => key).sort();

describe('conversations in the store', () => {
  it('are found unchanged by their account and key', async () => {
    const bytes = Buffer.from([0, 255, 1, 128]);
    const odd = { accountId: ada, key: 'resp:\0\ud800 é', value: bytes, createdAtMs: NOON };
    await store.write([kept(ada, 'resp:1', 'of Ada'), kept(bob, 'resp:1', 'of Bob'), odd]);
    const found = await store.read([{ accountId: ada, key: 'resp:1' }, odd], 0);
    expect(found).toHaveLength(2);
    expect(found).toContainEqual(kept(ada, 'resp:1', 'of Ada'));
    expect(found).toContainEqual(odd);
  });

  it('are not found by another account, and are unreadable in the table', async () => {
    await store.write([kept(ada, 'resp:secret-id', 'a secret '.repeat(1_000))]);
    expect(await store.read([{ accountId: bob, key: 'resp:secret-id' }], 0)).toEqual([]);
    const rows = await fresh.database.query('select c::text as text, sealed from conversations c');
    const [row] = rows as { text: string; sealed: Buffer }[];
    expect(row?.text).not.toContain('secret');
    expect(row?.sealed.includes('secret')).toBe(false);
    // Compressed before it is sealed: afterwards it would be too late.
    expect(row?.sealed.length).toBeLessThan(200);
  });

  it('do not open in another account’s row, under another key, or with another secret', async () => {
    await store.write([kept(ada, 'resp:1', 'of Ada'), kept(ada, 'resp:2', 'of Ada, later')]);
    const other = createConversationStore(fresh.database, sealerOf('b'));
    expect(await other.read([{ accountId: ada, key: 'resp:1' }], 0)).toEqual([]);
    await fresh.database.query('update conversations set account_id = $1', [bob]);
    expect(await store.read([{ accountId: bob, key: 'resp:1' }], 0)).toEqual([]);
    await fresh.database.query('update conversations set account_id = $1', [ada]);
    await fresh.database.query(
      `update conversations set sealed = (select sealed from conversations order by bytes limit 1)`,
    );
    expect(
      keysOf(
        await store.read(
          ['resp:1', 'resp:2'].map((key) => ({ accountId: ada, key })),
          0,
        ),
      ),
    ).toEqual(['resp:1']);
  });

  it('are replaced by a later value under the same key', async () => {
    await store.write([kept(ada, 'resp:1', 'first')]);
    await store.write([kept(ada, 'resp:1', 'second', NOON + 1)]);
    expect(await store.read([{ accountId: ada, key: 'resp:1' }], 0)).toEqual([
      kept(ada, 'resp:1', 'second', NOON + 1),
    ]);
  });

  it('are not found when they are older than requested', async () => {
    await store.write([kept(ada, 'resp:1', 'x')]);
    const key = { accountId: ada, key: 'resp:1' };
    expect(await store.read([key], NOON - 1)).toHaveLength(1);
    expect(await store.read([key], NOON)).toEqual([]);
  });

  it('can be removed once', async () => {
    await store.write([kept(ada, 'resp:1', 'x')]);
    expect(await store.remove({ accountId: bob, key: 'resp:1' })).toBe(false);
    expect(await store.remove({ accountId: ada, key: 'resp:1' })).toBe(true);
    expect(await store.remove({ accountId: ada, key: 'resp:1' })).toBe(false);
  });

  it('of a deleted account do not block those of others', async () => {
    await store.write([kept(999_999, 'resp:1', 'x'), kept(ada, 'resp:1', 'x')]);
    expect(await store.read([{ accountId: ada, key: 'resp:1' }], 0)).toHaveLength(1);
    expect(await store.read([{ accountId: 999_999, key: 'resp:1' }], 0)).toEqual([]);
  });
});

describe('the upkeep of the store', () => {
  it('deletes what is too old, in steps', async () => {
    const old = ['a', 'b', 'c'].map((key, index) => kept(ada, key, 'x', NOON - 10 + index));
    await store.write([...old, kept(ada, 'young', 'x')]);
    expect(await store.prune(NOON - 8, 2)).toBe(2);
    expect(await store.prune(NOON - 8, 2)).toBe(1);
    expect(await store.prune(NOON - 8, 2)).toBe(0);
    expect(await store.read([{ accountId: ada, key: 'young' }], 0)).toHaveLength(1);
  });

  it('deletes the oldest of an account that has too many', async () => {
    const keys = ['1', '2', '3', '4'];
    const all = [ada, bob].flatMap((id) => keys.map((key, index) => kept(id, key, 'x', NOON + index)));
    await store.write(all);
    expect(await store.trim([ada], { rowsMax: 2, bytesMax: 1_000, limit: 100 })).toBe(2);
    expect(keysOf(await store.read(all, 0))).toEqual(['1', '2', '3', '3', '4', '4']);
  });

  it('deletes the oldest of an account that has too much', async () => {
    const all = ['1', '2', '3', '4'].map((key, index) => kept(ada, key, 'x'.repeat(100), NOON + index));
    await store.write(all);
    expect(await store.trim([ada, bob], { rowsMax: 100, bytesMax: 250, limit: 1 })).toBe(1);
    expect(await store.trim([ada, bob], { rowsMax: 100, bytesMax: 250, limit: 10 })).toBe(1);
    expect(keysOf(await store.read(all, 0))).toEqual(['3', '4']);
  });
});
