import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../support/processes.ts';
import { STANDARD_CATALOG, startWorld, type World } from '../support/world.ts';
import { dial, exchange, exchangeBytes, type Received, receive, requestBytes } from './wire.ts';

const MIB = 1024 * 1024;
const LIMIT = 100 * MIB;
/** One account may have half of it. */
const BUDGET = 220 * MIB;
const PATH = '/v1/chat/completions';
/** A hundred MiB of text are many tokens: the model must be cheap for the account to pay its hold. */
const CHEAP = `  - { model_id: cheap, prices: { input: "0.01", output: "0.01" }, max_output_tokens: 1000,
      routes: [{ vendor: openai, credential: openai-main, forward_model_id: gpt-5-2026-08-01, protocols: [chat] }] }
  - { model_id: painter, prices: { image: "0.3" }, support_features: [image],
      routes: [{ vendor: openai, credential: openai-main, forward_model_id: gpt-image-1, protocols: [images] }] }
`;

let world: World;
beforeAll(async () => {
  world = await startWorld({
    catalog: STANDARD_CATALOG.replace('models:\n', `models:\n${CHEAP}`),
    environment: { TOLLGATE_BODY_BUDGET_BYTES: String(BUDGET) },
  });
});
afterAll(() => world.close());

/** A chat request of exactly so many bytes. */
function chatBody(bytes: number, model = 'cheap'): Buffer {
  const head = `{"model":"${model}","messages":[{"role":"user","content":"[[sim tokens=2]] `;
  const tail = '"}]}';
  return Buffer.concat([
    Buffer.from(head),
    Buffer.alloc(bytes - head.length - tail.length, 'word '),
    Buffer.from(tail),
  ]);
}

/** What the vendor must get: the same bytes with its own name for the model. */
function forwarded(body: Buffer): string {
  const name = Buffer.from('"cheap"');
  const at = body.indexOf(name);
  const parts = [body.subarray(0, at), Buffer.from('"gpt-5-2026-08-01"'), body.subarray(at + name.length)];
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
}

function lastSeen(): { readonly bodySha256: string; readonly bodyBytes: number } | undefined {
  return world.simulator.truth.all().at(-1);
}

function head(headers: Record<string, string>): Buffer {
  const all = { host: 'gateway', ...world.headers(), ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`POST ${PATH} HTTP/1.1\r\n${lines.join('')}\r\n`);
}

function codeOf({ text }: Received): number {
  return (JSON.parse(text) as { code: number }).code;
}

async function alive(): Promise<void> {
  const response = await world.post(PATH, { model: 'cheap', messages: [{ role: 'user', content: 'hi' }] });
  expect(response.status).toBe(200);
  await response.text();
}

test('a body of exactly 100 MiB reaches the vendor byte for byte', async () => {
  const body = chatBody(LIMIT);
  expect(body.length).toBe(LIMIT);
  await exchange(world.url, { path: PATH, headers: world.headers(), body });
  expect(lastSeen()).toMatchObject({ bodySha256: forwarded(body), bodyBytes: LIMIT + 11 });
});

test('a body with one byte more is 41301, and the client that sent it all reads the answer', async () => {
  const before = world.simulator.stats.requests;
  const body = chatBody(LIMIT + 1);
  const answer = await exchange(world.url, { path: PATH, headers: world.headers(), body });
  expect([answer.status, codeOf(answer)]).toEqual([413, 41301]);
  expect(world.simulator.stats.requests).toBe(before);
});

test('a chunked body over the limit is 41301 during the upload', async () => {
  const socket = dial(world.url);
  const answer = receive(socket);
  socket.write(head({ 'transfer-encoding': 'chunked' }));
  const piece = Buffer.alloc(MIB, 0x20);
  for (let sent = 0; sent <= 100 && !socket.destroyed; sent++) {
    socket.write(`${MIB.toString(16)}\r\n`);
    socket.write(piece);
    if (!socket.write('\r\n')) await Promise.race([once(socket, 'drain'), answer]);
  }
  const got = await answer;
  expect([got.status, codeOf(got)]).toEqual([413, 41301]);
});

