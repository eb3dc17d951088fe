import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { silentLogger } from '../../src/kernel/log.ts';
import { openDatabase } from '../../src/store/database.ts';
import { startEmbedded } from '../../src/store/embedded/server.ts';
import { examine } from '../../src/store/operations/doctor.ts';
import {
  type Exit,
  makePlace,
  type Place,
  type ServerProcess,
  type SimulatorProcess,
  startServerProcess,
  startSimulatorProcess,
  tollgate,
  until,
} from '../support/processes.ts';
import { type Client, call, type Seen } from './load.ts';
import { CHAT, CRASH_CATALOG, IMAGES, MESSAGES, RESPONSES, type Shape, TEXT_SHAPES } from './shapes.ts';

const DRAIN_MS = 9_000;
/** Two hundred streams in all: these, those that are over, and half of those that wait. */
const SHORT = 130;
const LONG = 62;
const WAITING = 10;
/** Streams that are over but for the vendor's socket. */
const CONCLUDED = 3;

let simulator: SimulatorProcess;
let place: Place;
let server: ServerProcess;
let client: Client;

/** What the clients saw, and what the server did after SIGTERM. */
interface Drained {
  readonly short: readonly Seen[];
  readonly long: readonly Seen[];
  readonly waiting: readonly Seen[];
  readonly concluded: readonly Seen[];
  readonly late: Seen;
  readonly readiness: { readonly status: number; readonly text: string };
  readonly exit: Exit;
  readonly exitMs: number;
}
let drained: Drained;

beforeAll(async () => {
  simulator = await startSimulatorProcess();
  place = await makePlace(CRASH_CATALOG, simulator.url);
  server = await startServerProcess({ ...place.environment, TOLLGATE_DRAIN_MS: String(DRAIN_MS) });
  const args = ['key', 'create', '--account', 'user@example.com', '--name', 'drain'];
  const created = await tollgate(args, place.environment);
  client = { url: server.url, key: created.stdout.trim() };
  drained = await drainUnderLoad();
}, 300_000);

afterAll(async () => {
  server?.kill('SIGKILL');
  await simulator?.close();
  await place?.remove();
});

const textAt = (index: number): Shape => TEXT_SHAPES[index % TEXT_SHAPES.length] ?? CHAT;

function beginMany(count: number, name: string, directive: string): Promise<Seen>[] {
  return Array.from({ length: count }, (_, index) =>
    call(client, { shape: textAt(index), way: 'stream', directive: `tag=${name}${index} ${directive}` }),
  );
}

