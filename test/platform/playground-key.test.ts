import { afterAll, beforeAll, expect, test } from 'vitest';
import { OPERATIONS } from '../../src/operations/table.ts';
import { endpointPath } from '../../src/platform/http/router.ts';
import { gatewayPaths } from '../support/gateway-paths.ts';
import { until } from '../support/processes.ts';
import { startWorld, type World } from '../support/world.ts';

/** Rule I-98: the key of the playground, and what neither a cookie nor a key opens. */
let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

const LOGIN = { email: 'user@example.com', password: 'a test password' };
const AUTH = '/api/v1/user/auth';

async function make(token: string): Promise<{ secret: string; prefix: string; expires_at: string }> {
  const { body } = await world.api('POST', '/playground/key', { token });
  expect(body.code).toBe(0);
  return body.data;
}

async function call(key: string): Promise<number> {
  const body = { model: 'gpt-5', messages: [{ role: 'user', content: 'hello [[sim tokens=5]]' }] };
  const response = await world.post('/v1/chat/completions', body, world.headers(key));
  await response.text();
  return response.status;
}

test('it calls, is one for each login, is not listed, and its calls bear its name', async () => {
  const token = await world.login(LOGIN.email);
  const before = await world.api('GET', '/api-key/page', { token });
  const first = await make(token);
  expect(await call(first.secret)).toBe(200);
  const second = await make(token);
  const other = await make(await world.login(LOGIN.email));
  expect(await Promise.all([first, second, other].map(({ secret }) => call(secret)))).toEqual([
    401, 200, 200,
  ]);
  const after = await world.api('GET', '/api-key/page', { token });
  expect(after.body).toEqual(before.body);
  await world.settled();
  const { body } = await world.api('GET', '/call-log/page?size=1', { token });
  expect(body.data[0]).toMatchObject({ key_name: 'playground', status: 200 });
  const { secret } = second;
  expect((await world.api('GET', '/ext', { token: secret })).body.code).toBe(1002);
  const [row] = await world.database.query<{ ms: number }>(
    `select max(extract(epoch from expires_at - now()) * 1000)::int as ms from api_keys where session_id is not null`,
  );
  expect(row?.ms).toBeLessThanOrEqual(3_600_000);
});

test.each<[string, (token: string, other: string) => Promise<unknown>]>([
  ['a logout', (token) => world.api('POST', `${AUTH}/logout`, { token })],
  ['the end of other sessions', (_token, other) => world.api('DELETE', `${AUTH}/sessions`, { token: other })],
  [
    'an operator',
    async () => {
      const [row] = await world.database.query<{ id: bigint }>('select id from accounts where email = $1', [
        LOGIN.email,
      ]);
      const token = await world.login('operator@example.com');
      return world.api('DELETE', `/api/v1/admin/accounts/${row?.id}/sessions`, { token });
    },
  ],
  ['the deletion of the session', () => world.database.query('delete from sessions')],
])('%s ends it', async (name, end) => {
  const token = await world.login(LOGIN.email);
  const { secret } = await make(token);
  expect(await call(secret)).toBe(200);
  await end(token, await world.login(LOGIN.email));
  // Only what bypasses the platform is not in force at once.
  await until(async () => (await call(secret)) === 401, name.startsWith('the deletion') ? undefined : 0);
});

test('with a cookie it needs the proof of the page; a cookie opens no endpoint of the gateway', async () => {
  const { headers } = await world.api('POST', `${AUTH}/login`, { body: { ...LOGIN, cookie: true } });
  const cookie = headers
    .getSetCookie()
    .map((each) => each.split(';', 1)[0])
    .join('; ');
  expect(cookie).toContain('tollgate_session=');
  const { body } = await world.api('POST', '/playground/key', { headers: { cookie } });
  expect(body.code).toBe(1003);
  // Whoever stole the cookie tries it wherever a key can stand.
  const values = cookie.split('; ').map((each) => each.slice(each.indexOf('=') + 1));
  const tried = [
    { cookie },
    ...values.flatMap((value) => [
      { cookie, authorization: `Bearer ${value}` },
      { cookie, 'x-api-key': value },
      { cookie, 'x-goog-api-key': value },
    ]),
  ];
  for (const each of gatewayPaths()) {
    const [method = '', path = ''] = each.split(' ');
    const place = path.replace('{model}', 'gpt-5').replace('{id}', 'resp_1');
    for (const given of tried) {
      const response = await fetch(world.url + place, {
        method,
        headers: { ...given, 'content-type': 'application/json' },
        ...(method === 'POST' && { body: '{"model":"gpt-5"}' }),
      });
      // No key at all, or one that nobody has.
      const refusal = 'authorization' in given ? /40101/ : /40001|40101/;
      expect([400, 401], each).toContain(response.status);
      expect(await response.text(), each).toMatch(refusal);
    }
  }
});

test('a key opens no operation of the platform', async () => {
  const closed = OPERATIONS.filter(({ access }) => access === 'user' || access === 'operator');
  expect(closed.length).toBeGreaterThan(100);
  for (const row of closed) {
    const path = endpointPath(row).replaceAll(/:\w+/g, '1');
    const { body } = await world.api(row.method, path, { token: world.key });
    expect(body.code, row.name).toBe(1002);
  }
});
