import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newApiKey } from '../../../src/accounts/api-key.ts';
import { hashSecret } from '../../../src/accounts/token.ts';
import { silentLogger } from '../../../src/kernel/log.ts';
import { systemRandom } from '../../../src/kernel/random.ts';
import {
  ACCESS_TOKEN_MS,
  REFRESH_TOKEN_MS,
  SESSIONS_PER_ACCOUNT_MAX,
} from '../../../src/operations/bounds.ts';
import { updateAccount } from '../../../src/store/accounts/accounts.ts';
import { setRegistration } from '../../../src/store/accounts/registration.ts';
import { pruneSessions } from '../../../src/store/accounts/sessions.ts';
import { type Database, openDatabase } from '../../../src/store/database.ts';
import { type LoginNode, newMember, startLoginNode, type Told } from '../../support/logins.ts';
import { type FreshDatabase, freshDatabase } from '../../support/postgres.ts';

const PASSWORD = 'a test password';
let fresh: FreshDatabase;
let database: Database;
let node: LoginNode;
/** Another process on the same store, with connections of its own. */
let otherNode: LoginNode;
let otherDatabase: Database;
let members = 0;

beforeAll(async () => {
  fresh = await freshDatabase();
  ({ database } = fresh);
  otherDatabase = await openDatabase({ connection: fresh.connection, log: silentLogger });
  node = await startLoginNode(database);
  otherNode = await startLoginNode(otherDatabase, { clock: node.clock });
});

afterAll(async () => {
  await node.close();
  await otherNode.close();
  await otherDatabase.close();
  await fresh.drop();
});

async function member(): Promise<{ email: string; accountId: number }> {
  const email = `member${++members}@example.com`;
  return { email, accountId: await newMember(database, email) };
}

/** Logged in, from an address of its own. */
async function loggedIn(email: string, password = PASSWORD): Promise<Told['data']> {
  const told = await node.ask('auth/login', { email, password });
  expect(told).toMatchObject({ status: 200, code: 0 });
  return told.data;
}

const refresh = (token: string | undefined, at = node): Promise<Told> =>
  at.ask('auth/refresh', { refresh_token: token });

describe('a registration', () => {
  test('creates an account with the defaults of the catalogue and logs it in', async () => {
    await database.query('update catalog_settings set default_user_rate_micro = 80000000');
    const told = await node.ask('auth/register', { email: 'Ada@Example.com', password: 'correct horse' });
    expect(told).toMatchObject({ status: 200, code: 0, data: { expires_in: 1800 } });
    expect(await node.whoIs(told.data.access_token ?? '')).toMatchObject({ role: 'user' });
    const [account] = await database.query(
      `select email, role, user_type, user_rate_micro, credits_micro, balance_micro from accounts
       where email = 'ada@example.com'`,
    );
    const money = { user_rate_micro: 80_000_000n, credits_micro: 0n, balance_micro: 0n };
    expect(account).toEqual({ email: 'ada@example.com', role: 'user', user_type: 0, ...money });
    const again = await node.ask('auth/register', { email: 'ada@example.com', password: 'correct horse' });
    expect(again).toMatchObject({ status: 409, code: 1005 });
  });

  test('ignores additional fields of the client', async () => {
    const body = { email: 'eve@example.com', password: 'correct horse', role: 'operator', balance: '100' };
    expect(await node.ask('auth/register', body)).toMatchObject({ status: 400, code: 1001 });
    expect(await database.query("select 1 from accounts where email = 'eve@example.com'")).toEqual([]);
  });

  test('is refused while the operator, or else the configuration, keeps it closed', async () => {
    const closed = await startLoginNode(database, { registration: 'closed', clock: node.clock });
    const body = { email: 'late@example.com', password: 'correct horse' };
    expect(await closed.ask('auth/register', body)).toMatchObject({ status: 403, code: 1003 });
    await setRegistration(database, 'closed');
    expect(await node.ask('auth/register', body)).toMatchObject({ status: 403, code: 1003 });
    await setRegistration(database, 'open');
    expect(await closed.ask('auth/register', body)).toMatchObject({ code: 0 });
    await setRegistration(database, undefined);
    await closed.close();
  });

  test.each([
    ['email', { email: 'nobody', password: PASSWORD }],
    ['email', { email: 'a b@example.com', password: PASSWORD }],
    ['email', { email: 'a\u0000@example.com', password: PASSWORD }],
    ['email', { email: `${'a'.repeat(250)}@b.cd`, password: PASSWORD }],
    ['email', { password: PASSWORD }],
    ['password', { email: 'a@example.com', password: '1234567' }],
    ['password', { email: 'a@example.com', password: 'a'.repeat(257) }],
    ['password', { email: 'a@example.com', password: 12345678 }],
  ])('reports the wrong parameter %s (%#)', async (name, body) => {
    const told = await node.ask('auth/register', body);
    expect(told).toMatchObject({ status: 400, code: 1001 });
    expect(told.message).toContain(name);
  });
});

