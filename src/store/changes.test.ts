import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type FreshDatabase, freshDatabase } from '../../test/support/postgres.ts';
import { openWire, type Wire } from '../../test/support/wire.ts';
import { silentLogger } from '../kernel/log.ts';
import { announce, announceAndWait, type Change, findFollowers, followChanges } from './changes.ts';
import { type Database, openDatabase } from './database.ts';
import { writeHeartbeat } from './operations/heartbeats.ts';

let fresh: FreshDatabase;
let server: Database;
let wire: Wire;

beforeEach(async () => {
  fresh = await freshDatabase();
  wire = await openWire(fresh.connection);
  server = await openDatabase({ connection: wire.connection, log: silentLogger });
});

afterEach(async () => {
  await server.close();
  wire.close();
  await fresh.drop();
});

/** For an answer that comes: a busy machine may be late with it. */
const PATIENCE_MS = 60_000;

const nobody = { onChange: () => {}, onMissed: () => {} };

test('a change is received when its transaction commits, in order, and not after a rollback', async () => {
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
  expect(await announceAndWait(fresh.database, PATIENCE_MS)).toBe('in-force');
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
  expect(await findFollowers(fresh.database)).toHaveLength(2);
  await announce(fresh.database, { kind: 'catalog' });
  expect(await announceAndWait(fresh.database, PATIENCE_MS)).toBe('in-force');
  expect(finished).toEqual(['first', 'second']);
  await second.close();
});

test('a command does not wait without a running server, nor for one that is gone', async () => {
  expect(await announceAndWait(fresh.database, PATIENCE_MS)).toBe('no-server');
  const stop = await followChanges(server, nobody, silentLogger);
  await stop();
  expect(await announceAndWait(fresh.database, PATIENCE_MS)).toBe('no-server');
});

const BEAT = { node: 'a', instance: 'host:1', worker: 0, startedAtMs: 0, version: '1', activeCalls: 0 };

test('a command waits for a running server that does not receive', async () => {
  await writeHeartbeat(fresh.database, BEAT);
  expect(await announceAndWait(fresh.database)).toBe('late');
  const answer = announceAndWait(fresh.database, PATIENCE_MS);
  await sleep(200);
  await followChanges(server, nobody, silentLogger);
  expect(await answer).toBe('in-force');
});

test('a process applies its own changes while it cannot receive', async () => {
  const heard: Change[] = [];
  const onChange = async (change: Change) => {
    await sleep(50);
    heard.push(change);
  };
  await followChanges(server, { ...nobody, onChange }, silentLogger);
  wire.deafen();
  await announce(server, { kind: 'account', accountId: 7, version: 3 });
  expect(heard).toEqual([{ kind: 'account', accountId: 7, version: 3 }]);
  await server.transaction(async (transaction) => {
    await announce(transaction, { kind: 'account', accountId: 8, version: 1 });
    const failing = transaction.transaction(async (inner) => {
      await announce(inner, { kind: 'account', accountId: 9, version: 1 });
      throw new Error('changed my mind');
    });
    await expect(failing).rejects.toThrow('changed my mind');
    expect(heard).toHaveLength(1);
  });
  expect(await announceAndWait(server)).toBe('late');
  expect(heard.slice(1)).toEqual([{ kind: 'account', accountId: 8, version: 1 }]);
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

test('a server that answers twice does not answer for another', async () => {
  const stuck = Promise.withResolvers<void>();
  const second = await openDatabase({ connection: fresh.connection, log: silentLogger });
  await followChanges(server, { ...nobody, onChange: () => stuck.promise }, silentLogger);
  for (let follower = 0; follower < 2; follower++) await followChanges(second, nobody, silentLogger);
  await announce(fresh.database, { kind: 'catalog' });
  expect(await announceAndWait(fresh.database)).toBe('late');
  stuck.resolve();
  await second.close();
});

test('a follower that fails does not block later changes', async () => {
  const heard: Change[] = [];
  const onChange = (change: Change) => {
    heard.push(change);
    throw new Error('reload failed');
  };
  await followChanges(server, { ...nobody, onChange }, silentLogger);
  await announce(fresh.database, { kind: 'account', accountId: 1, version: 1 });
  await announce(fresh.database, { kind: 'account', accountId: 2, version: 1 });
  expect(await announceAndWait(fresh.database, PATIENCE_MS)).toBe('in-force');
  expect(heard).toHaveLength(2);
});

test('a follower is notified of possibly missed changes after a lost connection, and receives again', async () => {
  const onMissed = vi.fn();
  const onChange = vi.fn();
  await followChanges(server, { onChange, onMissed }, silentLogger);
  await fresh.database.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()',
  );
  await vi.waitFor(() => expect(onMissed).toHaveBeenCalledTimes(1), { timeout: 60_000 });
  await announce(fresh.database, { kind: 'catalog' });
  expect(await announceAndWait(fresh.database, PATIENCE_MS)).toBe('in-force');
  expect(onChange).toHaveBeenCalledExactlyOnceWith({ kind: 'catalog' });
});
