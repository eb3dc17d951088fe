import { once } from 'node:events';
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { STANDARD_CATALOG, startWorld, type World } from '../support/world.ts';
import { dial, exchange, type Received, receive } from './wire.ts';

const MIB = 1024 * 1024;
const BUDGET = 64 * MIB;
const PATH = '/v1/chat/completions';
const ATTACKERS = 12;
const attackerEmail = (index: number): string => `attacker${index}@example.com`;
const ACCOUNTS = Array.from(
  { length: ATTACKERS },
  (_, index) => `  - { email: ${attackerEmail(index)}, password: "a test password", credits: "5000000" }\n`,
).join('');

let world: World;
const sockets: Socket[] = [];

beforeAll(async () => {
  world = await startWorld({
    catalog: STANDARD_CATALOG + ACCOUNTS,
    environment: { TOLLGATE_BODY_BUDGET_BYTES: String(BUDGET) },
  });
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});
afterAll(() => world.close());

const head = (key: string, headers: Record<string, string>): string => {
  const all = { host: 'gateway', ...world.headers(key), ...headers };
  return `POST ${PATH} HTTP/1.1\r\n${Object.entries(all)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n`;
};

function attack(key: string, headers: Record<string, string>, body: Buffer): Socket {
  const socket = dial(world.url);
  socket.on('error', () => {});
  sockets.push(socket);
  socket.write(head(key, headers));
  socket.write(body);
  return socket;
}

/** Encoded at some 90 to one, without its end: 8 MiB are held for it, and it never goes on. */
const LINES = Array.from({ length: 20 * 1024 }, (_, index) => `${index}${'some words '.repeat(37)}`);
const SWOLLEN = gzipSync(Buffer.from(`{"model":"gpt-5","x":"${LINES.join('')}`));
const STALLED = SWOLLEN.subarray(0, -8);
const GZIP = { 'content-encoding': 'gzip', 'content-length': String(SWOLLEN.length) };

async function victimCalls(count: number): Promise<readonly number[]> {
  const statuses: number[] = [];
  for (let call = 0; call < count; call++) {
    const messages = [{ role: 'user', content: `hi [[sim tokens=2]] ${'text '.repeat(4_000)}` }];
    const response = await world.post(PATH, { model: 'gpt-5', messages });
    await response.text();
    statuses.push(response.status);
  }
  return statuses;
}

const good = (count: number): readonly number[] => Array.from({ length: count }, () => 200);
const codeOf = ({ text }: Received): number => (JSON.parse(text) as { code: number }).code;

describe('an account without a payer', () => {
  test('has no body read: it is refused at once and readably, and the call is logged', async () => {
    const key = await world.newKey('empty@example.com');
    const answers = Array.from({ length: 14 }, () => receive(attack(key, GZIP, STALLED)));
    for (const answer of await Promise.all(answers))
      expect([answer.status, codeOf(answer)]).toEqual([403, 40202]);
    expect(await victimCalls(3)).toEqual(good(3));
    await world.settled();
    const rows = await world.database.query(
      "select count(*)::int as calls from calls where error_code = 40202 and verdict = 'refused'",
    );
    expect(rows).toEqual([{ calls: 14 }]);
  });

  test('is not asked for its body after Expect: 100-continue', async () => {
    const key = await world.newKey('empty@example.com');
    const headers = { expect: '100-continue', 'content-length': String(50 * MIB) };
    const socket = attack(key, headers, Buffer.alloc(0));
    const [first] = await once(socket, 'data');
    expect(String(first)).toMatch(/^HTTP\/1.1 403 /);
  });

  test('reads the refusal also behind a body that it sent whole', async () => {
    const key = await world.newKey('empty@example.com');
    const body = Buffer.alloc(30 * MIB, 0x20);
    const answer = await exchange(world.url, { path: PATH, headers: world.headers(key), body });
    expect([answer.status, codeOf(answer)]).toEqual([403, 40202]);
  });
});

/** Bodies without their last byte, of each size until one of them finds no place. */
async function fillWithStalled(key: string): Promise<void> {
  for (const [bytes, count] of [
    [MIB, 70],
    [100_000, 30],
    [8_000, 40],
  ] as const) {
    const headers = { 'content-length': String(bytes + 1) };
    const body = Buffer.alloc(bytes, 0x20);
    const answers = Array.from({ length: count }, () => receive(attack(key, headers, body), 60_000));
    const first = await Promise.race(answers);
    expect([first.status, codeOf(first)]).toEqual([503, 50301]);
  }
}

test('stalled bodies of one account leave memory for all others', async () => {
  await fillWithStalled(await world.newKey(attackerEmail(0)));
  expect(await victimCalls(10)).toEqual(good(10));
});

test('swollen bodies of a dozen accounts together do not stop an account that holds little', async () => {
  const keys = await Promise.all(
    Array.from({ length: ATTACKERS }, (_, index) => world.newKey(attackerEmail(index))),
  );
  const refused = keys.map((key) =>
    Promise.race(Array.from({ length: 8 }, () => receive(attack(key, GZIP, STALLED), 60_000))),
  );
  for (const answer of await Promise.all(refused)) expect(codeOf(answer)).toBe(50301);
  expect(await victimCalls(10)).toEqual(good(10));
});

test('answers that an account does not read count as its memory too', async () => {
  const key = await world.newKey(attackerEmail(0));
  const content = '[[sim tokens=2 fault=huge-body@8]]';
  const body = Buffer.from(JSON.stringify({ model: 'gpt-5', messages: [{ role: 'user', content }] }));
  const answers = Array.from({ length: 8 }, () => {
    const socket = attack(key, { 'content-length': String(body.length) }, body);
    return once(socket, 'data').then(([chunk]) => {
      socket.pause();
      return Number(String(chunk).split(' ')[1]);
    });
  });
  const statuses = await Promise.all(answers);
  expect(statuses.filter((status) => status === 503).length).toBeGreaterThan(0);
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(0);
  expect(await victimCalls(10)).toEqual(good(10));
});

test('a large body of an account without a free slot is refused before it is sent', async () => {
  const key = await world.newKey(attackerEmail(1), { policyId: 2 });
  const running = world.post(
    PATH,
    { model: 'gpt-5', stream: true, messages: [{ role: 'user', content: '[[sim tokens=400 pace=50]]' }] },
    { authorization: `Bearer ${key}` },
  );
  const stream = await running;
  expect(stream.status).toBe(200);
  const headers = { expect: '100-continue', 'content-length': String(20 * MIB) };
  const [first] = await once(attack(key, headers, Buffer.alloc(0)), 'data');
  expect(String(first)).toMatch(/^HTTP\/1.1 429 .*42901/s);
  await stream.body?.cancel();
});
