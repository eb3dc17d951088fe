import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type FreshDatabase, freshDatabase } from '../../test/support/postgres.ts';
import { StoreUnavailable } from '../accounts/contract.ts';
import { silentLogger } from '../kernel/log.ts';
import { type Database, idNumber, openDatabase } from './database.ts';

let fresh: FreshDatabase;
let database: Database;

beforeAll(async () => {
  fresh = await freshDatabase();
  database = fresh.database;
  await database.query('create table notes (id bigint generated always as identity, text text unique)');
});

afterAll(() => fresh.drop());

const texts = async () =>
  (await database.query<{ text: string }>('select text from notes order by id')).map((row) => row.text);

const ENDS_OTHERS =
  'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()';

describe('a value', () => {
  test('of type int8 is a bigint, in columns, arrays and parameters, beyond the range of numbers', async () => {
    const big = 9_223_372_036_854_775_807n;
    expect(await database.query('select $1::bigint as one, array[$1::bigint, -1] as several', [big])).toEqual(
      [{ one: big, several: [big, -1n] }],
    );
    expect(await database.query('select 7::int as small, $1::jsonb as json', [{ a: [1] }])).toEqual([
      { small: 7, json: { a: [1] } },
    ]);
  });

  test('of an id is a number only as long as it is exact', () => {
    expect(idNumber(12n)).toBe(12);
    expect(() => idNumber(2n ** 53n)).toThrow('safe whole number');
  });
});

describe('a transaction', () => {
  test('is committed when its work returns and rolled back when it throws', async () => {
    const value = await database.transaction(async (transaction) => {
      await transaction.query("insert into notes (text) values ('kept')");
      return 5;
    });
    expect(value).toBe(5);
    const failing = database.transaction(async (transaction) => {
      await transaction.query("insert into notes (text) values ('lost')");
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await texts()).toEqual(['kept']);
  });

  test('inside another one can fail alone', async () => {
    await database.transaction(async (outer) => {
      await outer.query("insert into notes (text) values ('outer')");
      const inner = outer.transaction(async (transaction) => {
        await transaction.query("insert into notes (text) values ('inner')");
        await transaction.query("insert into notes (text) values ('outer')");
      });
      await expect(inner).rejects.toMatchObject({ code: '23505' });
      await outer.transaction((transaction) =>
        transaction.query("insert into notes (text) values ('second')"),
      );
    });
    expect(await texts()).toEqual(['kept', 'outer', 'second']);
  });
});

describe('an error', () => {
  test('of the statement itself is passed on, and the connection stays', async () => {
    const single = await openDatabase({ connection: fresh.connection, log: silentLogger, connectionsMax: 1 });
    const pid = async () => (await single.query<{ pid: number }>('select pg_backend_pid() as pid'))[0]?.pid;
    const before = await pid();
    const wrong = single.query('select * from nowhere');
    await expect(wrong).rejects.toMatchObject({ code: '42P01' });
    await expect(wrong).rejects.not.toBeInstanceOf(StoreUnavailable);
    expect(await pid()).toBe(before);
    await single.close();
  });

  test('of a lost connection is StoreUnavailable, and the next statement gets a new one', async () => {
    const other = await openDatabase({ connection: fresh.connection, log: silentLogger });
    const broken = other.transaction(async (transaction) => {
      await transaction.query('select 1');
      await database.query(ENDS_OTHERS);
      await transaction.query('select 1');
    });
    await expect(broken).rejects.toThrow(StoreUnavailable);
    expect(await other.query('select 1 as one')).toEqual([{ one: 1 }]);
    await other.close();
  });

  test('of an idle connection is logged by its reason alone, without the connection itself', async () => {
    const warned: object[] = [];
    const log = { ...silentLogger, warn: (fields: object) => void warned.push(fields) };
    const idle = await openDatabase({ connection: fresh.connection, log });
    await database.query(ENDS_OTHERS);
    await vi.waitFor(() => expect(warned).toHaveLength(1), { timeout: 60_000 });
    expect(warned).toEqual([{ reason: 'terminating connection due to administrator command' }]);
    await idle.close();
  });

  test('of a statement that runs too long is StoreUnavailable', async () => {
    const hurried = await openDatabase({
      connection: fresh.connection,
      log: silentLogger,
      statementTimeoutMs: 100,
    });
    await expect(hurried.query('select pg_sleep(5)')).rejects.toThrow(StoreUnavailable);
    expect(await hurried.query('select 1 as one')).toEqual([{ one: 1 }]);
    await hurried.close();
  });

  test('of a transaction that lost a deadlock is StoreUnavailable, because a retry succeeds', async () => {
    const lock = (first: number, second: number) =>
      database.transaction(async (transaction) => {
        await transaction.query('select pg_advisory_xact_lock($1)', [first]);
        await transaction.query('select pg_sleep(0.1)');
        await transaction.query('select pg_advisory_xact_lock($1)', [second]);
      });
    const ends = await Promise.allSettled([lock(1, 2), lock(2, 1)]);
    const lost = ends.filter((end) => end.status === 'rejected').map((end) => end.reason);
    expect(lost).toEqual([expect.any(StoreUnavailable)]);
  });

  test('of a missing server is StoreUnavailable', async () => {
    const empty = await mkdtemp(join(tmpdir(), 'tollgate-nobody-'));
    const nobody = `postgresql://x@localhost/x?host=${encodeURIComponent(empty)}`;
    await expect(openDatabase({ connection: nobody, log: silentLogger })).rejects.toThrow(StoreUnavailable);
    await rm(empty, { recursive: true });
    const refused = 'postgresql://x@127.0.0.1:1/x';
    await expect(openDatabase({ connection: refused, log: silentLogger })).rejects.toThrow(StoreUnavailable);
  });

  test('of a server that accepts the connection and is silent is StoreUnavailable in bounded time', async () => {
    const silent = createServer((socket) => socket.on('error', () => {})).listen(0, '127.0.0.1');
    await new Promise((resolve) => silent.once('listening', resolve));
    const { port } = silent.address() as { port: number };
    const started = performance.now();
    const opening = openDatabase({ connection: `postgresql://x@127.0.0.1:${port}/x`, log: silentLogger });
    await expect(opening).rejects.toThrow(StoreUnavailable);
    expect(performance.now() - started).toBeLessThan(20_000);
    silent.close();
  });

  test('of a server that dies after its greeting is StoreUnavailable, and does not end the process', async () => {
    // In one read: it is ours before anybody could listen, and lost.
    const part = (kind: string, body: string): string =>
      `${kind}\0\0\0${String.fromCharCode(body.length + 4)}${body}`;
    const farewell = part(
      'E',
      'SFATAL\0C57P01\0Mterminating connection due to unexpected postmaster exit\0\0',
    );
    const dying = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.end(`${part('R', '\0\0\0\0')}${part('Z', 'I')}${farewell}`, 'latin1'));
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => dying.once('listening', resolve));
    const { port } = dying.address() as { port: number };
    const uncaught = vi.fn();
    process.on('uncaughtException', uncaught);
    const opening = openDatabase({ connection: `postgresql://x@127.0.0.1:${port}/x`, log: silentLogger });
    await expect(opening).rejects.toThrow(StoreUnavailable);
    process.off('uncaughtException', uncaught);
    expect(uncaught).not.toHaveBeenCalled();
    dying.close();
  });

  test('after the close is StoreUnavailable', async () => {
    const closed = await openDatabase({ connection: fresh.connection, log: silentLogger });
    await closed.close();
    await closed.close();
    await expect(closed.query('select 1')).rejects.toThrow(StoreUnavailable);
    await expect(closed.listen('x', () => {})).rejects.toThrow(StoreUnavailable);
  });
});