describe('a login', () => {
  test('returns a pair of tokens, of which the store has only hashes', async () => {
    const { email, accountId } = await member();
    const {
      access_token: access = '',
      refresh_token: token = '',
      ...rest
    } = await loggedIn(email.toUpperCase());
    expect(rest).toEqual({ expires_in: 1800 });
    expect(await node.whoIs(access)).toMatchObject({ accountId, role: 'user' });
    const rows = await database.query('select * from sessions where account_id = $1', [accountId]);
    expect(rows).toMatchObject([{ secret_hash: hashSecret(token), kind: 'token', address: '192.0.2.1' }]);
    const [{ kept } = { kept: '' }] = await database.query<{ kept: string }>(
      'select json_agg(sessions)::text as kept from sessions',
    );
    expect(kept).toContain(hashSecret(token));
    for (const secret of [access, token, token.split('.')[2] ?? '']) expect(kept).not.toContain(secret);
  });

  test('has the same answer for a wrong password and an unknown account', async () => {
    const { email } = await member();
    const wrong = await node.ask('auth/login', { email, password: 'wrong' }, { from: '192.0.2.2' });
    const unknown = await node.ask(
      'auth/login',
      { email: 'unknown@example.com', password: 'wrong' },
      { from: '192.0.2.2' },
    );
    expect(wrong).toMatchObject({ status: 401, code: 1002 });
    expect({ ...unknown, headers: undefined }).toEqual({ ...wrong, headers: undefined });
  });

  test('of a disabled account is refused, with the right password only', async () => {
    const { email, accountId } = await member();
    await updateAccount(database, accountId, { status: 'disabled' });
    expect(await node.ask('auth/login', { email, password: PASSWORD })).toMatchObject({ code: 1003 });
    expect(await node.ask('auth/login', { email, password: 'wrong' })).toMatchObject({ code: 1002 });
  });

  test('keeps a bounded number of sessions; the oldest give way', async () => {
    const { email, accountId } = await member();
    const first = await loggedIn(email);
    await database.query(
      `insert into sessions (id, account_id, kind, secret_hash, created_at, used_at, expires_at, address, user_agent)
       select 'copy' || n, account_id, kind, secret_hash, created_at + n * interval '1 second', used_at, expires_at,
         '', '' from sessions, generate_series(1, $2) as n where account_id = $1`,
      [accountId, SESSIONS_PER_ACCOUNT_MAX + 20],
    );
    const last = await loggedIn(email);
    const [count] = await database.query('select count(*) from sessions where account_id = $1', [accountId]);
    expect(count).toEqual({ count: BigInt(SESSIONS_PER_ACCOUNT_MAX) });
    expect(await node.whoIs(first.access_token ?? '')).toBeUndefined();
    expect(await node.whoIs(last.access_token ?? '')).toBeDefined();
  });
});

describe('an access token', () => {
  test('lives for 30 minutes', async () => {
    const { email } = await member();
    const { access_token: access = '' } = await loggedIn(email);
    node.clock.advance(ACCESS_TOKEN_MS - 1_000);
    expect(await node.whoIs(access)).toBeDefined();
    node.clock.advance(1_000);
    expect(await node.whoIs(access)).toBeUndefined();
  });

  test('is not an API key, a refresh token or a cookie', async () => {
    const { email } = await member();
    const { refresh_token: token = '' } = await loggedIn(email);
    const cookie = await node.ask('auth/login', { email, password: PASSWORD, cookie: true });
    const [, session = ''] = /tollgate_session=([^;]+)/.exec(cookie.headers.get('set-cookie') ?? '') ?? [];
    expect(session).toMatch(/^tgs1\./);
    for (const text of [newApiKey(systemRandom), token, session, 'null', '']) {
      expect(await node.whoIs(text)).toBeUndefined();
    }
  });

  test('has the current role of the account, and is void when it is disabled, on every node', async () => {
    const { email, accountId } = await member();
    const { access_token: access = '', refresh_token: token } = await loggedIn(email);
    await updateAccount(database, accountId, { role: 'operator' });
    expect(await otherNode.whoIs(access)).toMatchObject({ role: 'operator' });
    await updateAccount(database, accountId, { status: 'disabled' });
    expect(await otherNode.whoIs(access)).toBeUndefined();
    expect(await node.whoIs(access)).toBeUndefined();
    expect(await refresh(token, otherNode)).toMatchObject({ status: 401, code: 1002 });
    await updateAccount(database, accountId, { status: 'enabled' });
    expect(await otherNode.whoIs(access)).toBeDefined();
  });
});

