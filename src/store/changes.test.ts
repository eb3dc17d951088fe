import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type FreshDatabase, freshDatabase } from '../../test/support/postgres.ts';
import { silentLogger } from '../kernel/log.ts';
import { announce, announceAndWait, type Change, countFollowers, followChanges } from './changes.ts';
import { type Database, openDatabase } from './database.ts';

let fresh: FreshDatabase;
let server: Database;

beforeEach(async () => {
  fresh = await freshDatabase();
  server = await openDatabase({ connection: fresh.connection, log: silentLogger });
});

afterEach(async () => {
  await server.close();
  await fresh.drop();
});

const nobody = { onChange: () => {}, onMissed: () => {} };

test('a change is heard when its transaction commits, in order, and not when it rolls back', async () => {
  const heard: Change[] = [];
  await followChanges(server, { ...nobody, onChange: (change) => void heard.push(change) }, silentLogger);
  await fresh.database.transaction(async (transaction) => {
    await announce(transaction, { kind: 'account', accountId: 7, version: 3 });
    await announce(transaction, { kind: 'key', keyHash: 'ab-c_9' });
    expect(heard).toEqual([]);
  });
  const failing = fresh.database.transaction(async (transaction) => {
    await announce(transaction, { kind: 'account', accountId: 8, version: 1 });
    throw new Error('changed my mind');
  });
  await expect(failing).rejects.toThrow('changed my mind');
  await announce(fresh.database, { kind: 'catalog' });
  expect(await announceAndWait(fresh.database)).toBe('in-force');
  expect(heard).toEqual([
    { kind: 'account', accountId: 7, version: 3 },
    { kind: 'key', keyHash: 'ab-c_9' },
    { kind: 'catalog' },
  ]);
});

test('a command waits until every running server has finished taking over the change', async () => {
  const second = await openDatabase({ connection: fresh.connection, log: silentLogger });
  const finished: string[] = [];
  const slow = (name: string, ms: number) => ({
    ...nobody,
    onChange: async () => {
      await sleep(ms);
      finished.push(name);
    },
  });
  await followChanges(server, slow('first', 50), silentLogger);
  await followChanges(second, slow('second', 150), silentLogger);
  expect(await countFollowers(fresh.database)).toBe(2);
  await announce(fresh.database, { kind: 'catalog' });
  expect(await announceAndWait(fresh.database)).toBe('in-force');
  expect(finished).toEqual(['first', 'second']);
  await second.close();
});

test('a command does not wait when no server lives, nor for one that has gone', async () => {
  expect(await announceAndWait(fresh.database)).toBe('no-server');
  const stop = await followChanges(server, nobody, silentLogger);
  await stop();
  expect(await announceAndWait(fresh.database)).toBe('no-server');
});

test('a server that does not answer delays a command by two seconds at most', async () => {
  const stuck = Promise.withResolvers<void>();
  await followChanges(server, { ...nobody, onChange: () => stuck.promise }, silentLogger);
  await announce(fresh.database, { kind: 'catalog' });
  const started = performance.now();
  expect(await announceAndWait(fresh.database)).toBe('late');
  expect(performance.now() - started).toBeLessThan(10_000);
  stuck.resolve();
});

test('a follower that fails does not stop the changes after it', async () => {
  const heard: Change[] = [];
  const onChange = (change: Change) => {
    heard.push(change);
    throw new Error('reload failed');
  };
  await followChanges(server, { ...nobody, onChange }, silentLogger);
  await announce(fresh.database, { kind: 'account', accountId: 1, version: 1 });
  await announce(fresh.database, { kind: 'account', accountId: 2, version: 1 });
  expect(await announceAndWait(fresh.database)).toBe('in-force');
  expect(heard).toHaveLength(2);
});

test('after a lost connection the follower is told that it may have missed something, and hears again', async () => {
  const onMissed = vi.fn();
  const onChange = vi.fn();
  await followChanges(server, { onChange, onMissed }, silentLogger);
  await fresh.database.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()',
  );
  await vi.waitFor(() => expect(onMissed).toHaveBeenCalledTimes(1), { timeout: 30_000 });
  await announce(fresh.database, { kind: 'catalog' });
  expect(await announceAndWait(fresh.database)).toBe('in-force');
  expect(onChange).toHaveBeenCalledExactlyOnceWith({ kind: 'catalog' });
});