test('a declared length over the limit is refused before any byte of the body', async () => {
  const socket = dial(world.url);
  socket.write(head({ 'content-length': String(LIMIT + 1) }));
  const answer = await receive(socket);
  expect([answer.status, codeOf(answer)]).toEqual([413, 41301]);
});

test('a wrong length waits for missing bytes, and surplus bytes are a bad request', async () => {
  const before = world.simulator.stats.requests;
  const short = dial(world.url);
  short.write(Buffer.concat([head({ 'content-length': '5000' }), chatBody(200)]));
  await new Promise((resolve) => setTimeout(resolve, 50));
  short.destroy();
  const long = requestBytes({ path: PATH, headers: world.headers(), body: chatBody(200) });
  const answer = await exchangeBytes(world.url, Buffer.concat([long, Buffer.alloc(4096, 0x78)]));
  expect(answer.status).toBe(400);
  await world.settled();
  expect(world.simulator.stats.requests).toBeLessThanOrEqual(before + 1);
  await alive();
});

test.each([
  ['gzip', gzipSync],
  ['x-gzip', gzipSync],
  ['br', brotliCompressSync],
  ['zstd', zstdCompressSync],
  ['deflate', deflateSync],
] as const)('a body encoded with %s is decoded before it is forwarded', async (encoding, encode) => {
  const plain = chatBody(20_000);
  const body = encode(plain);
  const headers = { ...world.headers(), 'content-encoding': encoding };
  const answer = await exchange(world.url, { path: PATH, headers, body });
  expect(answer.status).toBe(200);
  expect(lastSeen()?.bodySha256).toBe(forwarded(plain));
});

const FAST = { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } };
const GIGABYTE_IN_ONE_MEGABYTE = (): Buffer => {
  const member = gzipSync(Buffer.alloc(16 * MIB));
  return Buffer.concat(Array.from({ length: 64 }, () => member));
};

test.each([
  ['gzip', '1 GiB in 1 MiB', GIGABYTE_IN_ONE_MEGABYTE],
  ['br', '256 MiB in some hundred bytes', () => brotliCompressSync(Buffer.alloc(256 * MIB), FAST)],
  ['zstd', '64 MiB in a few KiB', () => zstdCompressSync(Buffer.alloc(64 * MIB))],
  ['deflate', '64 MiB in 64 KiB', () => deflateSync(Buffer.alloc(64 * MIB))],
] as const)('a %s bomb, %s, is refused cheaply', async (encoding, _, make) => {
  const body = make();
  await alive();
  const rssBefore = process.memoryUsage().rss;
  const headers = { ...world.headers(), 'content-encoding': encoding };
  const before = process.cpuUsage();
  const answer = await exchange(world.url, { path: PATH, headers, body });
  const costMs = process.cpuUsage(before).user / 1000;
  const grownMib = (process.memoryUsage().rss - rssBefore) / MIB;
  console.info(
    `${encoding} bomb of ${body.length} bytes: ${costMs.toFixed(0)} ms, ${grownMib.toFixed(1)} MiB`,
  );
  expect([answer.status, codeOf(answer)]).toEqual([413, 41301]);
  expect(costMs, 'processor time').toBeLessThan(2_000);
  expect(grownMib).toBeLessThan(64);
});

test.each([
  ['gzip, gzip', 41501],
  ['gzip, identity', 41501],
  ['compress', 41501],
  ['nonsense', 41501],
])('the encoding "%s" is %i', async (encoding, code) => {
  const headers = { ...world.headers(), 'content-encoding': encoding };
  const answer = await exchange(world.url, { path: PATH, headers, body: gzipSync(chatBody(500)) });
  expect([answer.status, codeOf(answer)]).toEqual([415, code]);
});

test.each([
  ['gzip', Buffer.from('this is not gzip')],
  ['gzip', gzipSync(chatBody(5_000)).subarray(0, 60)],
  ['br', Buffer.from('\xff\xff\xff\xff', 'latin1')],
  ['zstd', Buffer.from('nor is this zstd')],
] as const)('a corrupt %s body is 40002', async (encoding, body) => {
  const headers = { ...world.headers(), 'content-encoding': encoding };
  const answer = await exchange(world.url, { path: PATH, headers, body });
  expect([answer.status, codeOf(answer)]).toEqual([400, 40002]);
});