describe('a listener', () => {
  test('receives the notices of its own channel, and none after its end', async () => {
    const heard: string[] = [];
    const stop = await database.listen('one', (payload) => void heard.push(payload));
    await database.listen('other', () => void heard.push('wrong channel'));
    await database.query("select pg_notify('one', 'a'), pg_notify('one', 'b')");
    await vi.waitFor(() => expect(heard).toEqual(['a', 'b']), { timeout: 60_000 });
    await stop();
    await database.query("select pg_notify('one', 'c')");
    await database.query("select pg_notify('other', '')");
    await vi.waitFor(() => expect(heard).toEqual(['a', 'b', 'wrong channel']), { timeout: 60_000 });
  });

  test('reconnects each time the connection is lost, and reports it', async () => {
    const listener = await openDatabase({ connection: fresh.connection, log: silentLogger });
    const heard: string[] = [];
    let reconnects = 0;
    const onReconnect = () => void reconnects++;
    await listener.listen('lost', (payload) => void heard.push(payload), onReconnect);
    for (let round = 1; round <= 2; round++) {
      await database.query(ENDS_OTHERS);
      await vi.waitFor(() => expect(reconnects).toBe(round), { timeout: 60_000 });
      await database.query("select pg_notify('lost', $1)", [String(round)]);
      await vi.waitFor(() => expect(heard).toHaveLength(round), { timeout: 60_000 });
    }
    expect(heard).toEqual(['1', '2']);
    await listener.close();
  });
});
