import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { accountWith } from '../../test/support/calls.ts';
import { type FreshDatabase, freshDatabase } from '../../test/support/postgres.ts';
import { StoreUnavailable } from '../accounts/contract.ts';
import {
  CONVERSATION_CACHE_MS,
  CONVERSATION_VALUE_BYTES_MAX,
  CONVERSATIONS_UNWRITTEN_BYTES_MAX,
} from '../bounds.ts';
import { newSealer } from '../kernel/encoding/seal.ts';
import { type Logger, silentLogger } from '../kernel/log.ts';
import { systemRandom } from '../kernel/random.ts';
import { ManualClock } from '../kernel/time/clock.ts';
import { createConversationStore } from '../store/accounts/conversations.ts';
import type { ConversationStore } from './contract.ts';
import { StoredConversations } from './kept.ts';

const DAY_MS = 86_400_000;
const MIB = 2 ** 20;
const sealer = newSealer(['a secret of more than thirty-two bytes'], systemRandom);

let fresh: FreshDatabase;
let store: ConversationStore;
let accountId = 0;
let stranger = 0;
let clock: ManualClock;
const started: StoredConversations[] = [];

beforeAll(async () => {
  fresh = await freshDatabase();
  store = createConversationStore(fresh.database, sealer);
  accountId = await accountWith(fresh.database, {});
  stranger = await accountWith(fresh.database, {});
});
beforeEach(async () => {
  clock = new ManualClock();
  await fresh.database.query('delete from conversations');
});
afterEach(async () => {
  for (const kept of started.splice(0)) await kept.stop();
});
afterAll(() => fresh.drop());

/** Every one is a node of its own on the same store. */
function node(parts: { store?: ConversationStore; retentionDays?: number; log?: Logger } = {}) {
  const kept = new StoredConversations({ store, clock, log: silentLogger, retentionDays: 30, ...parts });
  started.push(kept);
  return kept;
}

const text = async (kept: StoredConversations, key: string, account = accountId) =>
  (await kept.find(account, key))?.toString();

/** Bytes of buffers that somebody still has. */
function liveBufferBytes(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  // V8 frees buffers beside the program; the next collection waits until it is done.
  collect();
  collect();
  return process.memoryUsage().arrayBuffers;
}

describe('a stored conversation', () => {
  it('is found at once by the node that stored it, and by no other account', async () => {
    const kept = node();
    kept.keep(accountId, 'resp:1', Buffer.from('hello'));
    expect(kept.find(accountId, 'resp:1')).toEqual(Buffer.from('hello'));
    expect(await text(kept, 'resp:1', stranger)).toBeUndefined();
    expect(await text(kept, 'resp:2')).toBeUndefined();
  });

  it('reaches the database, where other nodes find it', async () => {
    const kept = node();
    kept.keep(accountId, 'resp:1', Buffer.from('hello'));
    const other = node();
    await expect.poll(() => text(other, 'resp:1'), { interval: 20 }).toBe('hello');
    expect(await text(other, 'resp:1', stranger)).toBeUndefined();
  });

  it('is in the database after a clean stop', async () => {
    const kept = node();
    for (let index = 0; index < 200; index++) kept.keep(accountId, `resp:${index}`, Buffer.from(`${index}`));
    kept.keep(accountId, 'resp:7', Buffer.from('seven, again'));
    await kept.stop();
    const other = node();
    expect(await text(other, 'resp:0')).toBe('0');
    expect(await text(other, 'resp:7')).toBe('seven, again');
    expect(await text(other, 'resp:199')).toBe('199');
  });

  it('is looked up together with the others of its turn, and only once', async () => {
    const kept = node();
    for (let index = 0; index < 20; index++) kept.keep(accountId, `call:${index}`, Buffer.from(`${index}`));
    await kept.flush();
    let reads = 0;
    const read: ConversationStore['read'] = (keys, sinceMs) => {
      reads++;
      return store.read(keys, sinceMs);
    };
    const other = node({ store: { ...store, read } });
    const keys = Array.from({ length: 20 }, (_, index) => `call:${index}`);
    const found = await Promise.all([...keys, ...keys].map((key) => text(other, key)));
    expect(found).toEqual([...keys, ...keys].map((key) => key.slice(5)));
    expect(reads).toBe(1);
  });

  it('is deleted when its time is over, in memory and in the database', async () => {
    const kept = node({ retentionDays: 7 });
    kept.keep(accountId, 'resp:1', Buffer.from('hello'));
    await kept.flush();
    clock.advance(7 * DAY_MS - 1);
    expect(await text(node({ retentionDays: 7 }), 'resp:1')).toBe('hello');
    clock.advance(1);
    expect(await text(kept, 'resp:1')).toBeUndefined();
    expect(await text(node({ retentionDays: 7 }), 'resp:1')).toBeUndefined();
    await kept.tidy();
    expect(await fresh.database.query('select 1 from conversations')).toEqual([]);
  });

  it('is not stored with a retention of 0, and existing ones are deleted', async () => {
    const before = node();
    before.keep(accountId, 'resp:1', Buffer.from('hello'));
    await before.flush();
    const kept = node({ retentionDays: 0 });
    kept.keep(accountId, 'resp:2', Buffer.from('hello'));
    expect(await text(kept, 'resp:1')).toBeUndefined();
    expect(await text(kept, 'resp:2')).toBeUndefined();
    await kept.tidy();
    expect(await fresh.database.query('select 1 from conversations')).toEqual([]);
  });

  it('that is too large is not stored', async () => {
    const kept = node();
    kept.keep(accountId, 'most', Buffer.alloc(CONVERSATION_VALUE_BYTES_MAX));
    kept.keep(accountId, 'more', Buffer.alloc(CONVERSATION_VALUE_BYTES_MAX + 1));
    kept.keep(accountId, 'k'.repeat(10_000), Buffer.from('x'));
    await kept.flush();
    expect((await node().find(accountId, 'most'))?.length).toBe(CONVERSATION_VALUE_BYTES_MAX);
    expect(await text(kept, 'more')).toBeUndefined();
    expect(await text(kept, 'k'.repeat(10_000))).toBeUndefined();
  });
});

