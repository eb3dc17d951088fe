import OpenAI from 'openai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWorld, type World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld({ environment: { TOLLGATE_TRUSTED_PROXIES: '127.0.0.0/8' } });
});
afterAll(() => world.close());

test('an account of the catalogue logs in, and its API key does not log it in', async () => {
  const token = await world.login('user@example.com');
  const good = await world.api('GET', '/profile', { token });
  expect([good.status, good.body.data.email]).toEqual([200, 'user@example.com']);
  const refused = await world.api('GET', '/profile', { token: world.key });
  expect([refused.status, refused.body.code]).toEqual([401, 1002]);
});

test('paths of the gateway and of the platform do not overlap', async () => {
  const absent = await world.api('GET', '/api/v2/anything');
  expect([absent.status, absent.body.code]).toEqual([404, 1004]);
  const gateway = await fetch(`${world.url}/v1/nothing`);
  expect(await gateway.json()).toMatchObject({ error: { type: 'gateway_error' } });
  const call = await world.post('/v1/chat/completions', { model: 'gpt-5', messages: [] });
  expect(call.headers.get('cache-control')).toBeNull();
});

const JSON_TYPE = { 'content-type': 'application/json' };
const LOGIN = '/api/v1/user/auth/login';

test.each([
  ['GET', '/api', 404, 1004],
  ['GET', '/api?x=1', 404, 1004],
  ['GET', '/api/', 404, 1004],
  ['POST', '/api/v2/chat/completions', 404, 1004],
  ['GET', '/api/v1/user/user/%zz', 404, 1004],
  ['OPTIONS', '/api/v1/models', 404, 1004],
  ['PATCH', LOGIN, 405, 1001],
  ['OPTIONS', LOGIN, 405, 1001],
  ['POST', LOGIN, 400, 1001],
  ['GET', '/api/v1/user/user/profile', 401, 1002],
])('%s %s is answered with the envelope and an error', async (method, path, status, code) => {
  const body = method === 'POST' ? '{"email":' : undefined;
  const init = body === undefined ? { method } : { method, body, headers: JSON_TYPE };
  const answer = await fetch(world.url + path, init);
  const failure = (await answer.json()) as { message: string };
  const { message } = failure;
  expect([answer.status, failure]).toEqual([
    status,
    { code, message, data: null, error: { type: 'gateway_error', code: String(code), message } },
  ]);
  expect(answer.headers.get('x-request-id')).toMatch(/^req_/);
});

test.each(['/api', '/api/v2/x', '/api/v1/user/user/profile'])(
  'HEAD %s has the head of that answer',
  async (path) => {
    const [head, whole] = [await fetch(world.url + path, { method: 'HEAD' }), await fetch(world.url + path)];
    expect([head.status, await head.text()]).toEqual([whole.status, '']);
    expect(head.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(head.headers.get('content-length')).toBe(String((await whole.bytes()).length));
  },
);

test('OpenAI’s SDK with the address of the platform raises our words', async () => {
  const openai = new OpenAI({ baseURL: `${world.url}/api/v1`, apiKey: world.key, maxRetries: 0 });
  const error = await openai.models.list().then(
    () => expect.unreachable('the platform has no such path'),
    (failure: unknown) => failure,
  );
  expect(error).toMatchObject({ status: 404, code: '1004', type: 'gateway_error' });
  expect(error).toHaveProperty('message', '404 There is no such path');
});

test('the document and its page are served by the platform', async () => {
  const document = await fetch(`${world.url}/openapi.json`);
  expect(document.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(await document.json()).toMatchObject({ openapi: '3.1.1', info: { title: 'Tollgate' } });
  const page = await fetch(`${world.url}/docs`);
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  const policy = page.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("script-src 'self';");
  expect(policy).not.toMatch(/unsafe-eval|https?:|\*/);
  expect(document.headers.get('content-security-policy')).toBeNull();
  const wrong = await fetch(`${world.url}/openapi.json`, { method: 'POST' });
  expect(wrong.status).toBe(404);
});

test('the scripts of the page are served by the platform, small, and cached by browsers', async () => {
  const page = await (await fetch(`${world.url}/docs`)).text();
  const scripts = [...page.matchAll(/<script src="([^"]+)"><\/script>/g)].map(([, path]) => path ?? '');
  expect(scripts.length).toBe(2);
  expect(page.match(/<script/g)?.length).toBe(2);
  for (const path of scripts) {
    expect(path).toMatch(/^\/docs\/[\w.-]+\.js$/);
    const script = await fetch(world.url + path);
    expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(script.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    await script.arrayBuffer();
  }
  const program = world.url + scripts[0];
  const sizes = new Map<string, number>();
  for (const encoding of ['identity', 'gzip', 'br']) {
    const answer = await fetch(program, { method: 'HEAD', headers: { 'accept-encoding': encoding } });
    expect(answer.headers.get('content-encoding') ?? 'identity').toBe(encoding);
    expect(answer.headers.get('vary')).toBe('accept-encoding');
    sizes.set(encoding, Number(answer.headers.get('content-length')));
    const etag = answer.headers.get('etag') ?? '';
    const again = await fetch(program, { headers: { 'accept-encoding': encoding, 'if-none-match': etag } });
    expect([again.status, await again.text()]).toEqual([304, '']);
  }
  expect(sizes.get('br')).toBeLessThan((sizes.get('identity') ?? 0) / 3);
  const refused = await fetch(program, {
    method: 'HEAD',
    headers: { 'accept-encoding': 'br;q=0, gzip;q=0' },
  });
  expect(refused.headers.get('content-encoding')).toBeNull();
});

test('requests of the platform are counted by endpoint and status', async () => {
  await world.api('GET', '/profile');
  const figures = await world.figures();
  expect(figures).toMatch(/tollgate_platform_requests_total\{endpoint="[\w.]+",status="401"\} \d/);
});
