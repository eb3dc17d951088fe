import { createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { OpenLoop } from './callers.ts';
import { type CallOutcome, type ConnectionSettings, verifyChatEnd } from './connection.ts';
import { scenarios } from './scenario.ts';

const BODY = '{"usage":{"total_tokens":1}}';
const ANSWER = `HTTP/1.1 200 OK\r\ncontent-length: ${BODY.length}\r\n\r\n${BODY}`;
const REQUEST = Buffer.from('POST / HTTP/1.1\r\ncontent-length: 2\r\n\r\n{}');
const open = scenarios('quick').find(({ name }) => name === 'json-open');

let server: Server;
let loop: OpenLoop | undefined;
let sockets: Socket[];
let settings: ConnectionSettings;
let outcomes: CallOutcome[];

beforeEach(async () => {
  outcomes = [];
  sockets = [];
  server = createServer((socket) => {
    // The caller may leave with an answer on its way.
    socket.on('error', () => undefined);
    sockets.push(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  settings = {
    host: '127.0.0.1',
    port: address !== null && typeof address === 'object' ? address.port : 0,
    nextRequest: () => REQUEST,
    expectedEvents: 0,
    verify: { part: 'end', check: (tail) => verifyChatEnd(tail, 0) },
    counter: { events: 0, bytes: 0 },
    onOutcome: (outcome) => outcomes.push(outcome),
  };
});

afterEach(async () => {
  loop?.destroy();
  await loop?.finish();
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => server.close(resolve));
});

async function until(condition: () => boolean): Promise<void> {
  const deadlineMs = performance.now() + 20_000;
  while (!condition()) {
    if (performance.now() > deadlineMs) throw new Error('it did not come');
    await delay(5);
  }
}

it('counts the time of a call from when it was due, also while it waits for a connection', async () => {
  if (open === undefined) throw new Error('there is such traffic');
  let late = 0;
  loop = new OpenLoop({ ...open, ratePerSecond: 200, connections: 1 }, settings, () => {
    late += 1;
  });
  await loop.start();
  // The only connection has its call, and the next ones wait behind it.
  await until(() => late >= 20 && sockets.length > 0);
  expect(sockets).toHaveLength(1);
  sockets[0]?.on('data', () => sockets[0]?.write(ANSWER));
  await until(() => outcomes.length >= 10);
  // The first waited for at least the nineteen intervals of 5 ms that came after it.
  expect(outcomes[0]).toMatchObject({ failure: undefined });
  expect(outcomes[0]?.latencyMs).toBeGreaterThan(90);
});

it('opens a connection for each call that finds none free', async () => {
  if (open === undefined) throw new Error('there is such traffic');
  loop = new OpenLoop({ ...open, ratePerSecond: 500, connections: 8 }, settings, () => {});
  await loop.start();
  await until(() => sockets.length === 8);
});
