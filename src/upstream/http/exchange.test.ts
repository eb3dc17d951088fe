import { randomBytes } from 'node:crypto';
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import zlib from 'node:zlib';
import { expect, expectTypeOf, onTestFinished, test } from 'vitest';
import { atTestEnd } from '../../../test/support/suite/ends.ts';
import {
  client,
  LONG,
  listen,
  post,
  rawVendor,
  run,
  TIMEOUTS,
  vendor,
} from '../../../test/support/upstream.ts';
import { silentLogger } from '../../kernel/log.ts';
import type { UpstreamExchange, UpstreamFailure, UpstreamHandler } from '../contract.ts';
import type { AnswerSink } from './answer-reader.ts';
import { createUpstreamClient } from './client.ts';
import type { ConnectionUser } from './connection.ts';
import type { SocketUser } from './dial.ts';

test('a handler cannot demand bytes that it may keep', () => {
  expectTypeOf<(chunk: Buffer) => void>().not.toExtend<UpstreamHandler['onData']>();
  expectTypeOf<(chunk: Buffer) => void>().not.toExtend<ConnectionUser['onAnswerBody']>();
  expectTypeOf<(chunk: Buffer) => void>().not.toExtend<AnswerSink['onAnswerBody']>();
  expectTypeOf<(chunk: Buffer) => void>().not.toExtend<SocketUser['onRead']>();
});

test.each([
  ['gzip', zlib.gzipSync],
  ['br', zlib.brotliCompressSync],
  ['deflate', zlib.deflateSync],
  ['deflate', zlib.deflateRawSync],
  ['zstd', zlib.zstdCompressSync],
] as const)('an unrequested compression with %s is decoded', async (encoding, compress) => {
  const text = JSON.stringify({ text: 'héllo '.repeat(20_000) });
  const origin = await vendor((_request, response) => {
    response.writeHead(200, { 'content-encoding': encoding }).end(compress(text));
  });
  const outcome = await run(client(), post(origin)).ended;
  expect(Buffer.from(outcome.body, 'latin1').toString()).toBe(text);
  expect(outcome.head?.headers).not.toHaveProperty('content-encoding');
  expect(outcome.order).toEqual(['head', 'data', 'end']);
});

test('events of a compressed stream arrive one by one', async () => {
  let more: () => void = () => {};
  const origin = await vendor((_request, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip', 'content-type': 'text/event-stream' });
    const gzip = zlib.createGzip();
    gzip.pipe(response);
    gzip.write('data: 1\n\n');
    gzip.flush();
    more = () => gzip.end('data: 2\n\n');
  });
  const { outcome, ended } = run(client(), post(origin));
  await expect.poll(() => outcome.body).toBe('data: 1\n\n');
  more();
  expect((await ended).body).toBe('data: 1\n\ndata: 2\n\n');
});

test('a compressed bomb, a corrupt body and an unknown encoding break the call off', async () => {
  const answers = new Map<string, [string, Buffer]>([
    ['bomb', ['gzip', zlib.gzipSync(Buffer.alloc(64 * 1024 * 1024))]],
    ['corrupt', ['gzip', Buffer.from('not gzip at all')]],
    ['cut', ['br', zlib.brotliCompressSync('x'.repeat(1000)).subarray(0, 8)]],
    ['unknown', ['compress', Buffer.from('abc')]],
    ['double', ['gzip, gzip', zlib.gzipSync(zlib.gzipSync('abc'))]],
  ]);
  let name = '';
  const origin = await vendor((_request, response) => {
    const [encoding, bytes] = answers.get(name) ?? ['', Buffer.alloc(0)];
    response.writeHead(200, { 'content-encoding': encoding }).end(bytes);
  });
  const sender = client();
  for (name of answers.keys()) {
    const outcome = await run(sender, post(origin)).ended;
    expect([name, outcome.failure?.kind]).toEqual([name, 'protocol']);
    expect(outcome.body.length).toBeLessThan(16 * 1024 * 1024);
  }
});

