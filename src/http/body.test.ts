import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import zlib from 'node:zlib';
import { afterEach, expect, test } from 'vitest';
import { processorMs } from '../../test/support/cost.ts';
import { isRefusal } from '../kernel/errors.ts';
import { BODY_LIMITS, type BodyLimits, type BodyResult, createBodyReader } from './body.ts';
import { ByteBudget } from './budget.ts';

const MIB = 1024 * 1024;
const QUICK_BROTLI = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 4 } };
const cleanups: (() => void)[] = [];

afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

interface Reader {
  readonly port: number;
  readonly budget: ByteBudget;
  readonly results: BodyResult[];
  hold: boolean;
}

/** A server that reads a body and answers with its length, or with the refusal. */
async function reader(options: { limits?: Partial<BodyLimits>; budgetBytes?: number } = {}): Promise<Reader> {
  const budget = new ByteBudget(options.budgetBytes ?? 1024 * MIB);
  const read = createBodyReader(budget, { ...BODY_LIMITS, ...options.limits });
  const results: BodyResult[] = [];
  const server = http.createServer(async (request, response) => {
    const result = await read(request, 1, response);
    results.push(result);
    if (isRefusal(result)) {
      response.writeHead(result.error.status, { 'retry-after': String(result.retryAfterSeconds) });
      response.end(JSON.stringify({ code: result.error.code }));
    } else if (result.kind === 'body') {
      response.end(`${result.bytes.length} ${result.bytes.subarray(0, 20).toString('latin1')}`);
      if (!made.hold) result.release();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const made: Reader = { port: (server.address() as net.AddressInfo).port, budget, results, hold: false };
  return made;
}

/** Sends as Node's client does; `body` may be a list of chunks, which goes out chunked. */
async function send(to: Reader, body: Buffer | Buffer[], headers: http.OutgoingHttpHeaders = {}) {
  const request = http.request({ port: to.port, host: '127.0.0.1', method: 'POST', headers, agent: false });
  request.on('error', () => {});
  const answered = once(request, 'response') as Promise<[http.IncomingMessage]>;
  let heard = false;
  request.once('response', () => {
    heard = true;
  });
  if (Array.isArray(body)) {
    for (const chunk of body) {
      request.write(chunk);
      while (request.writableNeedDrain && !request.destroyed && !heard) await sleep(1);
      if (heard) break;
    }
    request.end();
  } else {
    request.end(body);
  }
  const [response] = await answered;
  let text = '';
  for await (const chunk of response) text += chunk;
  return { status: response.statusCode, text, retryAfter: response.headers['retry-after'] };
}

const code = (text: string): number => JSON.parse(text).code;

test('a small body arrives unchanged and its bytes are returned to the budget', async () => {
  const to = await reader();
  expect(await send(to, Buffer.from('{"a":1}'))).toMatchObject({ status: 200, text: '7 {"a":1}' });
  expect(await send(to, Buffer.alloc(0))).toMatchObject({ status: 200, text: '0 ' });
  expect(await send(to, [Buffer.from('{"a"'), Buffer.from(':1}')])).toMatchObject({ text: '7 {"a":1}' });
  expect(to.budget.usedBytes).toBe(0);
});

test('exactly 100 MiB pass and one byte more is 41301, with a length and chunked', async () => {
  const to = await reader();
  const piece = Buffer.alloc(MIB, 97);
  const pieces = Array.from({ length: 100 }, () => piece);
  const exact = await send(to, pieces, { 'content-length': 100 * MIB });
  expect(exact.text).toMatch(/^104857600 a/);
  expect((await send(to, pieces)).text).toMatch(/^104857600 a/);
  const over = await send(to, [...pieces, Buffer.from('x')]);
  expect([over.status, code(over.text)]).toEqual([413, 41301]);
  const declared = await send(to, [...pieces, Buffer.from('x')], { 'content-length': 100 * MIB + 1 });
  expect([declared.status, code(declared.text)]).toEqual([413, 41301]);
  expect(to.budget.usedBytes).toBe(0);
});

test('a sender that reads only after its whole body was sent still reads the refusal', async () => {
  const to = await reader({ limits: { bytesMax: MIB } });
  for (const connection of ['keep-alive', 'close']) {
    const socket = net.connect(to.port, '127.0.0.1');
    cleanups.push(() => socket.destroy());
    socket.pause();
    const head = `POST / HTTP/1.1\r\nhost: x\r\nconnection: ${connection}\r\n`;
    await new Promise((resolve, reject) => {
      socket.once('error', reject);
      socket.write(`${head}content-length: ${40 * MIB}\r\n\r\n`);
      socket.write(Buffer.alloc(40 * MIB, 97), resolve);
    });
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk;
    });
    socket.resume();
    await expect.poll(() => answer).toMatch(/^HTTP\/1.1 413 .*41301/s);
  }
});

test('a declared length over the limit is refused before any byte of the body', async () => {
  const to = await reader();
  const socket = net.connect(to.port, '127.0.0.1');
  cleanups.push(() => socket.destroy());
  socket.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 104857601\r\n\r\n');
  const [answer] = await once(socket, 'data');
  expect(String(answer)).toMatch(/^HTTP\/1.1 413 /);
});

test('an endless chunked body is refused during the upload, and its sender sees the answer', async () => {
  const to = await reader({ limits: { bytesMax: MIB } });
  const socket = net.connect(to.port, '127.0.0.1');
  cleanups.push(() => socket.destroy());
  socket.on('error', () => {});
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk;
  });
  socket.write('POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n');
  const chunk = `100000\r\n${'x'.repeat(1_048_576)}\r\n`;
  let sent = 0;
  while (!socket.destroyed && sent < 600 * MIB) {
    socket.write(chunk);
    while (socket.writableNeedDrain && !socket.destroyed) await sleep(1);
    sent += chunk.length;
  }
  expect(answer).toMatch(/^HTTP\/1.1 413 /);
  await expect.poll(() => socket.destroyed || socket.readableEnded, { timeout: 60_000 }).toBe(true);
  expect(to.budget.usedBytes).toBe(0);
});

