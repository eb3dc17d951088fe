import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { silentLogger } from '../../src/kernel/log.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { type EmbeddedServer, startEmbedded } from '../../src/store/embedded/server.ts';
import { needs, REDIS } from '../needs.ts';
import {
  makePlace,
  type Place,
  type ServerProcess,
  type SimulatorProcess,
  sleep,
  startProgram,
  startServerProcess,
  startSimulatorProcess,
  TOLLGATE,
  until,
  untilSaid,
} from '../support/processes.ts';
import { startRedis, type TestRedis } from '../support/redis.ts';
import { type Client, call, Load, seeded } from './load.ts';
import { ask, codeOf, figure, isIdle, judge } from './outage.ts';
import { CHAT, CRASH_CATALOG } from './shapes.ts';
import { keyOf } from './trial/scene.ts';

/** The promise is five seconds; beside other tests it is only asked that it comes back by itself. */
const BACK_MS = process.env.TEST_AWAY_MS === undefined ? 30_000 : 5_000;
const KILLS = Number(process.env.TEST_REDIS_KILLS ?? 3);
const SIZE = { streams: 10, plains: 6, images: 1, paceMs: 40 };

describe('Redis away', needs(REDIS), () => {
  let simulator: SimulatorProcess;
  let redis: TestRedis;
  let place: Place;
  let server: ServerProcess;
  let embedded: EmbeddedServer;
  let database: Database;
  let client: Client;
  const load = new Load(SIZE, seeded(77));
  let slowestMs = 0;
  let finished = 0;

  beforeAll(async () => {
    simulator = await startSimulatorProcess();
    redis = await startRedis();
    place = await makePlace(CRASH_CATALOG, simulator.url);
    server = await startServerProcess({ ...place.environment, REDIS_URL: redis.url });
    embedded = await startEmbedded(place.dataDirectory, silentLogger);
    database = await openDatabase({ connection: embedded.connection, log: silentLogger });
    client = { url: server.url, key: await keyOf(database, 'user@example.com') };
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

  const readiness = async (): Promise<{ status: number; text: string }> => {
    const answer = await fetch(`${server.url}/readyz`);
    return { status: answer.status, text: await answer.text() };
  };

  /** Nothing enters, everybody hears when to come again, and a load balancer is told. */
  async function expectClosed(forMs: number): Promise<void> {
    const until_ = performance.now() + forMs;
    while (performance.now() < until_) {
      const refused = await ask(client, load);
      expect(codeOf(refused)).toBe(50_301);
      expect(Number(refused.retryAfter)).toBeGreaterThanOrEqual(1);
      await sleep(100);
    }
    expect(await readiness()).toEqual({
      status: 503,
      text: 'Redis does not answer or takes no writes, so limits cannot be counted\n',
    });
    expect(await figure(server, 'tollgate_redis_up')).toBe(0);
  }

  async function expectBack(): Promise<void> {
    const from = performance.now();
    await until(async () => (await ask(client, load)).status === 200);
    const tookMs = performance.now() - from;
    slowestMs = Math.max(slowestMs, Math.round(tookMs));
    expect(tookMs).toBeLessThan(BACK_MS);
    await until(async () => (await readiness()).status === 200, BACK_MS);
  }

  async function expectSoundBooks(): Promise<void> {
    await until(() => isIdle(server));
    await until(async () => (await figure(server, 'tollgate_gate_queue')) === 0);
    const { problems, ...counts } = await judge(database, simulator, load);
    expect(problems).toEqual([]);
    expect(counts).toMatchObject({ lost: 0, doubled: 0, cut: 0 });
    finished = counts.finished;
  }

  test('a Redis that is away closes the gate, lets running streams end, and is used within five seconds of its return', async () => {
    expect((await ask(client, load)).status).toBe(200);
    load.start(client);
    await sleep(1_000);
    await redis.kill();
    await expectClosed(4_000);
    await redis.restart();
    await expectBack();
    await sleep(1_000);
    await load.end();
    expect(load.seen.filter(({ broken }) => broken)).toEqual([]);
    await expectSoundBooks();
  }, 300_000);

  test('overruns of holds during the outage are paid, because the account has the Credits', async () => {
    const ways = ['plain', 'stream'] as const;
    const running = ways.map((way) =>
      call(client, {
        shape: CHAT,
        way,
        directive: `tag=beyond-${way} tokens=1500 chunk=50 unbounded delay=1500`,
      }),
    );
    await until(
      async () => (await simulator.truth()).filter(({ tag }) => tag.startsWith('beyond-')).length === 2,
    );
    await redis.kill();
    const seen = await Promise.all(running);
    load.seen.push(...seen);
    expect(seen.map(({ status }) => status)).toEqual([200, 200]);
    const rows = () =>
      database.query<{ short: bigint; beyond: bigint }>(
        `select s.shortfall_micro as short, c.charge_micro - c.held_micro as beyond
         from consumptions s join calls c using (created_at, call_id) where c.charge_micro > c.held_micro`,
      );
    await until(async () => (await rows()).length === 2, 60_000);
    expect((await rows()).map(({ short }) => short)).toEqual([0n, 0n]);
    await redis.restart();
    await expectBack();
    await expectSoundBooks();
  }, 300_000);

  test('a frozen Redis is treated like one that is away', async () => {
    load.start(client);
    await sleep(500);
    redis.freeze();
    await sleep(1_200);
    await expectClosed(2_000);
    redis.thaw();
    await expectBack();
    await load.end();
    await expectSoundBooks();
  }, 300_000);

  test(
    'Redis is used again each time after it is killed, at any moment',
    async () => {
      load.start(client);
      for (let kill = 0; kill < KILLS; kill++) {
        await sleep(200 + 37 * (kill % 20));
        await redis.kill();
        await sleep(53 * (kill % 7));
        await redis.restart();
        await expectBack();
      }
      await load.end();
      expect(load.seen.filter(({ broken }) => broken)).toEqual([]);
      await expectSoundBooks();
      console.log(`proof | Redis killed under load | ${KILLS} kills | ${finished} served, 0 lost`);
    },
    300_000 + KILLS * 10_000,
  );

  test('a server that starts without Redis reports why it is not ready, and serves when Redis comes', async () => {
    server.kill('SIGTERM');
    await server.exited;
    await redis.kill();
    const program = startProgram([TOLLGATE, 'serve'], {
      ...place.environment,
      REDIS_URL: redis.url,
    });
    const url = await untilSaid(program, /"url":"(http:[^"]+)","msg":"tollgate serves"/);
    const opsUrl = await untilSaid(program, /"ops":"(http:[^"]+)"/);
    server = { ...program, url, opsUrl, readyMs: 0 };
    client = { ...client, url };
    await expectClosed(500);
    await redis.restart();
    await expectBack();
    await expectSoundBooks();
    const result = `${finished} served, 0 lost, back within ${slowestMs} ms`;
    console.log(`proof | Redis away under load | killed, frozen, absent at the start | ${result}`);
  }, 300_000);
});
