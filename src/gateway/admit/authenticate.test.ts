import type { IncomingHttpHeaders } from 'node:http';
import { describe, expect, test } from 'vitest';
import { sampleAccount, sampleCatalog, sampleKey } from '../../../test/support/samples.ts';
import { hashApiKey, newApiKey } from '../../accounts/api-key.ts';
import type { Caller, Directory } from '../../accounts/contract.ts';
import { isRefusal } from '../../kernel/errors.ts';
import { seededRandom } from '../../kernel/random.ts';
import { authenticate } from './authenticate.ts';

const NOW = 5_000;
const key = newApiKey(seededRandom(1));

/** A directory that counts how often it is asked. */
class OneCaller implements Directory {
  asked = 0;
  readonly #caller: Caller | undefined;

  constructor(caller: Caller | undefined) {
    this.#caller = caller;
  }

  catalog() {
    return sampleCatalog();
  }

  findCaller(keyHash: string): Caller | undefined {
    this.asked++;
    return keyHash === hashApiKey(key) ? this.#caller : undefined;
  }

  forgetAccount(): void {}
}

const bearer = (authorization: string | undefined) => ({ authorization });
const caller: Caller = { account: sampleAccount(), key: sampleKey(), readAtMs: 0 };

test('a valid bearer key identifies its caller, in any case of the scheme', () => {
  expect(authenticate(bearer(`Bearer ${key}`), new OneCaller(caller), NOW)).toBe(caller);
  expect(authenticate(bearer(`bearer  ${key}`), new OneCaller(caller), NOW)).toBe(caller);
});

test('a repeated key on a connection is checked every time, and another key is another caller', () => {
  const connection = {};
  const directory = new OneCaller(caller);
  for (const _ of [1, 2, 3]) {
    expect(authenticate(bearer(`Bearer ${key}`), directory, NOW, connection)).toBe(caller);
  }
  expect(directory.asked).toBe(3);
  const other = `Bearer ${newApiKey(seededRandom(2))}`;
  expect(authenticate(bearer(other), directory, NOW, connection)).toMatchObject({ error: { code: 40101 } });
  expect(authenticate({}, directory, NOW, connection)).toMatchObject({ error: { code: 40001 } });
  expect(authenticate(bearer(`Bearer ${key}`), new OneCaller(undefined), NOW, connection)).toMatchObject({
    error: { code: 40101 },
  });
});

test.each([undefined, '', 'Bearer', 'Bearer ', key, `Basic ${key}`, `Bearer ${key} x`])(
  'without a bearer key (%s) the answer is 40001',
  (header) => {
    expect(authenticate(bearer(header), new OneCaller(caller), NOW)).toMatchObject({
      error: { code: 40001 },
    });
  },
);

test.each(['x', "tg-' or 1=1 --", `${key}x`, 'eyJhbGciOiJIUzI1NiJ9.e30.x'])(
  'garbage, a typo or an access token (%s) is 40101 without a look-up',
  (text) => {
    const directory = new OneCaller(caller);
    expect(authenticate(bearer(`Bearer ${text.replaceAll(' ', '')}`), directory, NOW)).toMatchObject({
      error: { code: 40101, status: 401 },
    });
    expect(directory.asked).toBe(0);
  },
);

test.each([
  ['unknown', undefined],
  ['disabled', { account: sampleAccount(), key: sampleKey({ status: 'disabled' }), readAtMs: 0 }],
  ['expired', { account: sampleAccount(), key: sampleKey({ expiresAtMs: NOW }), readAtMs: 0 }],
  [
    'of a disabled account',
    { account: sampleAccount({ status: 'disabled' }), key: sampleKey(), readAtMs: 0 },
  ],
] as const)('a key that is %s is 40101', (_name, found) => {
  const result = authenticate(bearer(`Bearer ${key}`), new OneCaller(found), NOW);
  expect(result).toMatchObject({ error: { code: 40101 } });
});

describe('40001 names the header that it found, and nothing of its value', () => {
  const SECRET = 'sk-HUNT-secret';
  const messageFor = (headers: IncomingHttpHeaders): string => {
    const found = authenticate(headers, new OneCaller(caller), NOW);
    if (!isRefusal(found)) return expect.unreachable('the request has no bearer key');
    return found.message.replace('api_key is required: send it as "Authorization: Bearer <API_KEY>"', '…');
  };

  test.each([
    [{}, '…'],
    [{ authorization: '' }, '…. The header authorization is empty'],
    [{ authorization: 'Bearer' }, '…. The header authorization has no key after "Bearer"'],
    [{ authorization: 'bearer  ' }, '…. The header authorization has no key after "Bearer"'],
    [{ authorization: SECRET }, '…. The header authorization does not begin with "Bearer"'],
    [{ authorization: `Basic ${SECRET}` }, '…. The header authorization does not begin with "Bearer"'],
    [{ authorization: `Bearer${SECRET}` }, '…. The header authorization does not begin with "Bearer"'],
    [{ authorization: `Bearer ${SECRET} x` }, '…. The key in the header authorization contains a space'],
    [
      { authorization: `Bearer ${SECRET.repeat(99)}` },
      '…. The key in the header authorization has more than 512 characters',
    ],
    [{ 'x-api-key': SECRET }, '…. A key in the header x-api-key is not read'],
    [{ 'api-key': SECRET }, '…. A key in the header api-key is not read'],
    [{ 'x-goog-api-key': SECRET }, '…. A key in the header x-goog-api-key is not read'],
    [{ 'x-api-key': '' }, '…. The header x-api-key is empty, and a key in it is not read'],
    [
      { authorization: 'Bearer', 'x-api-key': SECRET },
      '…. The header authorization has no key after "Bearer". A key in the header x-api-key is not read',
    ],
  ])('%j', (headers, message) => {
    expect(messageFor(headers)).toBe(message);
    expect(messageFor(headers)).not.toContain('HUNT');
  });
});
