import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWorld, type World } from '../support/world.ts';
import { AnswerReader, dial, exchangeBytes, requestBytes } from './wire.ts';

const PATH = '/v1/chat/completions';
let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

const chat = (prompt: string, more: object = {}): string =>
  JSON.stringify({ model: 'gpt-5', messages: [{ role: 'user', content: prompt }], ...more });

/** A request whose head is written as given; the body is a good one unless another is given. */
function raw(lines: readonly string[], body = chat('smuggled [[sim tag=smuggled tokens=1]]')): Buffer {
  const head = [`authorization: Bearer ${world.key}`, 'content-type: application/json', ...lines];
  return Buffer.from(`POST ${PATH} HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n${body}`, 'latin1');
}

const BODY = chat('smuggled [[sim tag=smuggled tokens=1]]');
const LENGTH = `content-length: ${BODY.length}`;
const CHUNKED = `${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\n\r\n`;

const SMUGGLING: readonly (readonly [string, readonly string[], string])[] = [
  ['length and chunks at once', ['host: a', LENGTH, 'transfer-encoding: chunked'], CHUNKED],
  ['two different lengths', ['host: a', LENGTH, 'content-length: 5'], BODY],
  ['two lengths in one header', ['host: a', `content-length: ${BODY.length}, 5`], BODY],
  ['a negative length', ['host: a', 'content-length: -1'], BODY],
  ['a length with a sign', ['host: a', `content-length: +${BODY.length}`], BODY],
  ['a length in hexadecimal', ['host: a', 'content-length: 0x10'], BODY],
  ['an unknown transfer coding', ['host: a', 'transfer-encoding: cow'], CHUNKED],
  ['chunks that are not the last coding', ['host: a', 'transfer-encoding: chunked, identity'], CHUNKED],
  ['a bad chunk size', ['host: a', 'transfer-encoding: chunked'], `zz\r\n${BODY}\r\n0\r\n\r\n`],
  ['a chunk longer than it says', ['host: a', 'transfer-encoding: chunked'], `5\r\n${BODY}\r\n0\r\n\r\n`],
  ['a folded header', ['host: a', 'x-folded: one\r\n two', LENGTH.replace('content', '\tcontent')], BODY],
  ['a CR inside a value', ['host: a', 'x-odd: one\rx-two: 2', LENGTH], BODY],
  ['a LF inside a value', ['host: a', 'x-odd: one\nbad line without colon', LENGTH], BODY],
  ['a NUL inside a value', ['host: a', 'x-odd: one\0two', LENGTH], BODY],
  ['a blank before the colon', ['host: a', LENGTH.replace(':', ' :')], BODY],
  ['no host', [LENGTH], BODY],
  ['two hosts', ['host: a', 'host: b', 'content-length: 5', LENGTH], BODY],
];

test.each(SMUGGLING)('%s is a 400, and does not reach the vendor', async (_, lines, body) => {
  const answer = await exchangeBytes(world.url, raw(lines, body));
  expect(answer.status).toBe(400);
  expect(world.simulator.truth.list('smuggled')).toEqual([]);
});

test('the Host header, an absolute address and forwarding headers have no effect', async () => {
  const { host } = new URL(world.url);
  const odd = [
    'host: api.openai.com',
    'x-forwarded-host: evil',
    'x-http-method-override: DELETE',
    'x-original-url: /metrics',
  ];
  const answer = await exchangeBytes(world.url, raw([...odd, LENGTH], BODY));
  expect(answer.status).toBe(200);
  const call = world.simulator.truth.find('smuggled');
  expect(call?.headers.host).toBe(new URL(world.simulator.url).host);
  expect(Object.keys(call?.headers ?? {}).filter((name) => name.startsWith('x-'))).toEqual([]);
  const absolute = raw([`host: ${host}`, LENGTH], BODY).toString('latin1');
  const proxied = absolute.replace(PATH, `http://169.254.169.254${PATH}`);
  const refused = await exchangeBytes(world.url, Buffer.from(proxied, 'latin1'));
  expect(refused.status).toBe(404);
});

