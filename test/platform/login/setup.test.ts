import { afterEach, beforeEach, expect, test } from 'vitest';
import { SETUP_TOKEN_MS } from '../../../src/operations/bounds.ts';
import { prepareSetupToken } from '../../../src/store/accounts/registration.ts';
import { type LoginNode, newMember, startLoginNode } from '../../support/logins.ts';
import { type FreshDatabase, freshDatabase } from '../../support/postgres.ts';

let fresh: FreshDatabase;
let node: LoginNode;

beforeEach(async () => {
  fresh = await freshDatabase();
  node = await startLoginNode(fresh.database, { registration: 'closed' });
});

afterEach(async () => {
  await node.close();
  await fresh.drop();
});

const SECRET = 'the secret of all nodes, of 32 bytes or more';
/** What a start of the server tells. */
const newToken = async (secret = SECRET): Promise<string | undefined> =>
  (await prepareSetupToken(fresh.database, secret, node.clock.now()))?.text;
const setUp = (token: string | undefined, email = 'first@example.com') =>
  node.ask('auth/setup', { token, email, password: 'correct horse' });
const REFUSED = { status: 403, code: 1003, message: 'The setup token is wrong, used or expired' };

test('the token on the terminal creates the first operator, once, although registration is closed', async () => {
  const token = await newToken();
  const told = await setUp(token);
  expect(told.code).toBe(0);
  expect(await node.whoIs(told.data.access_token ?? '')).toMatchObject({ role: 'operator' });
  expect(await setUp(token, 'second@example.com')).toMatchObject(REFUSED);
  expect(await newToken()).toBeUndefined();
  // The audit log begins with them, and says nothing of token or password.
  const recorded = await fresh.database.query<{ all: string }>(
    'select audit_log::text as all from audit_log',
  );
  expect(recorded).toHaveLength(1);
  expect(recorded[0]?.all).toMatch(/192\.0\.2\.1,auth\.setup,accounts,.*first@example\.com/);
  expect(recorded[0]?.all).not.toMatch(/tgo1|correct horse|scrypt/);
});

test('one of five simultaneous uses of the token creates an operator', async () => {
  const token = await newToken();
  const told = await Promise.all(
    Array.from({ length: 5 }, (_, index) => setUp(token, `one${index}@example.com`)),
  );
  expect(told.filter(({ code }) => code === 0)).toHaveLength(1);
  const operators = await fresh.database.query("select 1 from accounts where role = 'operator'");
  expect(operators).toHaveLength(1);
  expect(await fresh.database.query('select 1 from accounts')).toHaveLength(1);
});

test('every start and every node prints the same token, which is valid for 24 hours', async () => {
  const token = await newToken();
  node.clock.advance(SETUP_TOKEN_MS / 2);
  expect(await Promise.all(Array.from({ length: 8 }, () => newToken()))).toEqual(Array(8).fill(token));
  node.clock.advance(SETUP_TOKEN_MS / 2);
  expect(await setUp(token)).toMatchObject(REFUSED);
  const rows = await fresh.database.query<{ kept: string }>(
    'select row_to_json(setup_token)::text as kept from setup_token',
  );
  expect(rows[0]?.kept).not.toContain(token?.slice(5));
  const next = await newToken();
  expect(next).not.toBe(token);
  expect(await setUp(next)).toMatchObject({ code: 0 });
});

test('eight simultaneous first starts print one token', async () => {
  const told = await Promise.all(Array.from({ length: 8 }, () => newToken()));
  expect(new Set(told).size).toBe(1);
  expect(await setUp(told[0])).toMatchObject({ code: 0 });
});

test('a token of another secret cannot be printed again and is void', async () => {
  const before = await newToken();
  const token = await newToken('another secret, of 32 bytes or more too');
  expect(token).not.toBe(before);
  expect(await setUp(before)).toMatchObject(REFUSED);
  expect(await setUp(token)).toMatchObject({ code: 0 });
});

test('a token is void as soon as there is an operator', async () => {
  const token = await newToken();
  await newMember(fresh.database, 'other@example.com', 'operator');
  expect(await setUp(token)).toMatchObject(REFUSED);
});

test('an address that has an account leaves the token for another try', async () => {
  await newMember(fresh.database, 'first@example.com');
  const token = await newToken();
  expect(await setUp(token)).toMatchObject({ status: 409, code: 1005 });
  expect(await setUp(token, 'operator@example.com')).toMatchObject({ code: 0 });
});

test('garbage is not a token', async () => {
  await newToken();
  for (const token of ['x', 'tgo1.', `tgo1.${'A'.repeat(43)}`])
    expect(await setUp(token)).toMatchObject(REFUSED);
});
