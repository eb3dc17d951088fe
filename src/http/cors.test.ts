import { request as ask, createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { CORS_HEADER_NAMES_CHARS_MAX } from './bounds.ts';
import { createCors } from './cors.ts';

let server: Server | undefined;
afterEach(
  () => new Promise<void>((resolve) => (server === undefined ? resolve() : server.close(() => resolve()))),
);

interface Answered {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
}

/** A server with these origins that answers `200` itself; below /api only named origins may read. */
async function serve(...origins: string[]) {
  const cors = createCors({ origins, isGuarded: (url) => url.startsWith('/api') });
  server = createServer((request, response) => {
    if (cors?.answer(request, response)) return;
    response.writeHead(200, ['content-type', 'text/plain']).end('served');
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return (method: string, path: string, headers: Record<string, string>): Promise<Answered> =>
    new Promise((resolve, reject) => {
      const asked = ask({ port, host: '127.0.0.1', method, path, headers, agent: false }, (response) => {
        response
          .resume()
          .on('end', () => resolve({ status: response.statusCode, headers: response.headers }));
      });
      asked.on('error', reject).end();
    });
}

const APP = 'https://app.example';
const PREFLIGHT = { origin: APP, 'access-control-request-method': 'POST' };

describe('CORS', () => {
  test('does nothing when no origin is configured', () => {
    expect(createCors({ origins: [], isGuarded: () => false })).toBeUndefined();
  });

  test('allows a configured origin to read, and no other', async () => {
    const request = await serve(APP);
    const { headers } = await request('GET', '/v1/models', { origin: APP });
    expect(headers).toMatchObject({ 'access-control-allow-origin': APP, vary: 'origin' });
    expect(headers['access-control-expose-headers']).toContain('x-request-id');
    for (const origin of [
      'https://app.example:8443',
      'http://app.example',
      'https://evil.example',
      'null',
      '',
    ]) {
      const other = await request('GET', '/v1/models', { origin });
      expect(other.status).toBe(200);
      expect(other.headers['access-control-allow-origin'], origin).toBeUndefined();
      expect(other.headers.vary).toBe('origin');
    }
    expect((await request('GET', '/v1/models', {})).headers.vary).toBe('origin');
  });

  test('allows all origins to read, but not what a cookie guards', async () => {
    const request = await serve('*', APP);
    const stranger = { origin: 'https://evil.example' };
    expect((await request('GET', '/v1/models', stranger)).headers['access-control-allow-origin']).toBe('*');
    const guarded = await request('GET', '/api/v1/x', stranger);
    expect(guarded.headers['access-control-allow-origin']).toBeUndefined();
    const named = await request('GET', '/api/v1/x', { origin: APP });
    expect(named.headers['access-control-allow-origin']).toBe(APP);
    for (const { headers } of [guarded, named]) {
      expect(headers['access-control-allow-credentials']).toBeUndefined();
    }
  });

  test('allows the origins of apps by name', async () => {
    const request = await serve('tauri://localhost');
    const { headers } = await request('GET', '/api/v1/x', { origin: 'tauri://localhost' });
    expect(headers['access-control-allow-origin']).toBe('tauri://localhost');
    const other = await request('GET', '/v1/models', { origin: 'tauri://other' });
    expect(other.headers['access-control-allow-origin']).toBeUndefined();
  });

  test('allows `null`, which any page can send, to read no more than all origins may', async () => {
    const request = await serve('null');
    const origin = { origin: 'null' };
    expect((await request('GET', '/v1/models', origin)).headers['access-control-allow-origin']).toBe('null');
    const guarded = await request('GET', '/api/v1/x', origin);
    expect(guarded.headers['access-control-allow-origin']).toBeUndefined();
    const preflight = await request('OPTIONS', '/v1/messages', { ...PREFLIGHT, origin: 'null' });
    expect([preflight.status, preflight.headers['access-control-allow-origin']]).toEqual([204, 'null']);
  });
});

describe('a preflight', () => {
  test('is answered with the methods and exactly the requested headers', async () => {
    const request = await serve(APP);
    const wanted = 'authorization,content-type,x-stainless-lang, anthropic-dangerous-direct-browser-access';
    const { status, headers } = await request('OPTIONS', '/v1/messages', {
      ...PREFLIGHT,
      'access-control-request-headers': wanted,
    });
    expect(status).toBe(204);
    expect(headers).toMatchObject({
      'access-control-allow-origin': APP,
      'access-control-allow-methods': 'GET, HEAD, POST, PUT, DELETE',
      'access-control-allow-headers': wanted,
      'access-control-max-age': '7200',
      vary: 'origin, access-control-request-headers',
    });
  });

  test.each(['a b', 'a,,b', ',a', 'a;b', 'a:b', 'é', 'x'.repeat(CORS_HEADER_NAMES_CHARS_MAX + 1)])(
    'allows no header when one of them is malformed: %#',
    async (names) => {
      const request = await serve(APP);
      const asked = { ...PREFLIGHT, 'access-control-request-headers': names };
      const { status, headers } = await request('OPTIONS', '/v1/messages', asked);
      expect(status).toBe(204);
      expect(headers['access-control-allow-headers']).toBeUndefined();
    },
  );

  test('of another origin, or one that requests nothing, is handled as any request', async () => {
    const request = await serve(APP);
    const other = await request('OPTIONS', '/v1/messages', { ...PREFLIGHT, origin: 'https://evil.example' });
    expect(other.status).toBe(200);
    expect(other.headers['access-control-allow-methods']).toBeUndefined();
    expect((await request('OPTIONS', '/v1/messages', { origin: APP })).status).toBe(200);
  });
});
