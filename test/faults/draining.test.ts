import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../support/processes.ts';
import { startWorld, type World } from '../support/world.ts';
import { dial, exchange, receive } from './wire.ts';

let world: World;
let running: AbortController;
let stopped: Promise<void>;

/** A server that drains, because one call still runs. */
beforeAll(async () => {
  world = await startWorld();
  running = new AbortController();
  const body = JSON.stringify(chat('delay=1000000'));
  const init = { method: 'POST', headers: world.headers(), body, signal: running.signal };
  fetch(`${world.url}/v1/chat/completions`, init).catch(() => undefined);
  await until(() => world.simulator.stats.open === 1);
  stopped = world.tollgate.stop({ drainMs: 3_600_000 });
});
afterAll(async () => {
  running.abort();
  await stopped;
  await world.close();
});

function chat(directive: string, padding = '') {
  return { model: 'gpt-5', messages: [{ role: 'user', content: `[[sim ${directive}]]${padding}` }] };
}

test.each([
  { what: 'a call', path: '/v1/chat/completions', body: JSON.stringify(chat('tokens=1')), status: 503 },
  {
    what: 'a call of another protocol',
    path: '/v1/messages',
    body: '{"model":"claude-sonnet-5"}',
    status: 503,
  },
  { what: 'a call without a body', path: '/v1/responses', body: '', status: 503 },
  { what: 'a list of models', method: 'GET', path: '/v1/models', status: 503 },
  { what: 'the readiness', method: 'GET', path: '/readyz', status: 503 },
  { what: 'a request of the platform', method: 'GET', path: '/openapi.json', status: 200 },
  { what: 'an unknown path', method: 'GET', path: '/nowhere', status: 404 },
])('the answer to $what announces that the connection closes', async ({ what: _, status, ...sent }) => {
  const answer = await exchange(world.url, { headers: world.headers(), ...sent });
  expect([answer.status, answer.headers.connection, answer.ending]).toEqual([status, 'close', 'whole']);
});

test('a call with a long and late body is answered, not reset', async () => {
  const body = Buffer.from(JSON.stringify(chat('tokens=1', 'x'.repeat(500_000))));
  const socket = dial(world.url);
  const lines = { ...world.headers(), host: 'gateway', 'content-length': String(body.length) };
  const head = Object.entries(lines).map(([name, value]) => `${name}: ${value}\r\n`);
  const answer = receive(socket);
  socket.write(`POST /v1/chat/completions HTTP/1.1\r\n${head.join('')}\r\n`);
  for (let at = 0; at < body.length; at += 100_000) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    socket.write(body.subarray(at, at + 100_000));
  }
  const { status, headers, text, ending } = await answer;
  expect([status, headers.connection, ending]).toEqual([503, 'close', 'whole']);
  expect(JSON.parse(text)).toMatchObject({ code: 50301 });
});
