import { afterEach, beforeEach, expect, test } from 'vitest';
import { accountWith, CREDITS_PER_YUAN, callOf } from '../../test/support/calls.ts';
import { type FreshDatabase, freshDatabase } from '../../test/support/postgres.ts';
import { until } from '../../test/support/processes.ts';
import {
  FAKE_PASSWORD,
  FAKE_USER,
  type FakeClickhouse,
  startFakeClickhouse,
} from '../../test/support/servers/fake-clickhouse.ts';
import { silentLogger } from '../kernel/log.ts';
import { createCalendar } from '../kernel/time/calendar.ts';
import { systemClock } from '../kernel/time/clock.ts';
import type { LedgerStore } from '../ledger/contract.ts';
import { createLedgerStore } from '../store/ledger/ledger.ts';
import { createSinkStore } from '../store/logs/log-sink.ts';
import { createUpstreamClient } from '../upstream/http/client.ts';
import type { SinkStore } from './contract.ts';
import { Receiver } from './receiver.ts';
import { Sink } from './sink.ts';

let fresh: FreshDatabase;
let fake: FakeClickhouse;
let ledger: LedgerStore;
let accountId: number;
let store: SinkStore;
const running: Sink[] = [];
let holders = 0;

beforeEach(async () => {
  fresh = await freshDatabase();
  fake = await startFakeClickhouse();
  const calendar = createCalendar('UTC');
  ledger = createLedgerStore({ database: fresh.database, creditsPerYuan: CREDITS_PER_YUAN, calendar });
  accountId = await accountWith(fresh.database, { creditsMicro: 10_000_000_000n });
  store = createSinkStore(fresh.database);
  await store.register();
});

afterEach(async () => {
  for (const sink of running.splice(0)) await sink.stop();
  await fake.close();
  await fresh.drop();
});

const settle = async (count: number): Promise<readonly string[]> => {
  const calls = Array.from({ length: count }, () => callOf({ accountId }));
  await ledger.settle(calls);
  return calls.map(({ callId }) => callId);
};

const start = (): Sink => {
  const client = createUpstreamClient();
  const names = { database: 'tollgate', table: 'calls' };
  const receiver = new Receiver({
    ...{ client, url: fake.url, user: FAKE_USER, password: FAKE_PASSWORD, timeoutMs: 300, ...names },
  });
  const holder = `sink-${++holders}`;
  const parts = { store, receiver, clock: systemClock, log: silentLogger, holder, roundMs: 5 };
  const sink = new Sink({ ...parts, cut: () => client.close() });
  sink.start();
  running.push(sink);
  return sink;
};

const sent = async (): Promise<number> => (await store.report())?.sentCalls ?? -1;
const onceEach = (ids: readonly string[]) => new Map(ids.map((id) => [id, 1]));

test('settled calls arrive once each, and the lag becomes nothing', async () => {
  const ids = [...(await settle(3)), ...(await settle(2))];
  const sink = start();
  await until(() => fake.rows().size === 5);
  ids.push(...(await settle(4)));
  await until(() => fake.rows().size === 9);
  expect(fake.rows()).toEqual(onceEach(ids));
  await until(() => sink.figures.report?.lagCalls === 0 && sink.figures.report.lagSeconds < 1);
  expect(await sent()).toBe(9);
});

test('whatever befalls an insert, it is repeated with the same token, and no call is there twice', async () => {
  const ids = await settle(3);
  fake.misfortunes.push('lost', 'error-after', 'half-head');
  const sink = start();
  await until(async () => (await sent()) === 3);
  expect(new Set(fake.inserts.map(({ token }) => token)).size).toBe(1);
  expect(fake.inserts.map(({ outcome }) => outcome)).toEqual([
    'lost',
    'error-after',
    'half-head',
    'repeated',
  ]);
  expect(fake.rows()).toEqual(onceEach(ids));
  await until(() => sink.figures.isUp);
  expect((await store.report())?.failure).toBeUndefined();
}, 60_000);

test('while ClickHouse is away nothing is lost, the failure is written down and the pause grows', async () => {
  fake.away = true;
  const ids = [...(await settle(2))];
  const sink = start();
  await until(async () => (await store.report())?.failure !== undefined);
  ids.push(...(await settle(2)));
  expect(sink.figures.isUp).toBe(false);
  expect((await store.report())?.lagCalls).toBe(4);
  fake.away = false;
  await until(() => fake.rows().size === 4);
  expect(fake.rows()).toEqual(onceEach(ids));
}, 60_000);

test('a batch that was begun by a process that died is repeated as it was, although more calls came', async () => {
  await settle(2);
  const last = (await store.fence()).lastNumber;
  expect(await store.begin({ after: 0, to: last })).toBe(true);
  await settle(5);
  start();
  await until(() => fake.rows().size === 7);
  expect(fake.inserts.map(({ lines }) => lines.length)).toEqual([2, 5]);
});

test('one of several sends; when it stops, another goes on at once', async () => {
  const first = start();
  await settle(1);
  await until(() => fake.rows().size === 1);
  start();
  start();
  await settle(2);
  await until(() => fake.rows().size === 3);
  expect((await store.report())?.holder).toBe(`sink-${holders - 2}`);
  await first.stop();
  await settle(1);
  await until(() => fake.rows().size === 4);
  expect(new Set(fake.rows().values())).toEqual(new Set([1]));
});

/** As a settlement writes it: a lock, which gives an id to the transaction, then a number, then the call. */
const COPY = `
  insert into calls select made.* from calls, lateral jsonb_populate_record(calls, jsonb_build_object(
    'id', nextval('calls_id_seq'), 'call_id', 'req_early')) as made limit 1`;

test('a call with a lower number that is committed later is not passed over', async () => {
  const [first] = await settle(1);
  const commit = Promise.withResolvers<void>();
  const written = Promise.withResolvers<void>();
  const held = fresh.database.transaction(async (transaction) => {
    await transaction.query('select 1 from accounts for no key update');
    await transaction.query(COPY);
    written.resolve();
    await commit.promise;
  });
  await written.promise;
  const other = await accountWith(fresh.database, { creditsMicro: 10_000_000_000n });
  const late = callOf({ accountId: other });
  await ledger.settle([late]);
  const sink = start();
  await until(() => sink.figures.report?.lagCalls === 3);
  expect(fake.rows().size).toBe(0);
  commit.resolve();
  await held;
  await until(() => fake.rows().size === 3);
  expect(fake.rows()).toEqual(onceEach([String(first), 'req_early', late.callId]));
}, 60_000);

test('numbers without calls are stepped over, and a backlog goes in batches', async () => {
  await settle(2);
  await fresh.database.query("select setval('calls_id_seq', 5000000)");
  const before = await settle(3);
  start();
  await until(() => fake.rows().size === 5);
  for (const id of before) expect(fake.rows().get(id)).toBe(1);
}, 60_000);

test('what was forgotten is sent no more, and is sent whole after a new beginning', async () => {
  const ids = await settle(2);
  const sink = start();
  await until(() => fake.rows().size === 2);
  await sink.stop();
  expect(await store.forget()).toBe(true);
  expect(await store.forget()).toBe(false);
  expect(await store.report()).toBeUndefined();
  await store.register();
  start();
  await until(async () => (await sent()) === 2);
  // The same range, the same calls, the same token: nothing is inserted again.
  expect(fake.rows()).toEqual(onceEach(ids));
});