test('bodies beyond the budget of the process are 50301, and its bytes are returned', async () => {
  const body = chatBody(50 * MIB);
  const sockets = Array.from({ length: 3 }, () => dial(world.url));
  const answers = sockets.map((socket) => receive(socket));
  // All but the last byte: each body is held, none can go on.
  for (const socket of sockets) {
    socket.write(Buffer.concat([head({ 'content-length': String(body.length) }), body.subarray(0, -1)]));
  }
  const refused = await Promise.race(answers);
  expect([refused.status, codeOf(refused)]).toEqual([503, 50301]);
  expect(refused.headers['retry-after']).toBe('1');
  for (const socket of sockets) socket.destroy();
  // Held whole before anybody looks whether there is such a model.
  const nobody = chatBody(LIMIT, 'nobody');
  const whole = () => exchange(world.url, { path: PATH, headers: world.headers(), body: nobody });
  await until(async () => codeOf(await whole()) === 50201);
});

test('a complete answer counts against the same budget', async () => {
  const prompt = '[[sim tokens=2 fault=huge-body@130]]';
  const response = await world.post(PATH, { model: 'cheap', messages: [{ role: 'user', content: prompt }] });
  expect(response.status).toBe(503);
  expect(await response.json()).toMatchObject({ code: 50301 });
  await alive();
});

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

test('an image edit as a form reaches the vendor with every value unchanged except its model', async () => {
  const boundary = '----edges--of--a--form';
  const part = (disposition: string, value: Buffer | string): Buffer =>
    Buffer.concat([
      Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n`),
      Buffer.from(value as string),
      Buffer.from('\r\n'),
    ]);
  const prompt = 'a "model" of a ship\r\nname="model"';
  const form = Buffer.concat([
    part('name="prompt"', prompt),
    part('name="image"; filename="model.png"\r\nContent-Type: image/png', PNG),
    part('name="model"', 'painter'),
    part('name="n"', '1'),
    Buffer.from(`--${boundary}--\r\n`),
  ]);
  const headers = { ...world.headers(), 'content-type': `multipart/form-data; boundary="${boundary}"` };
  const answer = await exchange(world.url, { path: '/v1/images/edits', headers, body: form });
  expect(answer.text.slice(0, 300)).toContain('b64_json');
  const call = world.simulator.truth.all().at(-1);
  expect(call?.path).toBe('/v1/images/edits');
  const body = (call && world.simulator.truth.body(call)) ?? Buffer.alloc(0);
  const [, rebuilt] = /^--([^\r\n]+)\r\n/.exec(body.toString('latin1')) ?? [];
  const type = `multipart/form-data; boundary=${rebuilt}`;
  const read = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData();
  const image = read.get('image') as File;
  expect([...read.keys()]).toEqual(['prompt', 'image', 'model', 'n']);
  expect(read.get('prompt')).toBe(prompt);
  expect([read.get('model'), read.get('n')]).toEqual(['gpt-image-1', '1']);
  expect([image.name, image.type]).toEqual(['model.png', 'image/png']);
  expect(Buffer.from(await image.arrayBuffer()).equals(PNG)).toBe(true);
});

test('an image edit as JSON reaches the vendor’s edit endpoint as JSON', async () => {
  const body = (model: string): string =>
    `{ "model" : "${model}", "prompt":"a \\u0073hip", "images":[{"image_url":"data:image/png;base64,${PNG.toString('base64')}"}] }`;
  const sent = { path: '/v1/images/edits', headers: world.headers(), body: body('painter') };
  const answer = await exchange(world.url, sent);
  const call = world.simulator.truth.all().at(-1);
  expect(call?.path).toBe('/v1/images/edits');
  expect(call && world.simulator.truth.body(call)?.toString()).toBe(body('gpt-image-1'));
  expect(answer.status).toBe(200);
});
