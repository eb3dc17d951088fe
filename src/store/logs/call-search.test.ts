import { afterAll, beforeAll, expect, test } from 'vitest';
import { accountWith, CREDITS_PER_YUAN, callOf, NOVEMBER } from '../../../test/support/calls.ts';
import { type FreshDatabase, freshDatabase } from '../../../test/support/postgres.ts';
import { createCalendar } from '../../kernel/time/calendar.ts';
import { ManualClock } from '../../kernel/time/clock.ts';
import type { CallRecord } from '../../ledger/contract.ts';
import type { Database } from '../database.ts';
import { createLedgerStore } from '../ledger/ledger.ts';
import { type CallCursor, type CallSearch, searchCalls } from './call-search.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const clock = new ManualClock(NOVEMBER);
let fresh: FreshDatabase;
let calls: readonly CallRecord[];

beforeAll(async () => {
  fresh = await freshDatabase();
  const { database } = fresh;
  const ledger = createLedgerStore({
    database,
    creditsPerYuan: CREDITS_PER_YUAN,
    calendar: createCalendar('UTC'),
  });
  const accounts = await Promise.all([1, 2].map(() => accountWith(database, { creditsMicro: 10n ** 12n })));
  const old = { accountId: accounts[0] ?? 0, modelUsed: 'rare' };
  calls = [
    // Exactly on the hour, twice in a millisecond, and long before everything else.
    callOf({ ...old, createdAtMs: NOVEMBER - 90 * DAY }),
    ...[0, 0, 1].map((ms) => callOf({ ...old, createdAtMs: NOVEMBER - 3 * HOUR + ms })),
    ...Array.from({ length: 40 }, (_, at) =>
      callOf({ accountId: accounts[at % 2] ?? 0, createdAtMs: NOVEMBER - 2 * HOUR + at * 60_000 }),
    ),
    ...[1, 2].map((hours) =>
      callOf({ ...old, keyId: 4711, verdict: 'failed', status: 502, createdAtMs: NOVEMBER - hours * HOUR }),
    ),
  ];
  await ledger.settle(calls);
});
afterAll(() => fresh.drop());

const search = (wanted: CallSearch, database: Database = fresh.database) =>
  searchCalls({ database, clock }, wanted);

async function everyPage(filter: object, size: number): Promise<readonly string[]> {
  const found: string[] = [];
  let before: CallCursor | undefined;
  for (let pages = 0; pages < 100; pages++) {
    const { items, next } = await search({ ...filter, before, size });
    found.push(...items.map(({ callId }) => callId));
    if (next === undefined) return found;
    before = next;
  }
  throw new Error('the search does not come to an end');
}

test.each([1, 2, 3, 100])('each call is on one page, in any millisecond: %i a page', async (size) => {
  const all = await everyPage({}, size);
  expect(all.toSorted()).toEqual(calls.map(({ callId }) => callId).toSorted());
  const rare = calls.filter(({ modelUsed }) => modelUsed === 'rare').map(({ callId }) => callId);
  expect((await everyPage({ models: ['rare'] }, size)).toSorted()).toEqual(rare.toSorted());
});

test('a search for names without calls reads the roll-ups only', async () => {
  const asked: string[] = [];
  const { database } = fresh;
  const query: Database['query'] = (text, values = []) => {
    asked.push(text);
    return database.query(text, values);
  };
  const found = await search({ models: ['nobody'], size: 20 }, { ...database, query });
  expect(found).toEqual({ items: [], next: undefined });
  expect(asked.filter((text) => text.includes('usage_hourly')).length).toBeGreaterThan(2);
  // The log is asked for its beginning, and for nothing else.
  expect(asked.filter((text) => /from calls/.test(text))).toHaveLength(1);
});

test('the newest calls are read at once, and those of a key by its account', async () => {
  const { database } = fresh;
  const ask = async (wanted: CallSearch) => {
    const asked: (readonly unknown[])[] = [];
    const query: Database['query'] = (text, values = []) => {
      asked.push([text, ...values]);
      return database.query(text, values);
    };
    return { asked, found: await search(wanted, { ...database, query }) };
  };
  const newest = await ask({ size: 5 });
  expect(newest.found.items).toHaveLength(5);
  expect(newest.asked.filter(([text]) => String(text).includes('usage_hourly'))).toEqual([]);
  const accountId = calls[0]?.accountId ?? 0;
  const [key] = await database.query<{ id: bigint }>(
    `insert into api_keys (account_id, name, prefix, key_hash, status)
     values ($1, 'asked for', 'sk-a', 'a hash', 'enabled') returning id`,
    [accountId],
  );
  const ofKey = await ask({ keyId: Number(key?.id), size: 5 });
  expect(ofKey.found.items.every((call) => call.accountId === accountId)).toBe(true);
  const read = ofKey.asked.filter(([text]) => String(text).includes('usage_hourly'));
  expect(new Set(read.map((values) => values[3]))).toEqual(new Set([accountId]));
});

test('failed calls of a deleted key are looked for in the hours that have some', async () => {
  const { database } = fresh;
  const texts: string[] = [];
  const query: Database['query'] = (text, values = []) => {
    texts.push(text);
    return database.query(text, values);
  };
  const found = await search({ keyId: 4711, status: 'failed', size: 100 }, { ...database, query });
  expect(found.items.map(({ keyId, verdict }) => [keyId, verdict])).toEqual([
    [4711, 'failed'],
    [4711, 'failed'],
  ]);
  expect(texts.some((text) => text.includes('usage_hourly'))).toBe(true);
});

test('a search that runs out of time returns where it continues', async () => {
  const { database } = fresh;
  const slow: Database['query'] = (text, values) => {
    clock.advance(2_000);
    return database.query(text, values);
  };
  const first = await search({ models: ['nobody'], size: 20 }, { ...database, query: slow });
  expect(first.items).toEqual([]);
  expect(first.next?.createdAtMs).toBeLessThan(NOVEMBER);
});

test('a time that goes far into the future is not looked through there', async () => {
  const { database } = fresh;
  let asked = 0;
  const query: Database['query'] = (text, values = []) => {
    asked += 1;
    return database.query(text, values);
  };
  const wanted = { fromMs: NOVEMBER - DAY, toMs: NOVEMBER + 3_000 * DAY, size: 2 };
  const { items } = await search(wanted, { ...database, query });
  expect(items).toHaveLength(2);
  expect(asked).toBeLessThan(8);
});
