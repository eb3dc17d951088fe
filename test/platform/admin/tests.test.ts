import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWorld, type World } from '../../support/world.ts';
import { type Operator, operatorOf } from './operator.ts';

let world: World;
let operator: Operator;

beforeAll(async () => {
  world = await startWorld();
  operator = await operatorOf(world);
});
afterAll(() => world?.close());

interface Tested {
  readonly ok: boolean;
  readonly status: number | null;
  readonly duration_ms: number;
  readonly first_byte_ms: number | null;
  readonly message: string | null;
}
interface Entry {
  readonly id: number;
  readonly model_id: string;
}

const idOf = async (kind: string, search: string) =>
  (await operator.get<Entry[]>(`/${kind}?search=${search}`))[0]?.id;
const testRoute = (id: number | undefined) => operator.write<Tested>('POST', `/routes/${id}/test`);
const WORKS = { ok: true, status: 200, message: null };

describe('a test', () => {
  test('of a route is one real call that nobody is charged for and no log has', async () => {
    for (const route of await operator.get<Entry[]>('/routes?size=100')) {
      const tested = await testRoute(route.id);
      expect(tested, route.model_id).toMatchObject(WORKS);
      expect(tested.first_byte_ms).toBeLessThanOrEqual(tested.duration_ms);
    }
    await world.settled();
    const [logged] = await world.database.query<{ calls: bigint }>('select count(*) as calls from calls');
    expect(logged?.calls).toBe(0n);
    expect((await operator.get<{ traffic: { calls: number } }>('/overview')).traffic.calls).toBe(0);
    expect((await operator.ask('POST', '/routes/4711/test')).body.code).toBe(1004);
    expect(await operator.lastRecord()).toMatchObject({
      ...{ action: 'routes.test', entity: 'routes', actor_email: 'operator@example.com' },
      after: { ok: true, vendor: 'openai', credential: 'openai-main' },
    });
  });

  test('of a stored credential uses its secret, also when it is disabled', async () => {
    const id = await idOf('credentials', 'google-main');
    await operator.write('PUT', `/credentials/${id}`, { status: 'disabled' });
    expect(await operator.write('POST', `/credentials/${id}/test`, {})).toMatchObject(WORKS);
    const named = await operator.write('POST', `/credentials/${id}/test`, { model: 'no-such-model' });
    expect(named).toMatchObject({ ok: false, status: 404 });
    await operator.write('PUT', `/credentials/${id}`, { status: 'enabled' });
  });

  test('of a new credential takes a vendor of the catalogue or an address', async () => {
    const made = { vendor: 'openai', protocol: 'chat', model: 'gpt-4o', secret: 'sk-sim-openai' };
    const ask = (parts: object) => operator.ask('POST', '/credentials/test', { ...made, ...parts });
    expect((await ask({})).body.data).toMatchObject(WORKS);
    expect((await ask({ vendor: 'newcomer' })).body).toMatchObject({
      code: 1001,
      message: 'base_url is required',
    });
    const address = { vendor: 'newcomer', base_url: `${world.simulator.url}/v1` };
    expect((await ask(address)).body.data).toMatchObject(WORKS);
    // A model that knows its limit by the newer name only.
    expect((await ask({ ...address, model: 'gpt-5' })).body.data).toMatchObject(WORKS);
    expect((await ask({ base_url: 'ftp://x' })).body.code).toBe(1001);
    expect((await ask({ secret: 'a b' })).body.code).toBe(1001);
    expect((await ask({ secret: 'wrong' })).body.data).toMatchObject({ ok: false, status: 401 });
    expect((await ask({ base_url: 'http://127.0.0.1:9' })).body.data).toMatchObject({
      ...{ ok: false, status: null, first_byte_ms: null, message: 'The address cannot be reached' },
    });
  });

  test('tells the error of the vendor without the secret, not even a part of it', async () => {
    const secret = 'sk-canary/0123456789=abcdef';
    const parts = [secret, secret.slice(0, 14), `"${secret.slice(-12)}",`, encodeURIComponent(secret)];
    const server = createServer((request, response) => {
      request.resume();
      response.writeHead(401, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { message: `Wrong key: ${parts.join(' ')} see the manual` } }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const body = { vendor: 'x', protocol: 'messages', base_url: base, secret, model: 'm' };
      const tested = await operator.write<Tested>('POST', '/credentials/test', body);
      expect(tested).toMatchObject({ ok: false, status: 401 });
      expect(tested.message).toMatch(/^Wrong key: .*see the manual$/);
      expect(tested.message).not.toMatch(/canary|0123456|abcdef/);
      expect(JSON.stringify(await operator.lastRecord())).not.toMatch(/canary|0123456/);
    } finally {
      server.close();
    }
  });
});

describe('the last hour of the routes', () => {
  test('has calls, shares, failures and the time to the first token', async () => {
    const body = { model: 'gpt-5', stream: true, messages: [{ role: 'user', content: 'hello' }] };
    for (let call = 0; call < 3; call++) await (await world.post('/v1/chat/completions', body)).text();
    await world.settled();
    const { routes, truncated } = await operator.get<{
      routes: Record<string, unknown>[];
      truncated: boolean;
    }>('/overview/routes?model_id=gpt-5');
    expect(truncated).toBe(false);
    expect(routes).toMatchObject([
      { model_id: 'gpt-5', credential: 'openai-main', calls: 3, share: 1, attempts: 3, failures: 0 },
    ]);
    expect(routes[0]?.ttft_ms).toEqual(expect.any(Number));
    const all = await operator.get<{ routes: unknown[] }>('/overview/routes');
    expect(all.routes.length).toBeGreaterThan(3);
  });
});
