import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { createServer as createSecureServer, type Server } from 'node:tls';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Logger } from '../../src/kernel/log.ts';
import { loggedCall } from '../gateway/logged-call.ts';
import { needs, OPENSSL } from '../needs.ts';
import { certificateOf, trust } from '../support/servers/certificate.ts';
import { createTestProxy } from '../support/servers/proxy.ts';
import { STANDARD_CATALOG, startWorld, type World } from '../support/world.ts';

/** The whole gateway in a network where vendors behind TLS are reached through a proxy only. */

const VENDOR = 'vendor.test:443';
const PASSWORD = 'pass-word-of-the-proxy';
const CATALOG = STANDARD_CATALOG.replace(
  'models:\n',
  `models:
  - model_id: two-ways
    name: Two ways
    prices: { input: "10", output: "30" }
    routes:
      - { vendor: openai, credential: openai-main, forward_model_id: gpt-4o, protocols: [chat], priority: 1 }
      - { vendor: anthropic, credential: anthropic-main, forward_model_id: claude-sonnet-5, priority: 2 }
`,
).replace(/(\[messages\], base_url: "\$\{)SIM/, '$1DIRECT');

const lines: string[] = [];
let started: readonly string[] = [];
const keep = (fields: object, text: string): void => {
  lines.push(JSON.stringify([fields, text]));
};
const log: Logger = { debug: keep, info: keep, warn: keep, error: keep };

const proxy = createTestProxy();
let front: Server;
let world: World;
let certificate: string;

async function listen(server: { listen(port: number, host: string): unknown } & NodeJS.EventEmitter) {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return ((server as unknown as Server).address() as AddressInfo).port;
}

describe('a gateway behind an egress proxy', needs(OPENSSL), () => {
  beforeAll(async () => {
    const { key, cert } = certificateOf('vendor.test');
    certificate = cert;
    // TLS before the simulator, which speaks plain HTTP.
    front = createSecureServer({ key, cert }, (socket) => {
      const inner = connect(Number(new URL(world.simulator.url).port), '127.0.0.1');
      socket.pipe(inner).pipe(socket);
      socket.on('error', () => inner.destroy()).on('close', () => inner.destroy());
      inner.on('error', () => socket.destroy());
    });
    proxy.places.set(VENDOR, await listen(front));
    const port = await listen(proxy.server);
    world = await startWorld({
      catalog: CATALOG,
      log,
      environment: {
        HTTPS_PROXY: `http://user:${PASSWORD}@127.0.0.1:${port}`,
        http_proxy: 'http://127.0.0.1:1',
        NO_PROXY: 'elsewhere.test',
        SIM: 'https://vendor.test',
        // Loopback, so directly, although a proxy that nobody answers at is set for http.
        DIRECT: 'http://127.0.0.1:9',
      },
    });
    started = lines.splice(0);
  });
  afterAll(async () => {
    await world?.close();
    for (const socket of proxy.clients) socket.destroy();
    proxy.server.close();
    front?.close();
  });
  beforeEach(() => {
    trust(certificate);
    Object.assign(proxy, { credentials: `user:${PASSWORD}`, instead: undefined });
    proxy.asked.length = 0;
    lines.length = 0;
  });

  const ask = (more: object = {}) =>
    world.post('/v1/chat/completions', {
      model: 'gpt-5',
      messages: [{ role: 'user', content: 'Hello' }],
      ...more,
    });
  /** The idle tunnels end, so that the next call needs a new one. */
  async function endTunnels(): Promise<void> {
    for (const socket of proxy.clients) socket.destroy();
    await expect.poll(() => proxy.clients.size).toBe(0);
  }

  it('logs at its start where the proxies are, without the password', () => {
    const [told] = started.filter((line) => line.includes('vendors are reached through a proxy'));
    expect(told).toContain(`"https":"127.0.0.1:`);
    expect(started.join()).not.toContain(PASSWORD);
  });

  it('calls the vendor through a tunnel, streamed or not, with the vendor’s name in TLS', async () => {
    const plain = await ask();
    expect([plain.status, ((await plain.json()) as { model: string }).model]).toEqual([200, 'gpt-5']);
    const streamed = await ask({ stream: true });
    expect(await streamed.text()).toContain('data: [DONE]');
    expect(proxy.asked).toEqual([VENDOR]);
    await world.settled();
  });

  it.each([
    [
      'refuses its password',
      { credentials: 'user:another' },
      'answered 407, it refuses the user or password',
    ],
    ['refuses the vendor', { instead: say('403 Forbidden') }, 'answered 403 instead of opening a tunnel'],
    ['is broken', { instead: (socket: Socket) => socket.resetAndDestroy() }, 'ECONNRESET'],
  ])('informs the operator only when the proxy %s', async (_name, faults, words) => {
    await endTunnels();
    Object.assign(proxy, faults);
    const answer = await ask({ model: 'gemini-3-pro' });
    const text = await answer.text();
    expect(answer.status).toBeGreaterThanOrEqual(500);
    expect(text).not.toMatch(/proxy|407|403/);
    expect(lines.join()).toContain(`egress proxy: `);
    expect(lines.join()).toContain(words);
    for (const shown of [text, lines.join(), await world.figures()]) {
      expect(shown).not.toContain(PASSWORD);
      expect(shown).not.toContain(Buffer.from(`user:${PASSWORD}`).toString('base64'));
    }
  });

  it('counts a failing proxy like an unreachable vendor, and tries the next route', async () => {
    await endTunnels();
    proxy.instead = say('502 Bad Gateway');
    const answer = await ask({ model: 'two-ways' });
    expect(answer.status).toBeGreaterThanOrEqual(500);
    const row = await loggedCall(world, answer.headers.get('x-request-id'));
    expect(row).toMatchObject({ attempts: [{ outcome: 'connect' }, { outcome: 'connect' }] });
    const failures = lines.filter((line) => line.includes('upstream failed'));
    expect(failures[0]).toContain('egress proxy: answered 502');
    expect(failures[1], 'loopback is connected to directly').toMatch(/ECONNREFUSED 127\.0\.0\.1:9/);
  });

  it('ends a stream whose tunnel dies like any broken stream', async () => {
    const content = '[[sim tokens=20 fault=stall@9]]';
    const streamed = await ask({ stream: true, messages: [{ role: 'user', content }] });
    const reader = streamed.body?.getReader();
    expect((await reader?.read())?.done).toBe(false);
    await endTunnels();
    await expect(readAll(reader)).rejects.toThrow();
    const row = await loggedCall(world, streamed.headers.get('x-request-id'));
    expect(row).toMatchObject({ verdict: 'cut-by-upstream', status: 200 });
  });
});

function say(status: string): (socket: Socket) => void {
  return (socket) => void socket.end(`HTTP/1.1 ${status}\r\ncontent-length: 0\r\n\r\n`);
}

async function readAll(reader: ReadableStreamDefaultReader<Uint8Array> | undefined): Promise<void> {
  while ((await reader?.read())?.done === false);
}