/** A client that never gets done with sending its body; done when the server has closed on it. */
function openSender(): Promise<void> {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  const head = [
    'POST /v1/chat/completions HTTP/1.1',
    'host: tollgate',
    `authorization: Bearer ${client.key}`,
    'content-type: application/json',
    'content-length: 1000',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n{"model":`);
  // Whether it hears an end or a reset is all the same.
  socket.on('error', () => undefined).resume();
  return new Promise((resolve) => socket.once('close', () => resolve()));
}

async function drainUnderLoad(): Promise<Drained> {
  const long = beginMany(LONG, 'long', 'tokens=900 pace=100');
  const waiting = Array.from({ length: WAITING }, (_, index) => {
    // Half of the streams wait for their first event, half of the plain ones for their answer.
    const way = index % 2 === 0 ? 'plain' : 'stream';
    const shape = index === 0 ? IMAGES : textAt(index);
    return call(client, { shape, way, directive: `tag=waiting${index} tokens=5 delay=100000` });
  });
  // Google has no event that is certainly the last one, so its streams end with the socket.
  const concluded = [CHAT, RESPONSES, MESSAGES].map((shape) =>
    call(client, { shape, way: 'stream', directive: `tag=${shape.name} tokens=30 fault=stall@1000000` }),
  );
  await until(async () => (await simulator.stats()).open === LONG + WAITING + CONCLUDED);
  const sender = openSender();
  const short = beginMany(SHORT, 'short', 'tokens=30 pace=200');
  const all = LONG + WAITING + CONCLUDED + SHORT;
  await until(async () => (await simulator.stats()).requests >= all);
  const askedAt = performance.now();
  server.kill('SIGTERM');
  await until(async () => (await fetch(`${server.url}/readyz`)).status === 503);
  const ready = await fetch(`${server.url}/readyz`);
  const readiness = { status: ready.status, text: await ready.text() };
  const late = await call(client, { shape: CHAT, way: 'plain', directive: 'tag=late tokens=5' });
  const exit = await server.exited;
  const exitMs = performance.now() - askedAt;
  await sender;
  return {
    short: await Promise.all(short),
    long: await Promise.all(long),
    waiting: await Promise.all(waiting),
    concluded: await Promise.all(concluded),
    late,
    readiness,
    exit,
    exitMs,
  };
}

test('a draining server is not ready and refuses new calls at once with 50301 and Retry-After', () => {
  expect(drained.readiness).toEqual({ status: 503, text: 'draining\n' });
  const { status, retryAfter, text } = drained.late;
  expect({ status, retryAfter }).toEqual({ status: 503, retryAfter: '1' });
  expect(JSON.parse(text)).toMatchObject({ code: 50301 });
});

test('streams that end within the time, or wait only for the vendor, are served to their end', () => {
  for (const one of [...drained.short, ...drained.concluded]) {
    expect({ tag: one.tag, finished: one.finished, broken: one.broken }).toEqual({
      tag: one.tag,
      finished: true,
      broken: false,
    });
    expect(one.arrivals).toHaveLength(30);
  }
});

test('streams that take longer are cut with an error event and a reset', () => {
  for (const one of drained.long) {
    expect({ tag: one.tag, finished: one.finished, broken: one.broken }).toEqual({
      tag: one.tag,
      finished: false,
      broken: true,
    });
    expect(one.text.slice(-1_000)).toContain('50301');
  }
});

test('calls that wait for their first byte are answered', () => {
  for (const { tag, status, text } of drained.waiting) {
    expect({ tag, status }).toEqual({ tag, status: 503 });
    expect(JSON.parse(text)).toMatchObject({ code: 50301 });
  }
});

test('the server exits with 0, soon after its time, and its database has stopped', async () => {
  expect(drained.exit).toEqual({ code: 0, signal: null });
  expect(drained.exitMs).toBeGreaterThan(DRAIN_MS - 100);
  expect(drained.exitMs).toBeLessThan(DRAIN_MS + 30_000);
  // A database that ran on would be found and used instead of started.
  expect(server.stdout()).toContain('the embedded database stopped');
  // What a first start tells the person before it, and nothing else.
  expect(server.stderr()).toMatch(
    /^┌[\s\S]*setup token: [\s\S]*api\/v1\/user\/auth\/setup[^\n]*\n[^\n]*\n\s*$/,
  );
  expect(server.stdout()).not.toContain('"level":50');
});

test('everything is settled: what was produced is charged, the rest is free, nothing is open', async () => {
  const embedded = await startEmbedded(place.dataDirectory, silentLogger);
  const database = await openDatabase({ connection: embedded.connection, log: silentLogger });
  try {
    expect(await examine(database)).toEqual([]);
    const rows = await database.query<{
      call_id: string;
      verdict: string;
      output: bigint;
      charge_micro: bigint;
    }>('select call_id, verdict, output_text + output_reasoning as output, charge_micro from calls');
    const byId = new Map(rows.map((row) => [row.call_id, row]));
    for (const one of [...drained.short, ...drained.concluded]) {
      expect(byId.get(one.requestId ?? '')).toMatchObject({ verdict: 'complete', output: 30n });
    }
    const truth = new Map((await simulator.truth()).map((each) => [each.tag, each]));
    for (const one of drained.long) {
      const row = byId.get(one.requestId ?? '');
      expect(row?.verdict).toBe('cut-by-gateway');
      expect(Number(row?.output)).toBeGreaterThanOrEqual(one.arrivals.length - 2);
      expect(Number(row?.output)).toBeLessThanOrEqual(truth.get(one.tag)?.outputTokens ?? 0);
    }
    for (const one of drained.waiting) {
      expect(byId.get(one.requestId ?? '')).toMatchObject({ output: 0n, charge_micro: 0n });
    }
    // One more is the call whose body never came; the one refused while draining never got past the door.
    expect(rows).toHaveLength(SHORT + LONG + WAITING + CONCLUDED + 1);
  } finally {
    await database.close();
    await embedded.stop();
  }
  const aborted = (await simulator.stats()).aborted;
  expect(aborted).toBe(LONG + WAITING + CONCLUDED);
  const size = `${SHORT + LONG + CONCLUDED + WAITING / 2} streams, ${WAITING / 2} plain calls`;
  const result = `${SHORT + CONCLUDED} ended, ${LONG} cut, all settled, exit 0 after ${Math.round(drained.exitMs)} ms`;
  console.log(`proof | SIGTERM, gate in memory | ${size} | ${result}`);
});
