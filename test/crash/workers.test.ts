import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { silentLogger } from '../../src/kernel/log.ts';
import { systemRandom } from '../../src/kernel/random.ts';
import { findLogin } from '../../src/store/accounts/accounts.ts';
import { createKey } from '../../src/store/accounts/api-keys.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { type EmbeddedServer, startEmbedded } from '../../src/store/embedded/server.ts';
import { needs, REDIS } from '../needs.ts';
import {
  makePlace,
  type Place,
  type ServerProcess,
  type SimulatorProcess,
  sleep,
  startServerProcess,
  startSimulatorProcess,
  tollgate,
  until,
} from '../support/processes.ts';
import { startRedis, type TestRedis } from '../support/redis.ts';
import { type Client, call, Load, type Seen, seeded } from './load.ts';
import { codeOf, figure, isIdle, judge } from './outage.ts';
import { CHAT, CRASH_CATALOG } from './shapes.ts';

const WORKERS = 4;
const LIMIT = 10;
const SIZE = { streams: 32, plains: 16, images: 4, paceMs: 40 };
const CATALOG = CRASH_CATALOG.replace(
  '\naccounts:',
  `
  - { id: 2, name: few, concurrency: 1000, windows: [{ dimension: requests, seconds: 3600, limit: ${LIMIT} }] }
nodes: [{ name: local, base_url: "http://127.0.0.1:8080" }]
accounts:`,
);