test('a vendor that sends more behind its compressed answer loses the connection', async () => {
  const closed = Promise.withResolvers<string>();
  const origin = await vendor((request, response) => {
    request.socket.on('close', () => closed.resolve('closed'));
    response.writeHead(200, { 'content-encoding': 'deflate' });
    response.write(Buffer.concat([zlib.deflateSync('{"ok":1}'), Buffer.alloc(16)]));
    const drip = setInterval(() => response.write('x'), 50);
    request.socket.on('close', () => clearInterval(drip));
  });
  const outcome = await run(client(), post(origin)).ended;
  expect([outcome.body, outcome.failure]).toEqual(['{"ok":1}', undefined]);
  expect(await Promise.race([closed.promise, sleep(30_000, 'kept', { ref: false })])).toBe('closed');
});

test('abort closes the connection to the vendor at once, and nothing is called afterwards', async () => {
  const closed = Promise.withResolvers<void>();
  const origin = await vendor((request, response) => {
    response.write('data: 1\n\n');
    request.socket.on('close', () => closed.resolve());
  });
  const { exchange, outcome } = run(client(), post(origin));
  await expect.poll(() => outcome.chunks).toBe(1);
  exchange.abort();
  await closed.promise;
  exchange.abort();
  await sleep(30);
  expect(outcome.order).toEqual(['head', 'data']);
});

test('abort before the connection, before the head and after the end is silent', async () => {
  let seen = 0;
  const origin = await vendor((request, response) => {
    seen += 1;
    if (request.url?.endsWith('completions')) response.end('ok');
  });
  const sender = client();
  const early = run(sender, post(origin));
  early.exchange.abort();
  await sleep(50);
  expect([early.outcome.order, seen], 'the request was never written').toEqual([[], 0]);

  const waiting = run(sender, { ...post(origin), path: '/silence' });
  await expect.poll(() => seen).toBe(1);
  waiting.exchange.abort();
  const late = run(sender, post(origin));
  await late.ended;
  late.exchange.abort();
  const next = await run(sender, post(origin)).ended;
  expect([waiting.outcome.order, next.body]).toEqual([[], 'ok']);
});

test('a paused exchange slows the vendor, and the pause does not count as idle', async () => {
  const total = 64 * 1024 * 1024;
  let written = 0;
  const origin = await vendor((_request, response) => {
    const chunk = Buffer.alloc(256 * 1024, 97);
    const push = (): void => {
      while (written < total && response.write(chunk)) written += chunk.length;
      if (written >= total) response.end();
      else {
        written += chunk.length;
        response.once('drain', push);
      }
    };
    push();
  });
  let bytes = 0;
  const sender = client();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const exchange: UpstreamExchange = sender.send(post(origin, '{}', { ...TIMEOUTS, idleMs: 2_000 }), {
    onHead: () => exchange.pause(),
    onData: (chunk) => {
      bytes += chunk.length;
    },
    onEnd: resolve,
    onFailure: (failure) => reject(new Error(failure.kind)),
  });
  await sleep(3_000);
  expect(bytes).toBeLessThan(1024 * 1024);
  expect(written).toBeLessThan(32 * 1024 * 1024);
  exchange.resume();
  await promise;
  expect(bytes).toBe(written);
});

test.each(['before the head', 'at the head'])(
  'a compressed answer waits too when paused %s',
  async (when) => {
    // Random hex: it compresses to half, so that the decoder really has to wait.
    const text = randomBytes(2 * 1024 * 1024).toString('hex');
    const compressed = zlib.gzipSync(text, { level: 1 });
    const origin = await vendor((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(compressed);
    });
    let body = '';
    const head = Promise.withResolvers<void>();
    const end = Promise.withResolvers<void>();
    const exchange: UpstreamExchange = client().send(post(origin, '{}', { ...TIMEOUTS, idleMs: 2_000 }), {
      onHead: () => {
        if (when === 'at the head') exchange.pause();
        head.resolve();
      },
      onData: (chunk) => {
        body += chunk.toString('latin1');
      },
      onEnd: end.resolve,
      onFailure: (failure) => end.reject(new Error(failure.detail)),
    });
    if (when === 'before the head') exchange.pause();
    await head.promise;
    await sleep(500);
    expect(body.length).toBeLessThan(1024 * 1024);
    exchange.resume();
    await end.promise;
    expect(body === text).toBe(true);
  },
);

