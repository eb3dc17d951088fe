import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { setKeyStatus } from '../../src/store/accounts/api-keys.ts';
import { announceAndWait } from '../../src/store/changes.ts';
import { type Answered, askCall, codeOf, malformedRefusal } from '../support/endpoints/ask.ts';
import { credentialOf, ONE_REQUEST, VENDOR_SECRETS } from '../support/endpoints/catalog.ts';
import { missingOf } from '../support/endpoints/coverage.ts';
import { openPayer } from '../support/endpoints/payer.ts';
import {
  ENDPOINT_CALLS,
  type EndpointCall,
  VENDOR_CODES,
  type VendorCode,
} from '../support/endpoints/table.ts';
import { startEndpointWorld } from '../support/endpoints/world.ts';
import type { World } from '../support/world.ts';
import { rowsOf } from './rows-of.ts';

/** `user` has a credential of its own for every vendor; `other` pays with Credits. */
const PEOPLE = { user: 'user@example.com', other: 'other@example.com' } as const;
type Person = keyof typeof PEOPLE;

let world: World;
let keys: Readonly<Record<Person, string>>;
let tokens: Readonly<Record<Person, string>>;
let ids: Readonly<Record<Person, number>>;
const proved = new Set<string>();

beforeAll(async () => {
  world = await startEndpointWorld();
  keys = { user: world.key, other: await world.newKey(PEOPLE.other) };
  tokens = { user: await world.login(PEOPLE.user), other: await world.login(PEOPLE.other) };
  const rows = await world.database.query<{ id: number; email: string }>(
    'select id::int, email from accounts',
  );
  const idOf = (person: Person): number => rows.find(({ email }) => email === PEOPLE[person])?.id ?? 0;
  ids = { user: idOf('user'), other: idOf('other') };
  for (const code of [...VENDOR_CODES, 'azure', 'bedrock', 'vertex'] as const) await host(code);
  await announceAndWait(world.database);
});
afterAll(() => world?.close());

/** The simulated clouds have one customer, so whose credential was used is told by its name there. */
async function host(code: VendorCode): Promise<void> {
  const secret =
    code === 'vertex' ? JSON.stringify(world.simulator.clouds.serviceAccount()) : ownSecret(code);
  const body = { vendor_code: code, name: ownCredential(code), secret };
  const { body: told } = await world.api('POST', '/credential', { token: tokens.user, body });
  expect(told, code).toMatchObject({ code: 0 });
}

const ownCredential = (code: VendorCode): string => `of-user-${code}`;

function ownSecret(code: VendorCode): string {
  const shared = VENDOR_SECRETS[code];
  if (typeof shared !== 'string') return JSON.stringify(shared);
  return code === 'azure' ? shared : `${shared}-of-user`;
}

const ask = (person: Person, call: EndpointCall, words: string): Promise<Answered> =>
  askCall({ url: world.url, key: keys[person] }, call, words);

interface Row {
  readonly account: number;
  readonly payer: string;
  readonly charge_micro: bigint;
  readonly attempts: readonly { readonly credential: string }[];
}

async function rowOf({ headers }: Answered): Promise<Row | undefined> {
  await world.settled();
  const [row] = await world.database.query<Row & Record<string, unknown>>(
    'select account_id::int as account, payer, charge_micro, attempts from calls where call_id = $1',
    [headers['x-request-id']],
  );
  return row;
}

const isCloud = ({ vendor }: EndpointCall): boolean => !VENDOR_CODES.some((code) => code === vendor);

/** The tables that tell of money and calls. */
const BOOKS = ['calls', 'consumptions', 'ledger_entries'];

async function booksOf(person: Person): Promise<readonly (string[] | undefined)[]> {
  await world.settled();
  const rows = await rowsOf(world.database, ids[person]);
  return BOOKS.map((table) => rows[table]);
}

