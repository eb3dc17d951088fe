import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import zlib from 'node:zlib';
import { afterEach, expect, test } from 'vitest';
import { silentLogger } from '../kernel/log.ts';
import { createUpstreamClient } from './client.ts';
import type {
  UpstreamClient,
  UpstreamExchange,
  UpstreamFailure,
  UpstreamHead,
  UpstreamRequest,
} from './contract.ts';

const TIMEOUTS = { connectMs: 2_000, firstByteMs: 2_000, idleMs: 2_000 };
const cleanups: (() => Promise<void> | void)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

function client(): UpstreamClient {
  const made = createUpstreamClient();
  cleanups.push(() => made.close());
  return made;
}

async function listen(server: net.Server): Promise<string> {
  const sockets = new Set<net.Socket>();
  server.on('connection', (socket: net.Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as net.AddressInfo).port}`;
}

const vendor = (onRequest: http.RequestListener): Promise<string> => listen(http.createServer(onRequest));

/** A vendor that speaks whatever bytes the test wants; `onText` sees everything a connection has sent so far. */
const rawVendor = (onText: (text: string, socket: net.Socket, index: number) => void): Promise<string> => {
  let connections = 0;
  return listen(
    net.createServer((socket) => {
      connections += 1;
      const index = connections;
      socket.on('data', (chunk) => onText(chunk.toString('latin1'), socket, index));
    }),
  );
};

function post(origin: string, body: string | Buffer[] = '{}', timeouts = TIMEOUTS): UpstreamRequest {
  return {
    origin,
    path: '/v1/chat/completions',
    method: 'POST',
    headers: ['content-type', 'application/json', 'accept-encoding', 'identity'],
    body: typeof body === 'string' ? [Buffer.from(body)] : body,
    timeouts,
  };
}

interface Outcome {
  head: UpstreamHead | undefined;
  body: string;
  chunks: number;
  failure: UpstreamFailure | undefined;
  order: string[];
}

function run(
  sender: UpstreamClient,
  request: UpstreamRequest,
  onChunk?: (exchange: UpstreamExchange, count: number) => void,
): { exchange: UpstreamExchange; outcome: Outcome; ended: Promise<Outcome> } {
  const outcome: Outcome = { head: undefined, body: '', chunks: 0, failure: undefined, order: [] };
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  const exchange = sender.send(request, {
    onHead: (head) => {
      outcome.head = head;
      outcome.order.push('head');
    },
    onData: (chunk) => {
      outcome.body += chunk.toString('latin1');
      outcome.chunks += 1;
      if (outcome.order.at(-1) !== 'data') outcome.order.push('data');
      onChunk?.(exchange, outcome.chunks);
    },
    onEnd: () => {
      outcome.order.push('end');
      resolve(outcome);
    },
    onFailure: (failure) => {
      outcome.failure = failure;
      outcome.order.push('failure');
      resolve(outcome);
    },
  });
  return { exchange, outcome, ended: promise };
}

test('a call arrives with its method, path, headers and body, and its answer comes back', async () => {
  const origin = await vendor(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    response.setHeader('x-twice', ['a', 'b']);
    response.end(JSON.stringify([request.method, request.url, request.headers['content-type'], text]));
  });
  const { ended } = run(client(), post(origin, '{"a":1}'));
  const { head, body, order } = await ended;
  expect(JSON.parse(body)).toEqual(['POST', '/v1/chat/completions', 'application/json', '{"a":1}']);
  expect(head?.status).toBe(200);
  expect(head?.headers['x-twice']).toBe('a, b');
  expect(order).toEqual(['head', 'data', 'end']);
});

test('a body of several pieces arrives whole and with its length, small and large', async () => {
  const origin = await vendor(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const all = Buffer.concat(chunks);
    response.end(`${request.headers['content-length']} ${all.length} ${all.subarray(-3)}`);
  });
  const sender = client();
  const small = await run(sender, post(origin, [Buffer.from('ab'), Buffer.from('cde')])).ended;
  expect(small.body).toBe('5 5 cde');
  const large = [Buffer.alloc(3_000_000, 97), Buffer.from('x'), Buffer.alloc(2_000_000, 98)];
  expect((await run(sender, post(origin, large)).ended).body).toBe('5000001 5000001 bbb');
  expect(large.length, 'the caller keeps its pieces').toBe(3);
  const single = [Buffer.alloc(300_000, 99)];
  expect((await run(sender, post(origin, single)).ended).body).toBe('300000 300000 ccc');
});

test('connections are reused', async () => {
  const ports = new Set<number | undefined>();
  const origin = await vendor((request, response) => {
    ports.add(request.socket.remotePort);
    response.end('ok');
  });
  const sender = client();
  for (let call = 0; call < 20; call++) {
    expect((await run(sender, post(origin)).ended).body).toBe('ok');
    await sleep(1);
  }
  expect(ports.size).toBe(1);
});

test('nobody there is a connect failure, reported after send has returned', async () => {
  const origin = await vendor(() => {});
  const port = Number(new URL(origin).port);
  await cleanups.pop()?.();
  const { ended, outcome } = run(client(), post(`http://127.0.0.1:${port}`));
  expect(outcome.order).toEqual([]);
  expect((await ended).failure?.kind).toBe('connect');
});