describe('memory', () => {
  it('is freed when a value is no longer trusted', async () => {
    const kept = node();
    for (let index = 0; index < 20; index++) kept.keep(accountId, `resp:${index}`, Buffer.alloc(MIB));
    await kept.flush();
    await kept.tidy();
    const heldBytes = liveBufferBytes();
    clock.advance(CONVERSATION_CACHE_MS);
    await kept.tidy();
    await expect.poll(() => heldBytes - liveBufferBytes()).toBeGreaterThan(18 * MIB);
    expect((await kept.find(accountId, 'resp:5'))?.length).toBe(MIB);
  });
});

describe('a deletion', () => {
  it('reports whether something was deleted, and nobody finds it afterwards', async () => {
    const kept = node();
    const other = node();
    kept.keep(accountId, 'resp:1', Buffer.from('waiting'));
    kept.keep(accountId, 'resp:2', Buffer.from('stored'));
    expect(await kept.forget(stranger, 'resp:1')).toBe(false);
    expect(await kept.forget(accountId, 'resp:1')).toBe(true);
    await kept.flush();
    expect(await other.forget(accountId, 'resp:2')).toBe(true);
    expect(await other.forget(accountId, 'resp:2')).toBe(false);
    expect(await text(other, 'resp:2')).toBeUndefined();
    expect(await text(kept, 'resp:1')).toBeUndefined();
    expect(await fresh.database.query('select 1 from conversations')).toEqual([]);
  });

  it('on one node reaches the others within a minute', async () => {
    const kept = node();
    kept.keep(accountId, 'resp:1', Buffer.from('hello'));
    await kept.flush();
    expect(await node().forget(accountId, 'resp:1')).toBe(true);
    clock.advance(CONVERSATION_CACHE_MS);
    expect(await text(kept, 'resp:1')).toBeUndefined();
  });

  it('is not undone by a batch that was already on its way', async () => {
    const slow = { ...store };
    const held = Promise.withResolvers<void>();
    slow.write = async (values) => {
      await held.promise;
      await store.write(values);
    };
    const kept = node({ store: slow });
    kept.keep(accountId, 'resp:1', Buffer.from('hello'));
    const flushed = kept.flush();
    const forgotten = kept.forget(accountId, 'resp:1');
    held.resolve();
    await flushed;
    expect(await forgotten).toBe(true);
    expect(await text(kept, 'resp:1')).toBeUndefined();
    expect(await text(node(), 'resp:1')).toBeUndefined();
  });
});

describe('while the database is away', () => {
  const away = () => Promise.reject(new StoreUnavailable('away'));
  const broken: ConversationStore = { write: away, read: away, remove: away, prune: away, trim: away };

  it('conversations of this node are found, others are not, and nothing fails', async () => {
    const kept = node({ store: broken });
    kept.keep(accountId, 'resp:1', Buffer.from('hello'));
    await kept.flush();
    await kept.tidy();
    expect(await text(kept, 'resp:1')).toBe('hello');
    expect(await text(kept, 'resp:2')).toBeUndefined();
  });

  it('the oldest are dropped when too much waits, and that is logged once', async () => {
    const lines: string[] = [];
    const log = { ...silentLogger, warn: (_fields: object, line: string) => lines.push(line) };
    const switching = { ...broken };
    const kept = node({ store: switching, log });
    const value = Buffer.alloc(CONVERSATION_VALUE_BYTES_MAX);
    const fitting = CONVERSATIONS_UNWRITTEN_BYTES_MAX / CONVERSATION_VALUE_BYTES_MAX;
    for (let index = 0; index < fitting + 2; index++) kept.keep(accountId, `resp:${index}`, value);
    expect(lines).toEqual(['the database does not take conversations: the oldest waiting ones are dropped']);
    expect(await text(kept, 'resp:0')).toBeUndefined();
    expect(await kept.find(accountId, `resp:${fitting + 1}`)).toHaveLength(value.length);
    Object.assign(switching, store);
    await kept.flush();
    expect(await node().find(accountId, `resp:${fitting + 1}`)).toHaveLength(value.length);
  });

  it('a batch that can never be written does not block the next one', async () => {
    let tries = 0;
    const write: ConversationStore['write'] = (values) =>
      tries++ === 0 ? Promise.reject(new Error('not so')) : store.write(values);
    const kept = node({ store: { ...store, write } });
    kept.keep(accountId, 'resp:1', Buffer.from('lost'));
    await kept.flush();
    kept.keep(accountId, 'resp:2', Buffer.from('kept'));
    await kept.flush();
    expect(await text(node(), 'resp:1')).toBeUndefined();
    expect(await text(node(), 'resp:2')).toBe('kept');
  });
});
