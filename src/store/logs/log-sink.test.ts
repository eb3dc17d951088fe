import { afterEach, beforeEach, expect, test } from 'vitest';
import { accountWith, CREDITS_PER_YUAN, callOf } from '../../../test/support/calls.ts';
import { type FreshDatabase, freshDatabase } from '../../../test/support/postgres.ts';
import { COLUMNS } from '../../clickhouse/statements.ts';
import { createCalendar } from '../../kernel/time/calendar.ts';
import { createLedgerStore } from '../ledger/ledger.ts';
import { createSinkStore } from './log-sink.ts';
import { dropPartitionsBefore } from './partitions.ts';

let fresh: FreshDatabase;
beforeEach(async () => {
  fresh = await freshDatabase();
});
afterEach(() => fresh.drop());

const settle = async (createdAtMs: number, parts: object = {}): Promise<string> => {
  const calendar = createCalendar('UTC');
  const ledger = createLedgerStore({ database: fresh.database, creditsPerYuan: CREDITS_PER_YUAN, calendar });
  const accountId = await accountWith(fresh.database, { creditsMicro: 100_000_000n });
  const call = { ...callOf({ accountId, createdAtMs }), ...parts };
  await ledger.settle([call]);
  return call.callId;
};
const OCTOBER = Date.UTC(2026, 9, 5, 6, 7, 8, 9);

test('a line has the columns of the table in ClickHouse, in their order, and exact figures', async () => {
  const callId = await settle(OCTOBER, { keyName: 'quo"te\n', droppedFields: ['a'] });
  const [line] = await createSinkStore(fresh.database).read({ after: 0, to: 10 }, 10);
  expect(line?.number).toBe(1);
  expect(line?.json).not.toContain('\n');
  const row = JSON.parse(line?.json ?? '') as Record<string, unknown>;
  expect(Object.keys(row)).toEqual(Object.keys(COLUMNS));
  expect(row).toMatchObject({
    call_id: callId,
    created_at: '2026-10-05 06:07:08.009',
    key_name: 'quo"te\n',
    charge_micro: 25_000_000,
    credits_micro: 25_000_000,
    shortfall_micro: 0,
    dropped_fields: '["a"]',
  });
});

test('no column has a text of a prompt or an answer: the call log has none', () => {
  expect(Object.keys(COLUMNS).filter((name) => /prompt|body|content|message/.test(name))).toEqual([]);
});

test('a month is kept until its calls were sent, and while nobody sends it is not', async () => {
  const store = createSinkStore(fresh.database);
  await settle(OCTOBER);
  await store.register();
  expect(await dropPartitionsBefore(fresh.database, '2026-11')).toBe('unsent');
  expect(await fresh.database.query('select kept_from::text from log_retention')).toEqual([
    { kept_from: '-infinity' },
  ]);
  expect(await store.advance({ after: 0, to: 1 }, 1)).toBe(true);
  expect(await dropPartitionsBefore(fresh.database, '2026-11')).toEqual([
    'calls_2026_10',
    'consumptions_2026_10',
  ]);
  await settle(OCTOBER);
  expect(await dropPartitionsBefore(fresh.database, '2026-11')).toBe('unsent');
  await store.forget();
  expect(await dropPartitionsBefore(fresh.database, '2026-11')).toContain('calls_2026_10');
});

test('two that believe to hold the sink move its cursor once', async () => {
  const store = createSinkStore(fresh.database);
  await store.register();
  expect(await store.take('one', 60_000)).toEqual({ sentTo: 0, sendingTo: undefined });
  expect(await store.take('two', 60_000)).toBeUndefined();
  expect(await store.begin({ after: 0, to: 5 })).toBe(true);
  expect(await store.begin({ after: 0, to: 7 })).toBe(false);
  expect(await store.advance({ after: 0, to: 7 }, 7)).toBe(false);
  await store.release('one');
  expect(await store.take('two', 60_000)).toEqual({ sentTo: 0, sendingTo: 5 });
  expect(await store.advance({ after: 0, to: 5 }, 5)).toBe(true);
  expect(await store.advance({ after: 0, to: 5 }, 5)).toBe(false);
  expect(await store.report()).toMatchObject({ sentCalls: 5, holder: 'two' });
});

test('a new month has the index that finds calls by their numbers', async () => {
  await settle(OCTOBER);
  const rows = await fresh.database.query<{ name: string }>(
    `select indexdef as name from pg_indexes where tablename = 'calls_2026_10' and indexdef like '%brin%'`,
  );
  expect(rows).toHaveLength(1);
  expect(rows[0]?.name).toContain('autosummarize');
});
