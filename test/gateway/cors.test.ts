import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHROMIUM, needs } from '../needs.ts';
import { launchBrowser } from '../support/browser.ts';
import { startWorld, type World } from '../support/world.ts';

const CHAT = { model: 'gpt-5', messages: [{ role: 'user', content: 'Hello' }] };
const PATHS = [
  '/v1/models',
  '/nowhere',
  '/healthz',
  '/openapi.json',
  '/api/v1/user/user/settings',
  '/v1/chat/completions',
];

/** A page on an origin of its own. */
async function servePage(): Promise<{ readonly origin: string; readonly server: Server }> {
  const server = createServer((_request, response) => {
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end('<!doctype html><link rel=icon href="data:,">');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

const corsOf = (response: Response): string[] =>
  [...response.headers.keys()].filter((name) => name.startsWith('access-control-') || name === 'vary');

describe('without TOLLGATE_CORS_ORIGINS', () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld();
  });
  afterAll(() => world?.close());

  test('no answer has a CORS header, and a preflight is a wrong method', async () => {
    const origin = 'https://app.example';
    for (const path of PATHS) {
      expect(corsOf(await fetch(world.url + path, { headers: { origin } })), path).toEqual([]);
    }
    const call = await world.post('/v1/chat/completions', CHAT, { origin });
    expect([call.status, ...corsOf(call)]).toEqual([200]);
    const asked = { origin, 'access-control-request-method': 'POST' };
    const preflight = await fetch(`${world.url}/v1/chat/completions`, { method: 'OPTIONS', headers: asked });
    expect([preflight.status, ...corsOf(preflight)]).toEqual([405]);
  });
});

describe('with TOLLGATE_CORS_ORIGINS', () => {
  let world: World;
  let page: Awaited<ReturnType<typeof servePage>>;
  beforeAll(async () => {
    page = await servePage();
    world = await startWorld({ environment: { TOLLGATE_CORS_ORIGINS: `${page.origin}, *` } });
  });
  afterAll(async () => {
    await world?.close();
    await new Promise<void>((resolve) => page.server.close(() => resolve()));
  });

  test('every answer names the origin: errors, streams, the platform', async () => {
    const { origin } = page;
    for (const path of PATHS) {
      const response = await fetch(world.url + path, { headers: { origin } });
      expect(response.headers.get('access-control-allow-origin'), path).toBe(origin);
      expect(response.headers.get('vary'), path).toBe('origin');
      expect(response.headers.get('access-control-allow-credentials'), path).toBeNull();
    }
    for (const [body, status] of [
      [CHAT, 200],
      [{ ...CHAT, stream: true }, 200],
      [{ ...CHAT, model: 'none' }, 502],
      ['{', 400],
    ] as const) {
      const response = await world.post('/v1/chat/completions', body, { origin });
      await response.arrayBuffer();
      expect(response.status).toBe(status);
      expect(response.headers.get('access-control-allow-origin')).toBe(origin);
      expect(response.headers.get('access-control-expose-headers')).toContain('x-request-id');
    }
  });

  test('an answer that depends on more than the origin has both in Vary', async () => {
    const docs = await (await fetch(`${world.url}/docs`)).text();
    const [, program = ''] = /src="(\/docs\/scalar[^"]+)"/.exec(docs) ?? [];
    const answer = await fetch(world.url + program, { method: 'HEAD' });
    expect(answer.headers.get('vary')).toBe('origin, accept-encoding');
  });

  test('the platform is open to the configured origin only, without cookies', async () => {
    const stranger = { origin: 'https://evil.example' };
    const models = await fetch(`${world.url}/v1/models`, { headers: stranger });
    expect(models.headers.get('access-control-allow-origin')).toBe('*');
    const asked = { ...stranger, 'access-control-request-method': 'POST' };
    for (const path of ['/api/v1/user/auth/login', '/api/v1/user/user/profile', '/openapi.json']) {
      for (const init of [{ headers: stranger }, { method: 'OPTIONS', headers: asked }]) {
        const response = await fetch(world.url + path, init);
        expect(response.headers.get('access-control-allow-origin'), path).toBeNull();
      }
    }
  });

  test('a page calls models from a browser, without cookies', needs(CHROMIUM), async () => {
    const browser = await launchBrowser();
    try {
      const opened = await browser.newPage();
      await opened.goto(page.origin);
      const call = (init: Readonly<Record<string, unknown>>): Promise<unknown> => {
        const headers = { ...world.headers(), 'x-stainless-lang': 'js' };
        const body = JSON.stringify({ ...CHAT, stream: true });
        const asked = { url: `${world.url}/v1/chat/completions`, method: 'POST', body, headers, ...init };
        return opened.evaluate(
          ({ url, ...options }) =>
            fetch(url, options).then(
              async (answer) => [
                answer.status,
                answer.headers.get('x-tollgate-model'),
                (await answer.text()).slice(0, 5),
              ],
              (error: Error) => error.name,
            ),
          asked,
        );
      };
      expect(await call({})).toEqual([200, 'gpt-5', 'data:']);
      expect(await call({ headers: { authorization: 'Bearer wrong' } })).toEqual([401, null, '{"cod']);
      expect(await call({ credentials: 'include' })).toBe('TypeError');
    } finally {
      await browser.close();
    }
  });
});