test('a request that cannot be sent at all is a failure, reported after send has returned', async () => {
  const { ended, outcome } = run(client(), { ...post('http://127.0.0.1:1'), path: '/a b' });
  expect(outcome.order).toEqual([]);
  expect((await ended).failure).toEqual({ kind: 'connect', detail: expect.stringContaining('path') });
});

test('no head in time is a timeout', async () => {
  const origin = await vendor(() => {});
  const { ended } = run(client(), post(origin, '{}', { ...TIMEOUTS, firstByteMs: 200 }));
  expect((await ended).failure?.kind).toBe('timeout');
});

test('silence inside a body is idle, and what came before was delivered', async () => {
  const origin = await vendor((_request, response) => {
    response.write('data: 1\n\n');
  });
  const { ended } = run(client(), post(origin, '{}', { ...TIMEOUTS, idleMs: 200 }));
  const outcome = await ended;
  expect(outcome.failure?.kind).toBe('idle');
  expect(outcome.body).toBe('data: 1\n\n');
  expect(outcome.order).toEqual(['head', 'data', 'failure']);
});

test.each([
  ['a length that is not kept', 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc', 'end', 'reset'],
  [
    'chunks without the last one',
    'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n',
    'end',
    'reset',
  ],
  [
    'a close inside chunks that was announced',
    'HTTP/1.1 200 OK\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n',
    'end',
    'reset',
  ],
  ['a reset', 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc', 'reset', 'reset'],
  ['something that is not HTTP', 'SSH-2.0-OpenSSH_9.9\r\n', 'keep', 'protocol'],
  ['an endless head', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(70_000)}`, 'keep', 'protocol'],
  [
    'an unasked upgrade',
    'HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n',
    'keep',
    'protocol',
  ],
  ['an unasked 100', 'HTTP/1.1 100 Continue\r\n\r\n', 'keep', 'protocol'],
  ['nothing but a close', '', 'end', 'reset'],
] as const)('%s is a failure of the right kind', async (_name, answer, ending, kind) => {
  const origin = await rawVendor((_text, socket) => {
    socket.write(answer, 'latin1', () => {
      if (ending === 'end') socket.end();
      if (ending === 'reset') setTimeout(() => socket.resetAndDestroy(), 20);
    });
  });
  const outcome = await run(client(), post(origin)).ended;
  expect(outcome.failure?.kind).toBe(kind);
  expect(outcome.order.filter((step) => step === 'end' || step === 'failure')).toEqual(['failure']);
});

test('interim answers are passed over, but not without end', async () => {
  let interim = 2;
  const origin = await rawVendor((_text, socket) => {
    socket.write('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(interim), 'latin1');
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok', 'latin1');
  });
  const sender = client();
  const few = await run(sender, post(origin)).ended;
  expect([few.head?.status, few.body]).toEqual([200, 'ok']);
  interim = 100;
  const many = await run(sender, post(origin)).ended;
  expect(many.failure?.kind).toBe('protocol');
});

test('a redirect is handed over, not followed', async () => {
  let calls = 0;
  const origin = await vendor((_request, response) => {
    calls += 1;
    response.writeHead(307, { location: '/elsewhere' }).end();
  });
  const outcome = await run(client(), post(origin)).ended;
  expect(outcome.head?.status).toBe(307);
  expect(calls).toBe(1);
});

test.each([
  ['gzip', zlib.gzipSync],
  ['br', zlib.brotliCompressSync],
  ['deflate', zlib.deflateSync],
  ['deflate', zlib.deflateRawSync],
  ['zstd', zlib.zstdCompressSync],
] as const)('an answer compressed with %s against our wish is decoded', async (encoding, compress) => {
  const text = JSON.stringify({ text: 'héllo '.repeat(20_000) });
  const origin = await vendor((_request, response) => {
    response.writeHead(200, { 'content-encoding': encoding }).end(compress(text));
  });
  const outcome = await run(client(), post(origin)).ended;
  expect(Buffer.from(outcome.body, 'latin1').toString()).toBe(text);
  expect(outcome.head?.headers).not.toHaveProperty('content-encoding');
  expect(outcome.order).toEqual(['head', 'data', 'end']);
});

test('events of a compressed stream come through one by one', async () => {
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

test('abort closes the connection to the vendor at once, and nothing is called afterwards', async () => {
  const closed = Promise.withResolvers<number>();
  const origin = await vendor((request, response) => {
    response.write('data: 1\n\n');
    request.socket.on('close', () => closed.resolve(performance.now()));
  });
  const { exchange, outcome } = run(client(), post(origin));
  await expect.poll(() => outcome.chunks).toBe(1);
  const abortedAt = performance.now();
  exchange.abort();
  expect((await closed.promise) - abortedAt).toBeLessThan(500);
  exchange.abort();
  await sleep(30);
  expect(outcome.order).toEqual(['head', 'data']);
});

test('abort before the connection stands, before the head and after the end are all silent', async () => {
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

test('a paused exchange holds the vendor back, and the pause does not count as silence', async () => {
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
  const exchange: UpstreamExchange = sender.send(post(origin, '{}', { ...TIMEOUTS, idleMs: 300 }), {
    onHead: () => exchange.pause(),
    onData: (chunk) => {
      bytes += chunk.length;
    },
    onEnd: resolve,
    onFailure: (failure) => reject(new Error(failure.kind)),
  });
  await sleep(600);
  expect(bytes).toBeLessThan(1024 * 1024);
  expect(written).toBeLessThan(32 * 1024 * 1024);
  exchange.resume();
  await promise;
  expect(bytes).toBe(written);
});

test('a keep-alive connection that the vendor closes under the next request is replaced, once', async () => {
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

test('a vendor that took the request and died later is not asked twice', async () => {
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
  cleanups.push(() => sender.close());
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

test('addresses not used for long give up their connections', async () => {
  const server = http.createServer((_request, response) => {
    response.end('ok');
  });
  const origin = await listen(server);
  const sender = client();
  for (let pool = 1; pool <= 280; pool++) {
    const { body } = await run(sender, post(origin, '{}', { ...TIMEOUTS, connectMs: 2_000 + pool })).ended;
    expect(body).toBe('ok');
  }
  const connections = (): Promise<number> =>
    new Promise((resolve) => {
      server.getConnections((_error, count) => resolve(count));
    });
  await expect.poll(connections).toBe(256);
});

test('close cuts what still runs', async () => {
  const origin = await vendor((_request, response) => {
    response.write('data: 1\n\n');
  });
  const sender = client();
  const { outcome, ended } = run(sender, post(origin));
  await expect.poll(() => outcome.chunks).toBe(1);
  await sender.close();
  expect((await ended).failure?.kind).toBe('reset');
});
