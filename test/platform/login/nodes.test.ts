import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTollgate, type Tollgate } from '../../../src/app.ts';
import { silentLogger } from '../../../src/kernel/log.ts';
import { configOf } from '../../support/config.ts';
import { startWorld, type World } from '../../support/world.ts';

/** Two whole nodes on one database and one secret. */
let world: World;
let second: Tollgate;
let folder: string;

const SECRET = 'one root secret for both of the nodes';

beforeAll(async () => {
  const environment = { TOLLGATE_SECRET: SECRET, TOLLGATE_PUBLIC_URL: 'https://api.example.com/' };
  world = await startWorld({ environment });
  folder = await mkdtemp(join(tmpdir(), 'tollgate-second-'));
  const config = configOf({
    ...environment,
    TOLLGATE_HOST: '127.0.0.1',
    TOLLGATE_PORT: '0',
    TOLLGATE_DATA: join(folder, 'data'),
    TOLLGATE_REGISTRATION: 'closed',
    DATABASE_URL: world.config.databaseUrl ?? '',
  });
  second = await startTollgate(config, silentLogger);
});

afterAll(async () => {
  await second?.stop();
  await world?.close();
  await rm(folder, { recursive: true, force: true });
});

async function ask(url: string, path: string, body: unknown, token = '') {
  const response = await fetch(`${url}/api/v1/user/auth/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  });
  const told = (await response.json()) as { code: number; data: Record<string, string> };
  return { ...told, headers: response.headers };
}

const LOGIN = { email: 'user@example.com', password: 'a test password' };

test('a logout at one node is in force for the next request at the other', async () => {
  const { data } = await ask(world.url, 'login', LOGIN);
  const also = await ask(second.url, 'refresh', { refresh_token: data.refresh_token });
  expect(also.code).toBe(0);
  expect((await ask(second.url, 'logout', {}, data.access_token)).code).toBe(0);
  expect((await ask(world.url, 'logout', {}, also.data.access_token)).code).toBe(1002);
  expect((await ask(world.url, 'refresh', { refresh_token: also.data.refresh_token })).code).toBe(1002);
});

test('an API key is not an access token, nor the other way round', async () => {
  const { data } = await ask(second.url, 'login', LOGIN);
  expect((await ask(world.url, 'logout', {}, world.key)).code).toBe(1002);
  for (const text of [data.access_token, data.refresh_token]) {
    const call = await world.post(
      '/v1/chat/completions',
      { model: 'gpt-5', messages: [] },
      world.headers(text),
    );
    expect([call.status, await call.json()]).toMatchObject([401, { code: 40101 }]);
  }
});

test('cookies are for https where the public address is, and registration is as configured', async () => {
  const { headers } = await ask(world.url, 'login', { ...LOGIN, cookie: true });
  expect(headers.getSetCookie()).toHaveLength(3);
  for (const cookie of headers.getSetCookie()) expect(cookie).toMatch(/; Secure$/);
  const body = { email: 'new@example.com', password: 'correct horse' };
  expect((await ask(second.url, 'register', body)).code).toBe(1003);
  expect((await ask(world.url, 'register', body)).code).toBe(0);
});

test('a node with an operator has no setup token', () => {
  expect([world.tollgate.setupToken, second.setupToken]).toEqual([undefined, undefined]);
});