describe('a refresh', () => {
  test('returns a new pair, and extends the session by 30 days', async () => {
    const { email } = await member();
    const first = await loggedIn(email);
    node.clock.advance(REFRESH_TOKEN_MS - 1_000);
    const second = await refresh(first.refresh_token);
    expect(second).toMatchObject({ code: 0, data: { expires_in: 1800 } });
    expect(second.data.refresh_token).not.toBe(first.refresh_token);
    expect(await otherNode.whoIs(second.data.access_token ?? '')).toBeDefined();
    node.clock.advance(REFRESH_TOKEN_MS - 1_000);
    const third = await refresh(second.data.refresh_token, otherNode);
    expect(third.code).toBe(0);
    node.clock.advance(REFRESH_TOKEN_MS);
    expect(await refresh(third.data.refresh_token)).toMatchObject({ status: 401, code: 1002 });
    expect(await pruneSessions(database, node.clock.now())).toBeGreaterThan(0);
  });

  test('with a token that was used before, however old, ends the session', async () => {
    const { email } = await member();
    const first = await loggedIn(email);
    const second = await refresh(first.refresh_token);
    const third = await refresh(second.data.refresh_token);
    expect(await node.whoIs(third.data.access_token ?? '')).toBeDefined();
    expect(await refresh(first.refresh_token, otherNode)).toMatchObject({ code: 1002 });
    expect(await node.whoIs(third.data.access_token ?? '')).toBeUndefined();
    expect(await refresh(third.data.refresh_token)).toMatchObject({ code: 1002 });
  });

  test('of one token by twenty clients at once succeeds once, and ends the session, because one may be a thief', async () => {
    const { email } = await member();
    const { refresh_token: token } = await loggedIn(email);
    const told = await Promise.all(
      Array.from({ length: 20 }, (_, index) => refresh(token, index % 2 === 0 ? node : otherNode)),
    );
    const winners = told.filter(({ code }) => code === 0);
    expect(winners).toHaveLength(1);
    expect(told.filter(({ code }) => code === 1002)).toHaveLength(19);
    expect(await node.whoIs(winners[0]?.data.access_token ?? '')).toBeUndefined();
    expect(await refresh(winners[0]?.data.refresh_token)).toMatchObject({ code: 1002 });
  });

  test('with garbage, an access token or an API key is refused and ends nothing', async () => {
    const { email } = await member();
    const { access_token: access = '', refresh_token: token = '' } = await loggedIn(email);
    const forged = token.slice(0, -3) + (token.endsWith('AAA') ? 'BBB' : 'AAA');
    for (const text of [access, forged, newApiKey(systemRandom), 'x', `${token}x`]) {
      expect(await refresh(text)).toMatchObject({ status: 401, code: 1002 });
    }
    expect(await refresh(token)).toMatchObject({ code: 0 });
  });
});

describe('a logout', () => {
  test('makes the tokens of this session void at once, on every node, and no others', async () => {
    const { email } = await member();
    const here = await loggedIn(email);
    const there = await loggedIn(email);
    const told = await node.ask('auth/logout', {}, { token: here.access_token ?? '' });
    expect(told).toMatchObject({ code: 0, data: { ended_sessions: 1 } });
    expect(await otherNode.whoIs(here.access_token ?? '')).toBeUndefined();
    expect(await refresh(here.refresh_token)).toMatchObject({ code: 1002 });
    expect(await otherNode.whoIs(there.access_token ?? '')).toBeDefined();
    expect(await node.ask('auth/logout', {}, { token: here.access_token ?? '' })).toMatchObject({
      code: 1002,
    });
  });

  test('of all sessions ends those of the account and of no other', async () => {
    const { email } = await member();
    const stranger = await loggedIn((await member()).email);
    const sessions = [await loggedIn(email), await loggedIn(email), await loggedIn(email)];
    const token = sessions[0]?.access_token ?? '';
    const told = await node.ask('auth/logout', { all: true }, { token });
    expect(told.data).toEqual({ ended_sessions: 3 });
    for (const each of sessions) expect(await otherNode.whoIs(each.access_token ?? '')).toBeUndefined();
    expect(await node.whoIs(stranger.access_token ?? '')).toBeDefined();
  });
});

