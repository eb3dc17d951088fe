import { afterAll, beforeAll, expect, test } from 'vitest';
import { silentLogger } from '../../src/kernel/log.ts';
import { systemRandom } from '../../src/kernel/random.ts';
import { findLogin } from '../../src/store/accounts/accounts.ts';
import { createKey } from '../../src/store/accounts/api-keys.ts';
import { announceAndWait } from '../../src/store/changes.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { type EmbeddedServer, startEmbedded } from '../../src/store/embedded/server.ts';
import {
  makePlace,
  type Place,
  type ServerProcess,
  type SimulatorProcess,
  startServerProcess,
  startSimulatorProcess,
} from '../support/processes.ts';
import { call } from './load.ts';
import { codeOf } from './outage.ts';
import { CHAT, CRASH_CATALOG } from './shapes.ts';

/** Each lets some ten calls of the test pass, and counts another thing. */
const WINDOWS = [
  '{ dimension: requests, seconds: 3600, limit: 11 }',
  '{ dimension: tokens, seconds: 3600, limit: 300 }',
  '{ dimension: amount, seconds: 3600, limit: "0.14" }',
];
const POLICIES = WINDOWS.map((window, index) => `  - { id: ${index + 2}, name: few, windows: [${window}] }`);
const CATALOG = CRASH_CATALOG.replace('\naccounts:', `\n${POLICIES.join('\n')}\naccounts:`);
const CALLS_MAX = 40;
/** By a window of requests or amounts, and by one of tokens. */
const REFUSALS = [42_902, 42_903];

let simulator: SimulatorProcess;
let place: Place;
let server: ServerProcess;
let embedded: EmbeddedServer;
let database: Database;

beforeAll(async () => {
  simulator = await startSimulatorProcess();
  place = await makePlace(CATALOG, simulator.url);
  server = await startServerProcess(place.environment);
  embedded = await startEmbedded(place.dataDirectory, silentLogger);
  database = await openDatabase({ connection: embedded.connection, log: silentLogger });
}, 300_000);

afterAll(async () => {
  server?.kill('SIGKILL');
  await server?.exited;
  await database?.close();
  await embedded?.stop();
  await simulator?.close();
  await place?.remove();
});

async function newKey(policyId: number): Promise<string> {
  const login = await findLogin(database, 'user@example.com');
  const wanted = { accountId: login?.accountId ?? 0, name: 'test', policyId, expiresAtMs: undefined };
  const created = await createKey(database, { ...wanted, status: 'enabled' }, systemRandom);
  if (created.kind !== 'created') throw new Error(created.kind);
  await announceAndWait(database);
  return created.text;
}

/** The code of the next call; each is as long and as dear as every other. */
async function next(key: string): Promise<number | undefined> {
  const seen = await call(
    { url: server.url, key },
    { shape: CHAT, way: 'plain', directive: 'tag=w tokens=10' },
  );
  return codeOf(seen);
}

/** Calls that pass, one after the other, before the first is refused. */
async function countPassing(key: string): Promise<number> {
  for (let passed = 0; passed < CALLS_MAX; passed++) {
    const code = await next(key);
    if (code !== 200) {
      expect(REFUSALS).toContain(code);
      return passed;
    }
  }
  throw new Error('no call was refused');
}

test('a killed server admits exactly as many calls as one that was not killed, in every kind of window', async () => {
  const keys = await Promise.all(WINDOWS.map((_, index) => newKey(index + 2)));
  const killed = await Promise.all(WINDOWS.map((_, index) => newKey(index + 2)));
  const alive: number[] = [];
  for (const key of keys) alive.push(await countPassing(key));
  for (const count of alive) expect(count).toBeGreaterThan(6);
  for (const key of killed) for (let calls = 0; calls < 3; calls++) expect(await next(key)).toBe(200);
  for (let kill = 0; kill < 2; kill++) {
    // The last call is answered and in the journal; whether it is in the store is a matter of milliseconds.
    for (const key of killed) expect(await next(key)).toBe(200);
    server.kill('SIGKILL');
    await server.exited;
    server = await startServerProcess(place.environment);
  }
  const rest: number[] = [];
  for (const key of killed) rest.push(await countPassing(key));
  expect(rest).toEqual(alive.map((count) => count - 5));
  for (const key of keys) expect(REFUSALS).toContain(await next(key));
  const result = `${rest.join(', ')} of ${alive.join(', ')} left after 5 calls each: exact`;
  console.log(`proof | windows after kill -9 | requests, tokens, amount | ${result}`);
}, 300_000);
