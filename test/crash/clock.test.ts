import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startTollgate, type Tollgate } from '../../src/app.ts';
import { silentLogger } from '../../src/kernel/log.ts';
import { examine } from '../../src/store/operations/doctor.ts';
import { sleep, until } from '../support/processes.ts';
import { startWorld, type World } from '../support/world.ts';
import { begin, call, type Seen } from './load.ts';
import { figure, isIdle } from './outage.ts';
import { CHAT, CRASH_CATALOG, TEXT_SHAPES } from './shapes.ts';
import { audit } from './trial/books.ts';

const HOUR_MS = 3_600_000;
const WINDOW_SECONDS = 4;
const LIMIT = 4;
const CATALOG = CRASH_CATALOG.replace(
  '\naccounts:',
  `\n  - { id: 2, name: few, windows: [{ dimension: requests, seconds: ${WINDOW_SECONDS}, limit: ${LIMIT} }] }\naccounts:`,
);

let world: World;
let tollgate: Tollgate;
let offsetMs = 0;
const all: Seen[] = [];
let tags = 0;

beforeAll(async () => {
  const trueNow = Date.now.bind(Date);
  vi.spyOn(Date, 'now').mockImplementation(() => trueNow() + offsetMs);
  world = await startWorld({ catalog: CATALOG });
  tollgate = world.tollgate;
}, 300_000);

afterAll(async () => {
  vi.restoreAllMocks();
  await tollgate?.stop();
  await world?.close();
});

async function ask(key: string): Promise<Seen> {
  const directive = `tag=clock${++tags} tokens=5`;
  const seen = await call({ url: tollgate.url, key }, { shape: CHAT, way: 'plain', directive });
  if (seen.status === 200) all.push(seen);
  return seen;
}

/** The wait that a refused client is told, which is never longer than the window. */
async function expectRefused(key: string): Promise<number> {
  const { status, retryAfter } = await ask(key);
  expect(status).toBe(429);
  const waitSeconds = Number(retryAfter);
  expect(waitSeconds).toBeGreaterThanOrEqual(1);
  expect(waitSeconds).toBeLessThanOrEqual(WINDOW_SECONDS);
  return waitSeconds * 1000;
}

async function restart(): Promise<void> {
  await tollgate.stop();
  tollgate = await startTollgate(world.config, silentLogger);
}

test.each([
  ['forward', HOUR_MS],
  ['back', -HOUR_MS],
])(
  'a wall clock that is set %s by an hour neither opens nor lengthens a window',
  async (_, jumpMs) => {
    const key = await world.newKey('user@example.com', { policyId: 2 });
    for (let calls = 0; calls < LIMIT / 2; calls++) expect((await ask(key)).status).toBe(200);
    offsetMs += jumpMs;
    for (let calls = 0; calls < LIMIT / 2; calls++) expect((await ask(key)).status).toBe(200);
    const waitMs = await expectRefused(key);
    await sleep(waitMs);
    expect((await ask(key)).status).toBe(200);
  },
  300_000,
);

test('a server that starts under a clock set back goes on counting, and for no longer than the window', async () => {
  const key = await world.newKey('user@example.com', { policyId: 2 });
  for (let calls = 0; calls < LIMIT; calls++) expect((await ask(key)).status).toBe(200);
  await until(() => isIdle(tollgate));
  offsetMs -= HOUR_MS;
  await restart();
  await sleep(await expectRefused(key));
  // The new window is remembered as well, although by the clock it began before the old one.
  for (let calls = 0; calls < LIMIT; calls++) expect((await ask(key)).status).toBe(200);
  await restart();
  await expectRefused(key);
}, 300_000);

test('calls that run while the clock is set are charged once and to the token', async () => {
  const client = { url: tollgate.url, key: world.key };
  const streams = Array.from({ length: 20 }, (_, index) => {
    const shape = TEXT_SHAPES[index % TEXT_SHAPES.length] ?? CHAT;
    const directive = `tag=jump${index} tokens=${30 + index} pace=40`;
    return begin(client, { shape, way: 'stream', directive }).ended;
  });
  for (const jumpMs of [HOUR_MS, -2 * HOUR_MS, HOUR_MS]) {
    await sleep(400);
    offsetMs += jumpMs;
  }
  all.push(...(await Promise.all(streams)));
  await until(() => isIdle(tollgate));
  const witnesses = { seen: all, deathOf: () => Number.POSITIVE_INFINITY };
  const { problems, ...counts } = await audit(world.database, world.simulator.truth.all(), witnesses);
  // What the windows refused has a row and no vendor.
  expect(problems.filter((problem) => !/^\d+ rows of/.test(problem))).toEqual([]);
  expect(counts).toMatchObject({ calls: all.length, finished: all.length, lost: 0, doubled: 0 });
  const late = 'select count(*)::int as calls from calls where duration_ms > 30000 or duration_ms < 0';
  expect(await world.database.query(late)).toEqual([{ calls: 0 }]);
  expect(await examine(world.database)).toEqual([]);
  expect(await figure(tollgate, 'tollgate_active_calls')).toBe(0);
  console.log(
    `proof | clock set by an hour | 6 jumps, ${all.length} calls | windows kept, 0 lost, 0 doubled`,
  );
}, 300_000);