describe.each(ENDPOINT_CALLS.map((call) => [call.name, call] as const))('%s', (name, call) => {
  test('uses the credential of the account that asks, charges that account, and nobody else', async () => {
    const [own, paid] = [`own-${call.model}`, `paid-${call.model}`];
    const before = await booksOf('user');
    const byOther = await ask('other', call, `tag=${paid} tokens=10`);
    expect(byOther.status, byOther.text).toBe(200);
    expect(await rowOf(byOther)).toMatchObject({
      ...{ account: ids.other, payer: 'credits', attempts: [{ credential: credentialOf(call.vendor) }] },
    });
    expect(await booksOf('user')).toEqual(before);
    const others = await booksOf('other');
    const byUser = await ask('user', call, `tag=${own} tokens=10`);
    expect(byUser.status, byUser.text).toBe(200);
    expect(await rowOf(byUser)).toMatchObject({
      ...{ account: ids.user, payer: 'byok', charge_micro: 0n },
      attempts: [{ credential: ownCredential(call.vendor), own: true }],
    });
    expect(await booksOf('other')).toEqual(others);
    if (isCloud(call)) return;
    const { truth } = world.simulator;
    expect(truth.list(own).map(({ key }) => key)).toEqual([ownSecret(call.vendor)]);
    expect(truth.list(paid).map(({ key }) => key)).toEqual([VENDOR_SECRETS[call.vendor]]);
  });

  test('is in the log of the account that asked, and not to be found by another', async () => {
    const asked = {
      user: await ask('user', call, 'tokens=10'),
      other: await ask('other', call, 'tokens=10'),
    };
    await world.settled();
    for (const [person, stranger] of [
      ['user', 'other'],
      ['other', 'user'],
    ] as const) {
      const id = String(asked[person].headers['x-request-id']);
      const find = (token: string) => world.api('GET', `/call-log/request/${id}`, { token });
      expect((await find(tokens[person])).body).toMatchObject({ code: 0, data: { model_id: call.model } });
      expect((await find(tokens[stranger])).body.code).not.toBe(0);
      const page = await world.api('GET', '/call-log/page?size=50', { token: tokens[stranger] });
      expect(JSON.stringify(page.body)).not.toContain(id);
    }
  });

  test('is not stopped by the limits or the emptiness of another account', async () => {
    const limited = await world.newKey(PEOPLE.user, { policyId: ONE_REQUEST });
    const { url } = world;
    expect((await askCall({ url, key: limited }, call, 'tokens=10')).status).toBe(200);
    const refused = await askCall({ url, key: limited }, call, 'tokens=10');
    expect([refused.status, codeOf(refused)]).toEqual([429, 42902]);
    expect(malformedRefusal(call, refused)).toBeUndefined();
    expect((await ask('other', call, 'tokens=10')).status).toBe(200);
    const poor = await openPayer(world.database, 0n);
    await announceAndWait(world.database);
    const tag = `poor-${call.model}`;
    const empty = await askCall({ url, key: poor.key }, call, `tag=${tag} tokens=10`);
    expect([empty.status, codeOf(empty)]).toEqual([403, 40202]);
    expect(malformedRefusal(call, empty)).toBeUndefined();
    expect(world.simulator.truth.list(tag)).toEqual([]);
  });

  test('is refused to a key that was disabled, and to no key', async () => {
    const payer = await openPayer(world.database);
    await announceAndWait(world.database);
    const tag = `gone-${call.model}`;
    const caller = { url: world.url, key: payer.key };
    expect((await askCall(caller, call, 'tokens=10')).status).toBe(200);
    const [row] = await world.database.query<{ id: number }>(
      'select id::int from api_keys where account_id = $1',
      [payer.accountId],
    );
    await setKeyStatus(world.database, payer.accountId, [row?.id ?? 0], 'disabled');
    await announceAndWait(world.database);
    for (const [key, status] of [
      [payer.key, 401],
      ['sk-nobody', 401],
    ] as const) {
      const refused = await askCall({ url: world.url, key }, call, `tag=${tag}`);
      expect(refused.status).toBe(status);
      expect(malformedRefusal(call, refused)).toBeUndefined();
    }
    expect(world.simulator.truth.list(tag)).toEqual([]);
    proved.add(name);
  });
});

test('every endpoint and every cloud was asked by two tenants', () => {
  expect(missingOf(proved)).toEqual([]);
});
