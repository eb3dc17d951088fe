import { createServer } from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { needs, OPENSSL } from '../../../test/needs.ts';
import { certificateOf, trust } from '../../../test/support/servers/certificate.ts';
import { createTestProxy, type TestProxy } from '../../../test/support/servers/proxy.ts';
import { atTestEnd } from '../../../test/support/suite/ends.ts';
import { LONG, listen, type Outcome, post, run, vendor } from '../../../test/support/upstream.ts';
import { UPSTREAM_HEADER_BYTES_MAX } from '../../bounds.ts';
import type { UpstreamClient, UpstreamRequest } from '../contract.ts';
import { GuardedFetcher } from '../guard/fetch-media.ts';
import type { Resolve } from '../guard/resolve.ts';
import { createUpstreamClient } from './client.ts';
import { createChooseProxy } from './egress-proxy.ts';

const PUBLIC = '93.184.216.34';
const toPublic: Resolve = async () => [{ address: PUBLIC, family: 4 }];
const toLoopback: Resolve = async () => [{ address: '127.0.0.1', family: 4 }];
const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const PATIENT = { signal: new AbortController().signal, room: () => true };

async function startProxy(tls?: { readonly key: string; readonly cert: string }) {
  const proxy = createTestProxy(tls);
  const url = await listen(proxy.server);
  return { proxy, url };
}

const everywhere = (url: string, noProxy: readonly string[] = []) =>
  createChooseProxy({ httpsProxy: url, httpProxy: url, noProxy });

function clientBy(url: string, more: { noProxy?: string[]; resolve?: Resolve; ownHosts?: string[] } = {}) {
  const { noProxy, ...rest } = more;
  const made = createUpstreamClient({ ...rest, chooseProxy: everywhere(url, noProxy) });
  atTestEnd(() => made.close());
  return made;
}

const toUser = (origin: string): UpstreamRequest => ({ ...post(origin, '{}', LONG), reach: 'public' });

/** Answers behind the proxy as `vendor.test`, counting its connections. */
async function plainVendor(proxy: TestProxy) {
  const seen = { connections: 0, hosts: [] as unknown[], headers: [] as string[] };
  const server = createServer((request, response) => {
    seen.hosts.push(request.headers.host);
    seen.headers.push(...Object.keys(request.headers));
    response.end('from the vendor');
  });
  server.on('connection', () => seen.connections++);
  const port = Number(new URL(await listen(server)).port);
  proxy.places.set('vendor.test:80', port);
  return { seen, port };
}

async function ask(sender: UpstreamClient, request = post('http://vendor.test')): Promise<Outcome> {
  return await run(sender, request).ended;
}

describe('a vendor at an http address', () => {
  test('is called through a tunnel, which serves more than one call', async () => {
    const { proxy, url } = await startProxy();
    const { seen } = await plainVendor(proxy);
    const sender = clientBy(url);
    for (let call = 0; call < 3; call++) expect((await ask(sender)).body).toBe('from the vendor');
    expect(proxy.asked).toEqual(['vendor.test:80']);
    expect(seen).toMatchObject({ connections: 1, hosts: ['vendor.test', 'vendor.test', 'vendor.test'] });
  });

  test('receives answers of any size with pauses of the reader', async () => {
    const { proxy, url } = await startProxy();
    const body = 'x'.repeat(3_000_000);
    proxy.places.set('large.test:80', Number(new URL(await vendor((_, answer) => answer.end(body))).port));
    const running = run(clientBy(url), post('http://large.test'));
    await expect.poll(() => running.outcome.body.length).toBeGreaterThan(0);
    running.exchange.pause();
    await new Promise(setImmediate);
    running.exchange.resume();
    expect((await running.ended).body.length).toBe(body.length);
  });
});