test.each([
  '//v1/chat/completions',
  '/v1/../v1/chat/completions',
  '/v1/chat%2fcompletions',
  '/V1/chat/completions',
])('the path %s is unknown: 40401', async (path) => {
  const answer = await exchangeBytes(world.url, requestBytes({ path, headers: world.headers(), body: BODY }));
  expect([answer.status, JSON.parse(answer.text).code]).toEqual([404, 40401]);
});

test('endless headers and addresses are 431, and the process survives', async () => {
  const headers = { ...world.headers(), 'x-long': 'x'.repeat(100_000) };
  const long = await exchangeBytes(world.url, requestBytes({ path: PATH, headers, body: BODY }));
  expect(long.status).toBe(431);
  expect(long.headers['x-request-id']).toMatch(/\S/);
  const address = `${PATH}?${'a'.repeat(100_000)}`;
  const far = await exchangeBytes(
    world.url,
    requestBytes({ path: address, headers: world.headers(), body: BODY }),
  );
  expect(far.status).toBe(431);
  const many = Object.fromEntries(Array.from({ length: 3_000 }, (_, index) => [`x-${index}`, 'y']));
  const crowd = await exchangeBytes(
    world.url,
    requestBytes({ path: PATH, headers: { ...world.headers(), ...many } }),
  );
  expect(crowd.status).toBe(431);
  expect((await world.post(PATH, BODY)).status).toBe(200);
});

test('pipelined requests on one connection are answered in order', async () => {
  const socket = dial(world.url);
  const request = (index: number, delayMs: number): Buffer => {
    const body = chat(`[[sim tag=row-${index} tokens=${index + 1} delay=${delayMs}]]`);
    return requestBytes({ path: PATH, headers: world.headers(), body });
  };
  socket.write(Buffer.concat([request(0, 150), request(1, 0), request(2, 50)]));
  const counts: number[] = [];
  let reader = new AnswerReader();
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    reader.push(chunk);
    while (reader.whole) {
      const { usage } = JSON.parse(reader.body().toString()) as { usage: { completion_tokens: number } };
      counts.push(usage.completion_tokens);
      const { rest } = reader;
      reader = new AnswerReader();
      if (rest.length > 0) reader.push(rest);
    }
    if (counts.length === 3) break;
  }
  socket.destroy();
  expect(counts).toEqual([1, 2, 3]);
});

test('garbage behind a running stream ends the connection, without a broken stream', async () => {
  const socket = dial(world.url);
  const body = chat('[[sim tag=garbage tokens=2000 pace=20]]', { stream: true });
  socket.write(requestBytes({ path: PATH, headers: world.headers(), body }));
  let text = '';
  const closed = new Promise<void>((resolve) => {
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes('data: ')) socket.write('garbage\r\n\r\n');
    });
    socket.on('error', () => resolve());
    socket.on('close', () => resolve());
    socket.on('end', () => resolve());
  });
  await closed;
  socket.destroy();
  expect(text.match(/HTTP\/1\.1/g)).toHaveLength(1);
  await world.settled();
  expect(world.simulator.truth.find('garbage')?.finished).toBe('aborted-by-client');
});

test('a thousand idle connections do not slow the others down', async () => {
  const costOfTwentyMs = async (): Promise<number> => {
    const { user, system } = process.cpuUsage();
    for (let index = 0; index < 20; index++) {
      const answer = await world.post(PATH, chat('[[sim tokens=1]]'));
      expect(answer.status).toBe(200);
      await answer.text();
    }
    const now = process.cpuUsage({ user, system });
    return (now.user + now.system) / 1000;
  };
  const sockets = Array.from({ length: 1_000 }, () => dial(world.url));
  await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('connect', resolve))));
  const eachMs = (await costOfTwentyMs()) / 20;
  for (const socket of sockets) socket.destroy();
  console.info(`a call beside 1,000 idle connections costs ${eachMs.toFixed(1)} ms`);
  // Processor time: what others do on this machine is not our cost.
  expect(eachMs).toBeLessThan(100);
});
