import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { LoginStore } from '../../src/accounts/login-contract.ts';
import { silentLogger } from '../../src/kernel/log.ts';
import { pruneLoginFailures } from '../../src/store/accounts/login-failures.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { type LoginNode, newMember, startLoginNode, type Told } from '../support/logins.ts';
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts';

const PASSWORD = 'a test password';
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
let fresh: FreshDatabase;
let database: Database;
let otherDatabase: Database;
let node: LoginNode;
let otherNode: LoginNode;
/** What the store was asked for, in order. */
let asked: string[] = [];
let members = 0;

beforeAll(async () => {
  fresh = await freshDatabase();
  ({ database } = fresh);
  otherDatabase = await openDatabase({ connection: fresh.connection, log: silentLogger });
  node = await startLoginNode(database, { wrap: noteCalls });
  otherNode = await startLoginNode(otherDatabase, { clock: node.clock });
});

afterAll(async () => {
  await node.close();
  await otherNode.close();
  await otherDatabase.close();
  await fresh.drop();
});

// What failed in one test is forgotten in the next.
beforeEach(() => node.clock.advance(DAY));

function noteCalls(store: LoginStore): LoginStore {
  return new Proxy(store, {
    get: (target, name: keyof LoginStore) => {
      asked.push(name);
      return target[name];
    },
  });
}

interface Victim {
  readonly email: string;
  readonly accountId: number;
}

async function victim(): Promise<Victim> {
  const email = `victim${++members}@example.com`;
  return { email, accountId: await newMember(database, email) };
}

const guess = ({ email }: { email: string }, from: string, at = node): Promise<Told> =>
  at.ask('auth/login', { email, password: 'a guess' }, { from });
const enter = ({ email }: Victim, from: string, headers: Record<string, string> = {}): Promise<Told> =>
  node.ask('auth/login', { email, password: PASSWORD }, { from, headers });
const addressOf = (index: number): string => `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`;