describe('the proxy', () => {
  test('gets its credentials, and the vendor does not', async () => {
    const { proxy, url } = await startProxy();
    const { seen } = await plainVendor(proxy);
    proxy.credentials = 'user:wörd';
    expect((await ask(clientBy(url.replace('//', '//user:w%C3%B6rd@')))).body).toBe('from the vendor');
    expect(seen.headers).not.toContain('proxy-authorization');
  });

  test.each([
    ['without credentials', '//', /407, it wants a user and a password/],
    ['with wrong ones', '//user:guess@', /407, it refuses the user or password/],
  ])('that refuses with %s is reported, without the secret', async (_name, with_, words) => {
    const { proxy, url } = await startProxy();
    const { seen } = await plainVendor(proxy);
    proxy.credentials = 'user:word';
    const { failure } = await ask(clientBy(url.replace('//', with_)));
    expect(failure).toEqual({ kind: 'connect', detail: expect.stringMatching(words) });
    expect(failure?.detail).not.toMatch(/guess|Basic|word@/);
    expect(seen.connections).toBe(0);
  });

  const say = (text: string) => (socket: Socket) => void socket.write(text, 'latin1');
  test.each([
    ['refuses the target', undefined, /^egress proxy: answered 403 instead/],
    ['fails', say('HTTP/1.1 502 Bad Gateway\r\n\r\n<html>'), /^egress proxy: answered 502 instead/],
    ['does not speak HTTP', say('SSH-2.0-x\r\n\r\n'), /^egress proxy: not an HTTP/],
    [
      'never ends its head',
      say(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(UPSTREAM_HEADER_BYTES_MAX)}`),
      /more than \d+/,
    ],
    ['sends bytes of its own', say('HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\n\r\n'), /bytes behind/],
    ['closes', (socket: Socket) => void socket.end(), /^egress proxy: closed without an answer/],
    ['breaks', (socket: Socket) => socket.resetAndDestroy(), /^egress proxy: .*ECONNRESET/],
  ])('that %s is a connect failure, and is closed', async (_name, instead, words) => {
    const { proxy, url } = await startProxy();
    proxy.instead = instead;
    const { failure, order } = await ask(clientBy(url), post('http://elsewhere.test'));
    expect(failure).toEqual({ kind: 'connect', detail: expect.stringMatching(words) });
    expect(order).toEqual(['failure']);
    await expect.poll(() => proxy.clients.size).toBe(0);
  });

  test('may answer byte by byte', async () => {
    const { proxy, url } = await startProxy();
    proxy.instead = async (socket) => {
      for (const letter of 'HTTP/1.0 200 OK\r\nvia: x\r\n\r\n') {
        socket.write(letter);
        await new Promise(setImmediate);
      }
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'));
    };
    expect((await ask(clientBy(url))).body).toBe('ok');
  });

  test('that is silent is left at the connect timeout', async () => {
    const { proxy, url } = await startProxy();
    proxy.instead = () => {};
    const { failure } = await ask(
      clientBy(url),
      post('http://vendor.test', '{}', { ...LONG, connectMs: 150 }),
    );
    expect(failure).toEqual({ kind: 'connect', detail: 'egress proxy: not open within 150 ms' });
    await expect.poll(() => proxy.clients.size).toBe(0);
  });

  test('is left when the client is closed meanwhile', async () => {
    const { proxy, url } = await startProxy();
    proxy.instead = () => {};
    const sender = clientBy(url);
    const running = run(sender, post('http://vendor.test', '{}', LONG));
    await expect.poll(() => proxy.asked.length).toBe(1);
    await sender.close();
    expect((await running.ended).failure?.kind).toBe('connect');
    await expect.poll(() => proxy.clients.size).toBe(0);
  });

  test('without a listener is a connect failure', async () => {
    const { proxy, url } = await startProxy();
    await new Promise((resolve) => proxy.server.close(resolve));
    // A name may have several addresses, each of which is tried.
    for (const host of ['127.0.0.1', 'localhost']) {
      const { failure } = await ask(clientBy(url.replace('127.0.0.1', host)));
      expect(failure).toEqual({
        kind: 'connect',
        detail: expect.stringMatching(/^egress proxy: .*ECONNREFUSED/),
      });
    }
  });

  test('that dies in the middle of an answer breaks the call, and the next call gets a new tunnel', async () => {
    const { proxy, url } = await startProxy();
    let calls = 0;
    const origin = await vendor((_request, response) => {
      calls += 1;
      response.write('begun');
      if (calls > 1) response.end();
    });
    proxy.places.set('vendor.test:80', Number(new URL(origin).port));
    const sender = clientBy(url);
    const running = run(sender, post('http://vendor.test', '{}', LONG));
    await expect.poll(() => running.outcome.body).toBe('begun');
    for (const socket of proxy.clients) socket.destroy();
    expect((await running.ended).failure?.kind).toBe('reset');
    expect((await ask(sender)).body).toBe('begun');
    expect(proxy.asked.length).toBe(2);
  });
});

describe('a vendor behind TLS', needs(OPENSSL), () => {
  /** Answers behind the proxy as `vendor.test`. */
  async function secureVendor(proxy: TestProxy, name = 'vendor.test') {
    const { key, cert } = certificateOf(name);
    trust(cert);
    const server = https.createServer({ key, cert }, (_request, response) => {
      response.writeHead(200, { 'content-type': 'image/png' });
      response.write(PNG);
      setImmediate(() => response.end());
    });
    const port = Number(new URL(await listen(server)).port);
    for (const place of ['vendor.test:443', `${PUBLIC}:443`]) proxy.places.set(place, port);
    return server;
  }

  test('is reached inside the tunnel, and its TLS session is resumed', async () => {
    const { proxy, url } = await startProxy();
    const server = await secureVendor(proxy);
    const sender = clientBy(url);
    for (let call = 0; call < 3; call++) {
      const { head, body } = await ask(sender, post('https://vendor.test'));
      expect([head?.status, body]).toEqual([200, PNG.toString('latin1')]);
    }
    expect(proxy.asked).toEqual(['vendor.test:443']);
    server.closeAllConnections();
    expect((await ask(sender, post('https://vendor.test'))).head?.status).toBe(200);
  });

  test('with a certificate of another name is refused', async () => {
    const { proxy, url } = await startProxy();
    await secureVendor(proxy, 'other.test');
    const { failure } = await ask(clientBy(url), post('https://vendor.test'));
    expect(failure).toEqual({
      kind: 'connect',
      detail: expect.stringContaining('ERR_TLS_CERT_ALTNAME_INVALID'),
    });
    await expect.poll(() => proxy.clients.size).toBe(0);
  });

  test('that never completes TLS is left in time', async () => {
    const { proxy, url } = await startProxy();
    const origin = await vendor(() => {});
    proxy.instead = (socket) => void socket.write('HTTP/1.1 200 OK\r\n\r\n');
    proxy.places.set('vendor.test:443', Number(new URL(origin).port));
    const request = post('https://vendor.test', '{}', { ...LONG, connectMs: 300 });
    const { failure } = await ask(clientBy(url), request);
    expect(failure).toEqual({ kind: 'connect', detail: 'egress proxy: not open within 300 ms' });
    await expect.poll(() => proxy.clients.size).toBe(0);
  });

  test.each([
    ['closes', (socket: Socket) => void socket.end('HTTP/1.1 200 OK\r\n\r\n')],
    [
      'breaks',
      (socket: Socket) => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        socket.once('data', () => socket.resetAndDestroy());
      },
    ],
  ])('whose tunnel %s before TLS is a connect failure', async (_name, instead) => {
    const { proxy, url } = await startProxy();
    proxy.instead = instead;
    expect((await ask(clientBy(url), post('https://vendor.test'))).failure?.kind).toBe('connect');
  });

  test('is reached through a proxy behind TLS as well', async () => {
    const own = certificateOf('localhost');
    trust(own.cert);
    const { proxy, url } = await startProxy(own);
    await secureVendor(proxy);
    const sender = clientBy(`https://localhost:${new URL(url).port}`);
    expect((await ask(sender, post('https://vendor.test'))).head?.status).toBe(200);
    const { seen } = await plainVendor(proxy);
    expect((await ask(sender)).body).toBe('from the vendor');
    expect(seen.connections).toBe(1);
    expect(proxy.asked).toEqual(['vendor.test:443', 'vendor.test:80']);
  });

  test('of a user is reached at the checked address, under its own name', async () => {
    const { proxy, url } = await startProxy();
    await secureVendor(proxy);
    const { head } = await ask(clientBy(url, { resolve: toPublic }), toUser('https://vendor.test'));
    expect(head?.status).toBe(200);
    expect(proxy.asked).toEqual([`${PUBLIC}:443`]);
  });

  test('serves media at the checked address', async () => {
    const { proxy, url } = await startProxy();
    await secureVendor(proxy);
    const fetcher = new GuardedFetcher({ ownHosts: [], resolve: toPublic, chooseProxy: everywhere(url) });
    const media = await fetcher.fetch('https://vendor.test/a.png', PATIENT);
    expect(media).toEqual({ kind: 'media', mime: 'image/png', bytes: PNG });
    expect(proxy.asked).toEqual([`${PUBLIC}:443`]);
    await expect.poll(() => proxy.clients.size).toBe(0);
  });
});

describe('an address of a user', () => {
  const inside = ['http://127.0.0.1', 'http://[::1]', 'http://10.0.0.1', 'http://vendor.test'];

  test.each(inside)('is refused before the proxy sees it: %s', async (origin) => {
    const { proxy, url } = await startProxy();
    await plainVendor(proxy);
    const { failure } = await ask(clientBy(url, { resolve: toLoopback }), toUser(origin));
    expect(failure?.kind).toBe('connect');
    const fetcher = new GuardedFetcher({ ownHosts: [], resolve: toLoopback, chooseProxy: everywhere(url) });
    expect(await fetcher.fetch(`${origin}/a.png`, PATIENT)).toMatchObject({ reason: 'unreachable' });
    expect([proxy.asked, proxy.clients.size]).toEqual([[], 0]);
  });

  test('is checked again for every tunnel, and looked up once for each', async () => {
    const { proxy, url } = await startProxy();
    const answers = [PUBLIC, '10.0.0.1'];
    const rebinding: Resolve = async () => [{ address: answers.shift() ?? '127.0.0.1', family: 4 }];
    const sender = clientBy(url, { resolve: rebinding });
    await ask(sender, toUser('http://vendor.test'));
    await ask(sender, toUser('http://vendor.test'));
    expect(proxy.asked).toEqual([`${PUBLIC}:80`]);
  });

  test('that is a host of the operator is left to the proxy by its name', async () => {
    const { proxy, url } = await startProxy();
    await plainVendor(proxy);
    const sender = clientBy(url, { resolve: toLoopback, ownHosts: ['vendor.test'] });
    expect((await ask(sender, toUser('http://vendor.test'))).body).toBe('from the vendor');
    expect(proxy.asked).toEqual(['vendor.test:80']);
  });

  test('that NO_PROXY covers is connected to directly, with the same checks', async () => {
    const { proxy, url } = await startProxy();
    const { port } = await plainVendor(proxy);
    const origin = `http://vendor.test:${port}`;
    const more = { resolve: toLoopback, noProxy: ['.test'] };
    const own = clientBy(url, { ...more, ownHosts: ['vendor.test'] });
    expect((await ask(own, toUser(origin))).body).toBe('from the vendor');
    expect((await ask(clientBy(url, more), toUser(origin))).failure?.kind).toBe('connect');
    expect(proxy.asked).toEqual([]);
  });

  test('of media is left when the time is over, at any stage', async () => {
    const { proxy, url } = await startProxy();
    proxy.instead = () => {};
    const hung: Resolve = () => new Promise(() => {});
    for (const resolve of [toPublic, hung]) {
      const options = { ownHosts: [], resolve, timeoutMs: 200, chooseProxy: everywhere(url) };
      const media = await new GuardedFetcher(options).fetch('http://vendor.test/a.png', PATIENT);
      expect(media).toMatchObject({ reason: 'too-slow' });
    }
    await expect.poll(() => proxy.clients.size).toBe(0);
  });

  test('of media behind a refusing proxy is unreachable, with the reason in the log', async () => {
    const { proxy, url } = await startProxy();
    proxy.credentials = 'user:word';
    const options = { ownHosts: [], resolve: toPublic, chooseProxy: everywhere(url) };
    const media = await new GuardedFetcher(options).fetch('http://vendor.test/a.png', PATIENT);
    expect(media).toMatchObject({ reason: 'unreachable', detail: expect.stringContaining('407') });
  });
});
