import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type FreshDatabase, freshDatabase } from '../../test/support/postgres.ts';
import { openWire } from '../../test/support/wire.ts';
import { silentLogger } from '../kernel/log.ts';
import { FIND_LISTENERS, Listener } from './listener.ts';
import { PgClient } from './pg-client.ts';

let fresh: FreshDatabase;
let listener: Listener;

beforeEach(async () => {
  fresh = await freshDatabase();
  listener = new Listener({ connectionString: fresh.connection }, silentLogger);
});

afterEach(async () => {
  vi.useRealTimers();
  await listener.close();
  await fresh.drop();
});

const sessions = async () =>
  (await fresh.database.query<{ pid: number }>(FIND_LISTENERS, ['one'])).map(({ pid }) => pid);

test('a notice names the session that received it, and one of the process itself names none', async () => {
  const handler = vi.fn();
  await listener.listen('one', handler);
  await fresh.database.query("select pg_notify('one', 'a')");
  await vi.waitFor(async () => expect(handler).toHaveBeenCalledWith('a', (await sessions())[0]));
  await listener.deliver('one', 'b');
  expect(handler).toHaveBeenLastCalledWith('b', undefined);
});

test('missed notices are reported before the new connection counts', async () => {
  const onReconnect = vi.fn();
  await listener.listen('one', () => {}, onReconnect);
  // It never tries again by itself: another subscription brings the connection.
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  await fresh.database.query('select pg_terminate_backend($1, 200000)', await sessions());
  while (!(await isTaken(listener.listen('other', () => {})))) await setImmediate();
  expect(onReconnect).toHaveBeenCalledTimes(1);
  expect(await sessions()).toHaveLength(1);
});

test('statements of many subscribers go to the server one by one', async () => {
  const query = PgClient.prototype.query as (...parts: unknown[]) => Promise<unknown>;
  let [running, most] = [0, 0];
  vi.spyOn(PgClient.prototype, 'query').mockImplementation(async function (
    this: PgClient,
    ...parts: unknown[]
  ) {
    most = Math.max(most, ++running);
    try {
      return await query.apply(this, parts);
    } finally {
      running--;
    }
  } as never);
  const ends = await Promise.all(['one', 'two', 'three'].map((name) => listener.listen(name, () => {})));
  await Promise.all(ends.map((end) => end()));
  vi.restoreAllMocks();
  expect(most).toBe(1);
});

test('a subscription that the server did not take is not taken for the next subscriber either', async () => {
  const wire = await openWire(fresh.connection);
  const config = { connectionString: wire.connection, query_timeout: 200 };
  const half = new Listener(config, silentLogger, 60_000);
  await half.listen('one', () => {});
  wire.deafen();
  for (let turn = 0; turn < 2; turn++) expect(await isTaken(half.listen('other', () => {}))).toBe(false);
  wire.close();
  await half.close();
});

const isTaken = (subscription: Promise<unknown>) =>
  subscription.then(
    () => true,
    () => false,
  );

test('a session whose process is gone does not count for long', async () => {
  const wire = await openWire(fresh.connection);
  const probeMs = 300;
  const gone = new Listener({ connectionString: wire.connection }, silentLogger, probeMs);
  const there = new Listener({ connectionString: fresh.connection }, silentLogger, probeMs);
  await gone.listen('one', () => {});
  const [ends] = await sessions();
  await there.listen('one', () => {});
  const stays = (await sessions()).find((pid) => pid !== ends);
  wire.deafen();
  // Nothing but its probes keeps the other one.
  await sleep(10 * probeMs);
  await vi.waitFor(async () => expect(await sessions()).not.toContain(ends), { timeout: 60_000 });
  expect(await sessions()).toContain(stays);
  await Promise.all([gone.close(), there.close()]);
  wire.close();
});

test('a silent dead connection is replaced when two probes were due', async () => {
  const wire = await openWire(fresh.connection);
  const config = { connectionString: wire.connection, query_timeout: 60_000 };
  const half = new Listener(config, silentLogger, 300);
  const onReconnect = vi.fn();
  await half.listen('one', () => {}, onReconnect);
  wire.deafen();
  await vi.waitFor(() => expect(onReconnect).toHaveBeenCalledTimes(1), { timeout: 60_000 });
  await half.close();
  wire.close();
});