test('the connection serves the next request after a refused body that ended', async () => {
  const to = await reader({ limits: { bytesMax: 10 } });
  const socket = net.connect(to.port, '127.0.0.1');
  cleanups.push(() => socket.destroy());
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk;
  });
  socket.write(`POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 20\r\n\r\n${'x'.repeat(20)}`);
  await expect.poll(() => answer).toContain('41301');
  answer = '';
  socket.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}');
  await expect.poll(() => answer).toContain('2 {}');
});

test('a hang-up before the declared length is an abort that returns everything to the budget', async () => {
  const to = await reader();
  const socket = net.connect(to.port, '127.0.0.1');
  socket.write(`POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 5000000\r\n\r\n${'x'.repeat(2_000_000)}`);
  await expect.poll(() => to.budget.usedBytes).toBe(2_000_000);
  socket.destroy();
  await expect.poll(() => to.results).toEqual([{ kind: 'aborted', reason: 'gone' }]);
  expect(to.budget.usedBytes).toBe(0);
});

test.each(['whole', 'w'])('a request (%s) that ended before it was read is gone at once', async (body) => {
  const read = createBodyReader(new ByteBudget(MIB));
  const result = Promise.withResolvers<BodyResult | string>();
  const server = http.createServer(async (request) => {
    const closed = once(
      request.on('error', () => {}),
      'close',
    );
    request.destroy();
    await closed;
    result.resolve(Promise.race([read(request, 1), sleep(5_000, 'it waits', { ref: false })]));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  cleanups.push(() => server.close());
  const socket = net.connect((server.address() as net.AddressInfo).port, '127.0.0.1');
  socket.on('error', () => {}).write(`POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\n\r\n${body}`);
  expect(await result.promise).toEqual({ kind: 'aborted', reason: 'gone' });
  socket.destroy();
});

test('a large body with a declared length keeps its bytes in order', async () => {
  const to = await reader();
  to.hold = true;
  const body = Buffer.alloc(5 * MIB);
  for (let offset = 0; offset < body.length; offset += 4) body.writeUInt32LE(offset, offset);
  expect((await send(to, body)).status).toBe(200);
  const [result] = to.results;
  expect(result?.kind === 'body' && result.bytes.equals(body)).toBe(true);
  expect(to.budget.usedBytes).toBe(5 * MIB);
});

test('bodies beyond the budget of the process are refused until others have ended', async () => {
  const to = await reader({ budgetBytes: 6 * MIB });
  to.hold = true;
  const body = Buffer.alloc(2 * MIB, 97);
  expect((await send(to, body)).status).toBe(200);
  const refused = await send(to, body);
  expect([refused.status, code(refused.text), refused.retryAfter]).toEqual([503, 50301, '1']);
  expect(to.budget.usedBytes).toBe(2 * MIB);
  const [held] = to.results;
  if (held?.kind === 'body') {
    held.release();
    expect(() => held.release()).toThrow(/once/);
  }
  expect((await send(to, body)).status).toBe(200);
});

test.each([
  ['gzip', zlib.gzipSync],
  ['x-gzip', zlib.gzipSync],
  ['br', (text: Buffer) => zlib.brotliCompressSync(text, QUICK_BROTLI)],
  ['zstd', zlib.zstdCompressSync],
  ['deflate', zlib.deflateSync],
  ['deflate', zlib.deflateRawSync],
  ['GZIP', zlib.gzipSync],
] as const)('a body encoded with %s is decoded', async (encoding, encode) => {
  const to = await reader();
  to.hold = true;
  const text = Buffer.from(JSON.stringify(Array.from({ length: 200_000 }, (_, index) => index * 7919)));
  const answer = await send(to, encode(text), { 'content-encoding': encoding });
  expect(answer.status).toBe(200);
  const [result] = to.results;
  expect(result?.kind === 'body' && result.bytes.equals(text)).toBe(true);
  expect(to.budget.usedBytes).toBe(text.length);
});

test.each(['compress', 'gzip, gzip', 'gzip,br', 'identity, gzip', '__proto__'])(
  'the encoding "%s" is 41501',
  async (encoding) => {
    const to = await reader();
    const answer = await send(to, zlib.gzipSync('{}'), { 'content-encoding': encoding });
    expect([answer.status, code(answer.text)]).toEqual([415, 41501]);
  },
);

test('the encoding identity is no encoding', async () => {
  const to = await reader();
  expect((await send(to, Buffer.from('{}'), { 'content-encoding': 'identity' })).text).toBe('2 {}');
});

test('a body that does not match its encoding, or is only a part of it, is 40002', async () => {
  const to = await reader();
  const whole = zlib.gzipSync(Buffer.alloc(10_000, 97));
  for (const body of [Buffer.from('{"plain":true}'), whole.subarray(0, whole.length - 9)]) {
    const answer = await send(to, body, { 'content-encoding': 'gzip' });
    expect([answer.status, code(answer.text)]).toEqual([400, 40002]);
  }
  for (const encoding of ['br', 'zstd', 'deflate']) {
    const answer = await send(to, Buffer.from('\u00ff\u00fe nothing of the kind'), {
      'content-encoding': encoding,
    });
    expect([encoding, answer.status]).toEqual([encoding, 400]);
  }
  expect(to.budget.usedBytes).toBe(0);
});

test('a decompression bomb is refused before it costs memory or time', async () => {
  const to = await reader();
  const zeros = Buffer.alloc(128 * MIB);
  const bombs: [string, Buffer][] = [
    ['gzip', zlib.gzipSync(zeros)],
    ['br', zlib.brotliCompressSync(zeros, QUICK_BROTLI)],
    ['zstd', zlib.zstdCompressSync(zeros)],
  ];
  for (const [encoding, bomb] of bombs) {
    let highest = 0;
    const watch = setInterval(() => {
      highest = Math.max(highest, to.budget.usedBytes);
    }, 1);
    const begun = processorMs();
    const answer = await send(to, bomb, { 'content-encoding': encoding });
    clearInterval(watch);
    expect([encoding, answer.status, code(answer.text)]).toEqual([encoding, 413, 41301]);
    expect(processorMs() - begun).toBeLessThan(1_000);
    expect(highest).toBeLessThan(20 * MIB);
  }
  expect(to.budget.usedBytes).toBe(0);
});

test('a body that grows slowly past the limit is refused too', async () => {
  const to = await reader({ limits: { bytesMax: MIB } });
  // About three to one: an honest ratio, an excessive size.
  const text = Buffer.from(JSON.stringify(Array.from({ length: 400_000 }, (_, index) => index)));
  const answer = await send(to, zlib.gzipSync(text), { 'content-encoding': 'gzip' });
  expect([answer.status, code(answer.text)]).toEqual([413, 41301]);
});

test('a body below the minimum rate is closed after its grace period; a faster one is not', async () => {
  const to = await reader({ limits: { slowAfterMs: 200, rateIntervalMs: 500, rateBytesMin: 1_000 } });
  const open = (): net.Socket => {
    const socket = net.connect(to.port, '127.0.0.1');
    socket.on('error', () => {});
    cleanups.push(() => socket.destroy());
    socket.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 30000\r\n\r\n');
    return socket;
  };
  const slow = open();
  const fast = open();
  let answer = '';
  fast.on('data', (chunk) => {
    answer += chunk;
  });
  // Not through `once`: a write that meets the closed door is an error first, and no matter here.
  const closed = new Promise((resolve) => slow.on('close', resolve));
  for (let step = 0; step < 30; step++) {
    slow.write('x');
    fast.write('y'.repeat(1_000));
    await sleep(40);
  }
  await closed;
  await expect.poll(() => answer).toContain('30000 y');
  expect(to.results).toContainEqual({ kind: 'aborted', reason: 'slow' });
  expect(to.budget.usedBytes).toBe(0);
});

test('a body that holds much memory is cut soon when it stalls or drips', async () => {
  const limits = { slowAfterMs: 60_000, largeBytes: 200_000, largeIntervalMs: 300, largeRateBytesMin: 5_000 };
  const to = await reader({ limits });
  const head = 'POST / HTTP/1.1\r\nhost: x\r\ncontent-encoding: gzip\r\ncontent-length: 99999\r\n\r\n';
  const numbers = Array.from({ length: 20_000 }, (_, index) => (index * 7919) % 10_007).join();
  const swollen = zlib.gzipSync(Buffer.concat([Buffer.alloc(900_000, 97), Buffer.from(numbers)]));
  const open = (): net.Socket => {
    const socket = net.connect(to.port, '127.0.0.1');
    socket.on('error', () => {});
    cleanups.push(() => socket.destroy());
    socket.write(head);
    return socket;
  };
  const small = open();
  small.write(swollen.subarray(0, 12));
  for (const dripBytes of [0, 1]) {
    const socket = open();
    const closed = new Promise((resolve) => socket.on('close', resolve));
    let sent = 10_000;
    socket.write(swollen.subarray(0, sent));
    const drip = setInterval(() => {
      socket.write(swollen.subarray(sent, sent + dripBytes));
      sent += dripBytes;
    }, 20);
    await closed;
    clearInterval(drip);
    expect(to.results.at(-1)).toEqual({ kind: 'aborted', reason: 'slow' });
  }
  expect(to.results.length).toBe(2);
  expect(small.destroyed).toBe(false);
  expect(to.budget.usedBytes).toBe(0);
});
