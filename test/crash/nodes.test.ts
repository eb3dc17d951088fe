import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { silentLogger } from '../../src/kernel/log.ts';
import { systemRandom } from '../../src/kernel/random.ts';
import { findLogin, updateAccount } from '../../src/store/accounts/accounts.ts';
import { createKey, deleteKeys } from '../../src/store/accounts/api-keys.ts';
import { announceAndWait } from '../../src/store/changes.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { type EmbeddedServer, startEmbedded } from '../../src/store/embedded/server.ts';
import { loadLiveNodes } from '../../src/store/operations/heartbeats.ts';
import { needs, REDIS } from '../needs.ts';
import {
  makePlace,
  type Place,
  type ServerProcess,
  type SimulatorProcess,
  sleep,
  startServerProcess,
  startSimulatorProcess,
  until,
} from '../support/processes.ts';
import { startRedis, type TestRedis } from '../support/redis.ts';
import { call, Load, type Seen, seeded } from './load.ts';
import { codeOf, isIdle, judge } from './outage.ts';
import { CHAT, CRASH_CATALOG, TWO_NODES } from './shapes.ts';

const SIZE = { streams: 10, plains: 5, images: 1, paceMs: 40 };
const NAMES = ['north', 'south'] as const;
const CATALOG = CRASH_CATALOG + TWO_NODES;
/** Connections that listen to notices hold a lock of this name for each channel. */
const LISTENERS = `select distinct pid from pg_locks where locktype = 'advisory' and classid = 741451 and granted`;

describe('two nodes', needs(REDIS), () => {
  let simulator: SimulatorProcess;
  let redis: TestRedis;
  let place: Place;
  let postgres: EmbeddedServer;
  let database: Database;
  let accountId: number;
  const nodes: ServerProcess[] = [];
  const listeners: number[] = [];
  const load = new Load(SIZE, seeded(91));

  const start = (name: string): Promise<ServerProcess> =>
    startServerProcess({
      ...place.environment,
      TOLLGATE_NODE: name,
      TOLLGATE_DATA: join(place.folder, name),
      TOLLGATE_SECRET: 'one secret for all nodes of the test',
      DATABASE_URL: postgres.connection,
      REDIS_URL: redis.url,
    });

  const listening = async (): Promise<number[]> =>
    (await database.query<{ pid: number }>(LISTENERS)).map(({ pid }) => pid);

  beforeAll(async () => {
    simulator = await startSimulatorProcess();
    redis = await startRedis();
    place = await makePlace(CATALOG, simulator.url);
    await mkdir(join(place.folder, 'theirs'), { mode: 0o711 });
    postgres = await startEmbedded(join(place.folder, 'theirs'), silentLogger);
    database = await openDatabase({ connection: postgres.connection, log: silentLogger });
    for (const name of NAMES) {
      nodes.push(await start(name));
      listeners.push((await listening()).find((pid) => !listeners.includes(pid)) ?? 0);
    }
    accountId = (await findLogin(database, 'user@example.com'))?.accountId ?? 0;
  }, 300_000);

  afterAll(async () => {
    for (const node of nodes) {
      node.kill('SIGKILL');
      await node.exited;
    }
    await database?.close();
    await postgres?.stop();
    await redis?.close();
    await simulator?.close();
    await place?.remove();
  });

  async function newKey(): Promise<{ readonly id: number; readonly text: string }> {
    const wanted = { accountId, name: 'test', policyId: undefined, expiresAtMs: undefined } as const;
    const created = await createKey(database, { ...wanted, status: 'enabled' }, systemRandom);
    if (created.kind !== 'created') throw new Error(created.kind);
    return { id: created.key.id, text: created.text };
  }

  let asked = 0;

  async function ask(index: number, key: string): Promise<Seen> {
    const url = nodes[index]?.url ?? '';
    const directive = `tag=n${++asked} tokens=3`;
    const seen = await call({ url, key }, { shape: CHAT, way: 'plain', directive });
    load.seen.push(seen);
    return seen;
  }

  test('two nodes are both reported alive', async () => {
    await until(async () => (await loadLiveNodes(database)).every(({ alive }) => alive));
    expect(await loadLiveNodes(database)).toMatchObject(
      NAMES.map((name) => ({ name, alive: true, workers: 1 })),
    );
  });

  test('both nodes refuse what was revoked, from the answer to the revocation on', async () => {
    for (let round = 0; round < 5; round++) {
      const key = await newKey();
      for (const index of [0, 1]) expect((await ask(index, key.text)).status).toBe(200);
      await deleteKeys(database, accountId, [key.id]);
      expect(await announceAndWait(database, 60_000)).toBe('in-force');
      for (const index of [0, 1]) expect((await ask(index, key.text)).status).toBe(401);
    }
    const { text } = await newKey();
    for (const index of [0, 1]) expect((await ask(index, text)).status).toBe(200);
    await updateAccount(database, accountId, { apiBilling: false });
    await announceAndWait(database);
    for (const index of [0, 1]) expect(codeOf(await ask(index, text))).toBe(40_202);
    await updateAccount(database, accountId, { apiBilling: true });
    await announceAndWait(database);
    for (const index of [0, 1]) expect((await ask(index, text)).status).toBe(200);
  }, 300_000);

  test('a node that has just lost its notices is stopped by the version in Redis', async () => {
    for (let round = 0; round < 5; round++) {
      const key = await newKey();
      expect((await ask(1, key.text)).status).toBe(200);
      // Its ear is cut off in the transaction that takes the key away: the notice never reaches it.
      await database.transaction(async (transaction) => {
        await transaction.query('select pg_terminate_backend($1, 1000)', [listeners[1]]);
        await deleteKeys(transaction, accountId, [key.id]);
      });
      expect(await announceAndWait(database, 60_000)).toBe('in-force');
      expect((await ask(1, key.text)).status).toBe(401);
      await until(async () => (await listening()).length === 2);
      listeners[1] = (await listening()).find((pid) => pid !== listeners[0]) ?? 0;
    }
  }, 300_000);

  test('a node serves on while the other dies under load, and the other returns and settles what it owed', async () => {
    const { text: key } = await newKey();
    const [first, second] = nodes;
    if (first === undefined || second === undefined) throw new Error('two nodes run');
    const other = new Load(SIZE, seeded(92), 'other');
    load.start({ url: first.url, key });
    other.start({ url: second.url, key });
    await sleep(1_500);
    const diedAt = performance.now();
    first.kill('SIGKILL');
    await first.exited;
    await load.end();
    await sleep(500);
    nodes[0] = await start(NAMES[0]);
    await other.end();
    expect(other.seen.filter(({ status, broken }) => status !== 200 || broken)).toEqual([]);
    await until(async () => (await Promise.all(nodes.map((node) => isIdle(node)))).every(Boolean));
    load.seen.push(...other.seen);
    const { problems, ...counts } = await judge(database, simulator, load, () => diedAt);
    expect(problems).toEqual([]);
    expect(counts).toMatchObject({ lost: 0, doubled: 0 });
    const result = `${counts.finished} finished, ${counts.cut} cut, 0 lost, 0 doubled`;
    console.log(`proof | one of two nodes killed | ${counts.calls} calls | ${result}`);
  }, 300_000);
});