describe('a new password', () => {
  test('needs the old one, ends all other sessions and keeps this one', async () => {
    const { email } = await member();
    const here = await loggedIn(email);
    const there = await loggedIn(email);
    const token = here.access_token ?? '';
    const wrong = await node.ask(
      'auth/password',
      { password: 'no', new_password: 'correct horse' },
      { token },
    );
    expect(wrong).toMatchObject({ status: 400, code: 1001 });
    expect(wrong.message).toContain('password');
    const told = await node.ask(
      'auth/password',
      { password: PASSWORD, new_password: 'correct horse' },
      { token },
    );
    expect(told).toMatchObject({ code: 0, data: { ended_sessions: 1 } });
    expect(await node.whoIs(token)).toBeDefined();
    expect(await otherNode.whoIs(there.access_token ?? '')).toBeUndefined();
    expect(await refresh(there.refresh_token)).toMatchObject({ code: 1002 });
    expect(await node.ask('auth/login', { email, password: PASSWORD })).toMatchObject({ code: 1002 });
    await loggedIn(email, 'correct horse');
  });

  test('cannot be guessed with a stolen session', async () => {
    const { email } = await member();
    const { access_token: token = '' } = await loggedIn(email);
    const guess = () =>
      node.ask('auth/password', { password: 'guess', new_password: 'correct horse' }, { token });
    for (let tries = 0; tries < 5; tries++) expect(await guess()).toMatchObject({ code: 1001 });
    const told = await guess();
    expect(told).toMatchObject({ status: 429, code: 1006 });
    expect(told.headers.get('retry-after')).toBe('60');
  });
});

describe('a login of the console', () => {
  test('sets an HttpOnly cookie, needs a CSRF value for writes, and gives scripts no token', async () => {
    const { email, accountId } = await member();
    const told = await node.ask('auth/login', { email, password: PASSWORD, cookie: true });
    const { csrf_token: csrf = '', ...rest } = told.data;
    expect(rest).toEqual({ expires_in: 604_800 });
    const cookies = told.headers.getSetCookie();
    expect(cookies.map((each) => each.replace(/=[^;]+/, ''))).toEqual([
      'tollgate_session; Path=/; Max-Age=604800; SameSite=Strict; HttpOnly',
      'tollgate_csrf; Path=/; Max-Age=604800; SameSite=Strict',
      'tollgate_device; Path=/api/v1/user/auth; Max-Age=15552000; SameSite=Strict; HttpOnly',
    ]);
    const cookie = cookies.map((each) => each.split(';')[0]).join('; ');
    const read = await fetch(`${node.url}/api/v1/user/user/who`, { headers: { cookie } });
    expect(await read.json()).toMatchObject({ code: 0, data: { accountId } });
    expect(await node.ask('user/who', {}, { headers: { cookie } })).toMatchObject({ code: 1003 });
    const strangers = { cookie, 'x-csrf-token': `${csrf.slice(0, -1)}_` };
    expect(await node.ask('user/who', {}, { headers: strangers })).toMatchObject({ code: 1003 });
    const own = { cookie, 'x-csrf-token': csrf };
    expect(await node.ask('user/who', {}, { headers: own })).toMatchObject({ code: 0 });
    const out = await node.ask('auth/logout', {}, { headers: own });
    expect(out.headers.getSetCookie().map((each) => each.split(' SameSite')[0])).toEqual([
      'tollgate_session=; Path=/; Max-Age=0;',
      'tollgate_csrf=; Path=/; Max-Age=0;',
    ]);
    const after = await fetch(`${node.url}/api/v1/user/user/who`, { headers: { cookie } });
    expect(await after.json()).toMatchObject({ code: 1002 });
  });

  test('uses https only where the public address is https', async () => {
    const { email } = await member();
    const safe = await startLoginNode(database, {
      publicUrl: 'https://gateway.example.com',
      clock: node.clock,
    });
    const told = await safe.ask('auth/login', { email, password: PASSWORD, cookie: true });
    for (const cookie of told.headers.getSetCookie()) expect(cookie).toMatch(/; Secure$/);
    await safe.close();
  });
});