describe('password guesses', () => {
  test('of one address at one account are free five times, then wait, on every node together', async () => {
    const one = await victim();
    for (let tries = 0; tries < 5; tries++) {
      const told = await guess(one, '192.0.2.50', tries % 2 === 0 ? node : otherNode);
      expect(told).toMatchObject({ status: 401, code: 1002 });
    }
    const waiting = await guess(one, '192.0.2.50');
    expect(waiting).toMatchObject({ status: 429, code: 1006 });
    expect(waiting.headers.get('retry-after')).toBe('60');
    // The right password waits as well: an answer would tell that it is right.
    expect(await enter(one, '192.0.2.50')).toMatchObject({ code: 1006 });
    node.clock.advance(MINUTE);
    expect(await guess(one, '192.0.2.50')).toMatchObject({ code: 1002 });
    expect((await guess(one, '192.0.2.50', otherNode)).headers.get('retry-after')).toBe('120');
    node.clock.advance(2 * MINUTE);
    expect(await enter(one, '192.0.2.50')).toMatchObject({ code: 0 });
    expect(await guess(one, '192.0.2.50')).toMatchObject({ code: 1002 });
  });

  test('of one address at many accounts are free twenty times; a login of its own does not help', async () => {
    const own = await victim();
    expect(await enter(own, '192.0.2.60')).toMatchObject({ code: 0 });
    for (let tries = 0; tries < 20; tries++) {
      expect(await guess(await victim(), '192.0.2.60')).toMatchObject({ code: 1002 });
      if (tries % 5 === 0) await enter(own, '192.0.2.60');
    }
    expect(await guess(await victim(), '192.0.2.60')).toMatchObject({ code: 1006 });
    expect(await guess(await victim(), '192.0.2.61')).toMatchObject({ code: 1002 });
  });

  test('at the same time are counted together', async () => {
    const one = await victim();
    const told = await Promise.all(
      Array.from({ length: 40 }, (_, index) => guess(one, '192.0.2.70', index % 2 === 0 ? node : otherNode)),
    );
    expect(told.filter(({ code }) => code === 1002).length).toBeLessThanOrEqual(5);
    expect(told.filter(({ code }) => code !== 1002 && code !== 1006)).toEqual([]);
  });

  test('from 1,000 addresses in an hour are tried 60 times at most, and the owner can still log in', async () => {
    const one = await victim();
    expect(await enter(one, '203.0.113.5')).toMatchObject({ code: 0 });
    const [first = ''] = (
      await node.ask(
        'auth/login',
        { email: one.email, password: PASSWORD, cookie: true },
        { from: '203.0.113.6' },
      )
    ).headers
      .getSetCookie()
      .filter((cookie) => cookie.startsWith('tollgate_device='))
      .map((cookie) => cookie.split(';')[0] ?? '');
    node.clock.advance(DAY);
    let tried = 0;
    const rounds = 60;
    // Each address has a right to five of its own, so nothing but the account's own count holds them back.
    for (let round = 0; round < rounds; round++) {
      const told = await Promise.all(
        Array.from({ length: 17 }, (_, index) => guess(one, addressOf(round * 17 + index))),
      );
      tried += told.filter(({ code }) => code === 1002).length;
      node.clock.advance(HOUR / rounds);
    }
    expect(tried).toBeGreaterThan(10);
    expect(tried).toBeLessThanOrEqual(60);
    // A stranger with the right password waits like all strangers; the owner, where known, does not.
    await Promise.all(Array.from({ length: 30 }, (_, index) => guess(one, addressOf(2_000 + index))));
    expect(await enter(one, '198.51.100.9')).toMatchObject({ code: 1006 });
    expect(await enter(one, '203.0.113.5')).toMatchObject({ code: 0 });
    expect(await enter(one, '198.51.100.10', { cookie: first })).toMatchObject({ code: 0 });
    // Another account's browser is a stranger.
    expect(await enter(await victim(), '198.51.100.10', { cookie: first })).toMatchObject({ code: 0 });
    const other = await victim();
    await Promise.all(Array.from({ length: 30 }, (_, index) => guess(other, addressOf(3_000 + index))));
    expect(await enter(other, '198.51.100.11', { cookie: first })).toMatchObject({ code: 1006 });
  });

  test('of a known browser are limited too', async () => {
    const one = await victim();
    const login = { email: one.email, password: PASSWORD, cookie: true };
    const told = await node.ask('auth/login', login, { from: '203.0.113.7' });
    const cookie = told.headers
      .getSetCookie()
      .map((each) => each.split(';')[0])
      .join('; ');
    const codes: number[] = [];
    for (let tries = 0; tries < 7; tries++) {
      const body = { email: one.email, password: 'a guess' };
      const { code } = await node.ask('auth/login', body, { from: addressOf(tries), headers: { cookie } });
      codes.push(code);
    }
    expect(codes).toEqual([1002, 1002, 1002, 1002, 1002, 1006, 1006]);
  });

  test('are removed from the store too', async () => {
    await guess(await victim(), '192.0.2.80');
    node.clock.advance(HOUR);
    expect(await pruneLoginFailures(database, node.clock.now())).toBeGreaterThan(0);
    expect(await database.query('select * from login_failures where forgotten_at <= now()')).toEqual([]);
    const [rows] = await database.query('select count(*)::int from login_failures');
    expect(rows).toEqual({ count: 0 });
  });

  test('leave neither mailboxes nor addresses in the store', async () => {
    const one = await victim();
    await guess(one, '192.0.2.90');
    const [row] = await database.query<{ kept: string }>(
      "select string_agg(scope, ' ') as kept from login_failures",
    );
    expect(row?.kept).toMatch(/^pair:|address:|account:/);
    for (const known of [one.email, '192.0.2.90']) expect(row?.kept).not.toContain(known);
  });
});

describe('registrations of one address', () => {
  test('are slowed whether they succeed or not', async () => {
    const register = async (email: string): Promise<number> => {
      const told = await node.ask('auth/register', { email, password: PASSWORD }, { from: '192.0.2.95' });
      return told.code;
    };
    expect(await register('one@example.com')).toBe(0);
    expect(await register('one@example.com')).toBe(1005);
    // Seventeen more, as the store would have counted them.
    const counted = await database.query(
      "update login_failures set failures = failures + 17 where scope like 'register:%' returning failures",
    );
    expect(counted).toEqual([{ failures: 19 }]);
    expect(await register('two@example.com')).toBe(0);
    expect(await register('three@example.com')).toBe(1006);
  });
});

describe('an unknown account', () => {
  test('takes the same steps as a wrong password', async () => {
    const one = await victim();
    asked = [];
    await guess(one, '192.0.2.100');
    const known = asked;
    asked = [];
    await guess({ email: 'nobody@example.com' }, '192.0.2.101');
    expect(asked).toEqual(known);
    expect(known).toEqual(['findLogin', 'countAttempt']);
  });
});
