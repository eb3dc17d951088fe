import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type FreshDatabase, freshDatabase } from '../../test/support/postgres.ts';
import { silentLogger } from '../kernel/log.ts';
import { FIND_LISTENERS, Listener } from './listener.ts';

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

test('a notice says which session heard it, and one of the process itself says none', async () => {
  const handler = vi.fn();
  await listener.listen('one', handler);
  await fresh.database.query("select pg_notify('one', 'a')");
  await vi.waitFor(async () => expect(handler).toHaveBeenCalledWith('a', (await sessions())[0]));
  await listener.deliver('one', 'b');
  expect(handler).toHaveBeenLastCalledWith('b', undefined);
});

test('what was missed is told before the new connection counts, whoever made it', async () => {
  const onReconnect = vi.fn();
  await listener.listen('one', () => {}, onReconnect);
  // It never tries again by itself: another subscription brings the connection.
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  await fresh.database.query('select pg_terminate_backend($1, 1000)', await sessions());
  while (!(await isTaken(listener.listen('other', () => {})))) await setImmediate();
  expect(onReconnect).toHaveBeenCalledTimes(1);
  expect(await sessions()).toHaveLength(1);
});

const isTaken = (subscription: Promise<unknown>) =>
  subscription.then(
    () => true,
    () => false,
  );