test('a call without a free connection fails at once, and aborts free all connections', async () => {
  let waiting = 0;
  const server = http.createServer((request, response) => {
    waiting += 1;
    if (request.url === '/quick') response.end('ok');
  });
  const origin = await listen(server);
  const sender = createUpstreamClient({ connectionsMax: 200 });
  onTestFinished(() => sender.close());
  const calls = Array.from({ length: 200 }, () => run(sender, post(origin, '{}', LONG)));
  const refused = await run(sender, { ...post(origin, '{}', LONG), path: '/quick' }).ended;
  expect(refused.failure).toEqual({ kind: 'busy', detail: expect.stringContaining('in use') });
  await expect.poll(() => waiting, { timeout: 60_000 }).toBe(200);
  for (const { exchange } of calls) exchange.abort();
  const next = await run(sender, { ...post(origin, '{}', LONG), path: '/quick' }).ended;
  expect(next.body).toBe('ok');
  const connections = (): Promise<number> =>
    new Promise((resolve) => {
      server.getConnections((_error, count) => resolve(count));
    });
  await expect.poll(connections, { timeout: 60_000 }).toBeLessThanOrEqual(2);
  expect(calls.every(({ outcome }) => outcome.order.length === 0)).toBe(true);
});

test('a keep-alive connection that the vendor closes during the next request is replaced once', async () => {
  const requests: string[] = [];
  const origin = await rawVendor((text, socket, index) => {
    if (text.startsWith('POST')) requests.push(`${index}`);
    // The first connection answers once and dies at its second request without a byte.
    if (index === 1 && requests.length === 2) socket.destroy();
    else socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok', 'latin1');
  });
  const sender = client();
  expect((await run(sender, post(origin)).ended).body).toBe('ok');
  await sleep(5);
  const second = await run(sender, post(origin, [Buffer.alloc(100_000, 32)])).ended;
  expect([second.body, second.order]).toEqual(['ok', ['head', 'data', 'end']]);
  expect(requests).toEqual(['1', '1', '2']);
});

test('a connection that dies at its first request, or after a byte of the answer, is a failure', async () => {
  const requests: string[] = [];
  let firstByte = '';
  const origin = await rawVendor((text, socket, index) => {
    if (!text.startsWith('POST')) return;
    requests.push(`${index}`);
    if (requests.length === 2) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
    else if (firstByte === '') socket.destroy();
    else socket.end(firstByte);
  });
  const sender = client();
  expect((await run(sender, post(origin)).ended).failure?.kind).toBe('reset');
  expect(requests).toEqual(['1']);
  expect((await run(sender, post(origin)).ended).body).toBe('ok');
  firstByte = 'HTTP/1.1 2';
  const cut = await run(sender, post(origin)).ended;
  expect(cut.failure).toBeDefined();
  expect(requests.length).toBe(3);
});

test('a vendor that took the request and died later is not called twice', async () => {
  const requests: number[] = [];
  const origin = await rawVendor((text, socket, index) => {
    if (!text.startsWith('POST')) return;
    requests.push(index);
    if (requests.length === 1) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
    else setTimeout(() => socket.destroy(), 1_200);
  });
  const sender = client();
  await run(sender, post(origin)).ended;
  expect((await run(sender, post(origin)).ended).failure?.kind).toBe('reset');
  expect(requests.length).toBe(2);
});

test('a handler that throws ends its own call and no other', async () => {
  const origin = await vendor((_request, response) => {
    response.end('ok');
  });
  const errors: string[] = [];
  const sender = createUpstreamClient({
    log: { ...silentLogger, error: (_fields, message) => errors.push(message) },
  });
  atTestEnd(() => sender.close());
  const failure = await new Promise<UpstreamFailure>((resolve) => {
    sender.send(post(origin), {
      onHead: () => {
        throw new Error('ours');
      },
      onData: () => {},
      onEnd: () => {},
      onFailure: resolve,
    });
  });
  expect(failure.detail).toMatch(/^internal/);
  expect(errors.length).toBe(1);
  expect((await run(sender, post(origin)).ended).body).toBe('ok');
});
