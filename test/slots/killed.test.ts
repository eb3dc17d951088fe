import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Simulator, startSimulator } from '../../sim/server.ts';
import { GATE_LEASE_MS } from '../../src/gate/redis/bounds.ts';
import { systemRandom } from '../../src/kernel/random.ts';
import { findLogin } from '../../src/store/accounts/accounts.ts';
import { createKey } from '../../src/store/accounts/api-keys.ts';
import { needs, REDIS } from '../needs.ts';
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts';
import {
  makePlace,
  type Place,
  type ServerProcess,
  startServerProcess,
  until,
} from '../support/processes.ts';
import { startRedis, type TestRedis } from '../support/redis.ts';
import { slotsCatalog } from './endings.ts';
import { expectExactly } from './exactly.ts';

const SLOTS = 12;

let simulator: Simulator;
let fresh: FreshDatabase;
let place: Place;
/** Of another node on the same servers. */
let other: Place | undefined;
let redis: TestRedis | undefined;
let server: ServerProcess | undefined;
beforeAll(async () => {
  simulator = await startSimulator();
  place = await makePlace(slotsCatalog(SLOTS), simulator.url);
  fresh = await freshDatabase();
});
afterEach(async () => {
  server?.kill('SIGKILL');
  await server?.exited;
  server = undefined;
});
afterAll(async () => {
  await simulator?.close();
  await fresh?.drop();
  await place?.remove();
  await other?.remove();
  await redis?.close();
});

async function start(environment: Record<string, string>): Promise<ServerProcess> {
  server = await startServerProcess({
    ...place.environment,
    TOLLGATE_SECRET: 'one secret for all nodes of the test',
    DATABASE_URL: fresh.connection,
    ...environment,
  });
  return server;
}

async function newKey(): Promise<string> {
  const login = await findLogin(fresh.database, 'user@example.com');
  if (login === undefined) throw new Error('the catalogue names this account');
  const { accountId } = login;
  const wanted = {
    accountId,
    name: 'killed',
    policyId: 2,
    expiresAtMs: undefined,
    status: 'enabled',
  } as const;
  const created = await createKey(fresh.database, wanted, systemRandom);
  if (created.kind !== 'created') throw new Error(created.kind);
  return created.text;
}

/** All slots are taken by streams, and then the process is gone. */
async function dieWithAllTaken(running: ServerProcess, key: string): Promise<void> {
  await until(() => simulator.stats.open === 0);
  const streams = Array.from({ length: SLOTS }, () => ask(running.url, key, 'tokens=2000 pace=50'));
  await until(() => simulator.stats.open === SLOTS);
  expect(await ask(running.url, key, 'tokens=2')).toBe(429);
  running.kill('SIGKILL');
  await running.exited;
  await Promise.all(streams);
}

/** The status; 0 when the server died over it. */
async function ask(url: string, key: string, directive: string): Promise<number> {
  try {
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'slow',
        stream: true,
        messages: [{ role: 'user', content: `[[sim ${directive}]]` }],
        max_completion_tokens: 2_000,
      }),
    });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return 0;
  }
}

test('the slots of a killed process are free after its restart, with the gate in memory', async () => {
  const first = await start({});
  const key = await newKey();
  await dieWithAllTaken(first, key);
  const { url } = await start({});
  await expectExactly({ url, key, limit: SLOTS, simulator });
  console.log(`proof | slots after kill -9, memory | ${SLOTS} streams | all free after the restart`);
}, 300_000);

describe('with the gate on Redis', needs(REDIS), () => {
  test('the slots of a killed process are free when it has returned', async () => {
    redis = await startRedis();
    const environment = { REDIS_URL: redis.url };
    const first = await start(environment);
    const key = await newKey();
    await dieWithAllTaken(first, key);
    const { url } = await start(environment);
    await expectExactly({ url, key, limit: SLOTS, simulator });
    console.log(`proof | slots after kill -9, Redis | ${SLOTS} streams | all free after the restart`);
  }, 300_000);

  test('the slots of a killed process are free for other nodes with its leases, and not before', async () => {
    redis ??= await startRedis();
    const environment = { REDIS_URL: redis.url };
    const first = await start(environment);
    const key = await newKey();
    await dieWithAllTaken(first, key);
    other = await makePlace(slotsCatalog(SLOTS), simulator.url);
    const { url } = await start({ ...environment, TOLLGATE_DATA: other.dataDirectory });
    expect(await ask(url, key, 'tokens=2')).toBe(429);
    // Ninety seconds later, as far as the leases can tell.
    for (const leases of await redis.inspect.keys('*:leases')) {
      for (const call of await redis.inspect.zrangebyscore(leases, '-inf', String(Number.MAX_SAFE_INTEGER))) {
        await redis.inspect.zincrby(leases, String(-GATE_LEASE_MS), call);
      }
      // The hash knows when the next lease can be due.
      await redis.inspect.hset(leases.slice(0, -':leases'.length), 'z', '0');
    }
    await expectExactly({ url, key, limit: SLOTS, simulator });
    console.log(`proof | slots after kill -9, Redis | ${SLOTS} streams | free for others with the leases`);
  }, 300_000);
});