describe('several workers', needs(REDIS), () => {
  let simulator: SimulatorProcess;
  let redis: TestRedis;
  let place: Place;
  let server: ServerProcess;
  let embedded: EmbeddedServer;
  let database: Database;
  let environment: Record<string, string>;
  let key: string;
  const load = new Load(SIZE, seeded(41));
  const deaths: number[] = [];

  beforeAll(async () => {
    simulator = await startSimulatorProcess();
    redis = await startRedis();
    place = await makePlace(CATALOG, simulator.url);
    const settings = { REDIS_URL: redis.url, TOLLGATE_WORKERS: String(WORKERS), TOLLGATE_LOG_LEVEL: 'debug' };
    environment = { ...place.environment, ...settings };
    server = await startServerProcess(environment);
    embedded = await startEmbedded(place.dataDirectory, silentLogger);
    database = await openDatabase({ connection: embedded.connection, log: silentLogger });
    key = await newKey();
  }, 300_000);

  afterAll(async () => {
    server?.kill('SIGKILL');
    await server?.exited;
    await database?.close();
    await embedded?.stop();
    await redis?.close();
    await simulator?.close();
    await place?.remove();
  });

  const client = (): Client => ({ url: server.url, key });

  async function newKey(policyId?: number): Promise<string> {
    const login = await findLogin(database, 'user@example.com');
    const wanted = { name: 'test', policyId, expiresAtMs: undefined, status: 'enabled' } as const;
    const created = await createKey(database, { ...wanted, accountId: login?.accountId ?? 0 }, systemRandom);
    if (created.kind !== 'created') throw new Error(created.kind);
    return created.text;
  }

  /** Each on a connection of its own, so that the system spreads them. */
  const burst = (with_: string, count: number, name: string): Promise<Seen[]> =>
    Promise.all(
      Array.from({ length: count }, (_, index) =>
        call(
          { ...client(), key: with_ },
          { shape: CHAT, way: 'plain', directive: `tag=${name}${index} tokens=3` },
        ),
      ),
    );

  const linesOf = (pattern: RegExp): string[] =>
    server
      .stdout()
      .split('\n')
      .filter((line) => pattern.test(line));

  const workerOf = (line: string): number => Number(/"worker":(\d+)/.exec(line)?.[1] ?? 0);
  const pidOf = (line: string): number => Number(/"pid":(\d+)/.exec(line)?.[1] ?? 0);

  /** The last process that took this number. */
  const pidOfWorker = (number: number): number =>
    pidOf(linesOf(/worker serves/).findLast((line) => workerOf(line) === number) ?? '');

  async function expectSoundBooks(): Promise<void> {
    await until(() => isIdle(server));
    const deathOf = ({ endedAt }: Seen): number =>
      deaths.findLast((at) => at <= endedAt) ?? Number.POSITIVE_INFINITY;
    const { problems, ...counts } = await judge(database, simulator, load, deathOf);
    expect(problems).toEqual([]);
    expect(counts).toMatchObject({ lost: 0, doubled: 0 });
    const result = `${counts.finished} finished, ${counts.cut} cut, 0 lost, 0 doubled`;
    console.log(`proof | ${WORKERS} workers killed one by one | ${deaths.length} kills | ${result}`);
  }

  test('workers share the calls of one port, and their metrics are summed', async () => {
    const before = await figure(server, 'tollgate_calls_settled_total');
    const seen = await burst(key, 80, 'spread');
    load.seen.push(...seen);
    expect(new Set(seen.map(codeOf))).toEqual(new Set([200]));
    await until(() => isIdle(server));
    const served = new Set(linesOf(/"msg":"call ended"/).map(workerOf));
    expect([...served].sort()).toEqual([1, 2, 3, 4]);
    for (let asked = 0; asked < WORKERS; asked++) {
      expect(await figure(server, 'tollgate_calls_settled_total')).toBe(before + 80);
    }
  }, 300_000);

  test('workers count one limit together, and exactly the limit passes', async () => {
    const seen = await burst(await newKey(2), 100, 'limit');
    const statuses = seen.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(LIMIT);
    expect(statuses.filter((status) => status === 429)).toHaveLength(100 - LIMIT);
    load.seen.push(...seen);
  }, 300_000);

  test('all workers refuse a key from the answer to its revocation on', async () => {
    const args = ['key', 'create', '--account', 'user@example.com', '--name', 'short-lived', '--json'];
    const created = JSON.parse((await tollgate(args, environment)).stdout) as { id: number; api_key: string };
    const before = await burst(created.api_key, 40, 'before');
    expect(new Set(before.map(({ status }) => status))).toEqual(new Set([200]));
    load.seen.push(...before);
    const revoke = ['key', 'revoke', '--account', 'user@example.com', '--id', String(created.id)];
    expect(await tollgate(revoke, environment)).toMatchObject({ code: 0, stderr: '' });
    const after = await burst(created.api_key, 40, 'after');
    expect(new Set(after.map(({ status }) => status))).toEqual(new Set([401]));
  }, 300_000);

  test('workers are reported as one living node', async () => {
    const { stdout } = await tollgate(['nodes', '--json'], environment);
    expect(JSON.parse(stdout)).toMatchObject({ nodes: [{ name: 'local', alive: true, processes: WORKERS }] });
    const inWords = (await tollgate(['nodes'], environment)).stdout;
    const [, row] = inWords.split('\n');
    expect(row).toMatch(/^local +http\S+ +alive +4 +0 +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
  }, 300_000);

  test('workers lose nothing and double nothing when one is killed under load and replaced', async () => {
    load.start(client());
    for (const number of [2, 4]) {
      await sleep(1_500);
      const killed = pidOfWorker(number);
      deaths.push(performance.now());
      process.kill(killed, 'SIGKILL');
      await until(() => ![0, killed].includes(pidOfWorker(number)), 180_000);
      expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
    }
    await sleep(500);
    await load.end();
    expect(load.seen.some(({ broken }) => broken)).toBe(true);
    await expectSoundBooks();
  }, 300_000);

  test('workers end when their supervisor is killed, and fewer of them recover the journals of all', async () => {
    load.start(client());
    await sleep(1_000);
    deaths.push(performance.now());
    server.kill('SIGKILL');
    // The workers hold its output open, so this waits for them too.
    await server.exited;
    await load.end();
    server = await startServerProcess({ ...environment, TOLLGATE_WORKERS: '2' });
    load.start(client());
    await sleep(500);
    await load.end();
    await expectSoundBooks();
    server.kill('SIGTERM');
    expect(await server.exited).toEqual({ code: 0, signal: null });
  }, 300_000);
});
