import { chmod, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFailed, test } from 'vitest';
import { silentLogger } from '../../src/kernel/log.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { type EmbeddedServer, startEmbedded } from '../../src/store/embedded/server.ts';
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
import { Load, type Seen, seeded } from './load.ts';
import { ask, codeOf, figure, isIdle, judge } from './outage.ts';
import { CRASH_CATALOG } from './shapes.ts';
import { keyOf, openScene, type Scene } from './trial/scene.ts';

const SIZE = { streams: 12, plains: 8, images: 2, paceMs: 40 };
/** Longer than every timeout of ours. */
const AWAY_MS = Number(process.env.TEST_AWAY_MS ?? 20_000);
/** Of the embedded database, under load. */
const KILLS = Number(process.env.TEST_DATABASE_KILLS ?? 3);

describe('an external PostgreSQL that is away', () => {
  let simulator: SimulatorProcess;
  let place: Place;
  let postgres: EmbeddedServer;
  let server: ServerProcess;
  let database: Database;
  let known: string;
  let cold: string;

  const startPostgres = async (): Promise<EmbeddedServer> =>
    startEmbedded(join(place.folder, 'theirs'), silentLogger);

  beforeAll(async () => {
    simulator = await startSimulatorProcess();
    place = await makePlace(CRASH_CATALOG, simulator.url);
    postgres = await startPostgres();
    await chmod(join(place.folder, 'theirs'), 0o711);
    server = await startServerProcess({ ...place.environment, DATABASE_URL: postgres.connection });
    database = await openDatabase({ connection: postgres.connection, log: silentLogger });
    known = await keyOf(database, 'user@example.com');
    cold = await keyOf(database, 'user@example.com');
  }, 300_000);

  afterAll(async () => {
    server?.kill('SIGKILL');
    await server?.exited;
    await database?.close();
    await postgres?.stop();
    await simulator?.close();
    await place?.remove();
  });

  test(
    'stops no known caller, refuses unknown ones, and gets every charge when it is back',
    async () => {
      const load = new Load(SIZE, seeded(7));
      const client = { url: server.url, key: known };
      expect((await ask(client, load)).status).toBe(200);
      load.start(client);
      await sleep(500);
      await postgres.stop();
      const awayFrom = performance.now();
      const refused: Seen[] = [];
      let lagMax = 0;
      while (performance.now() - awayFrom < AWAY_MS) {
        refused.push(await ask({ ...client, key: cold }, load));
        expect((await ask(client, load)).status).toBe(200);
        lagMax = Math.max(lagMax, await figure(server, 'tollgate_journal_lag_calls'));
        await sleep(200);
      }
      expect(new Set(refused.map(codeOf))).toEqual(new Set([50_301]));
      for (const { retryAfter } of refused) expect(Number(retryAfter)).toBeGreaterThanOrEqual(1);
      expect(lagMax).toBeGreaterThan(20);
      expect(await figure(server, 'tollgate_journal_bytes')).toBeLessThan(64 * 1024 * 1024);
      expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
      await until(async () => (await figure(server, 'tollgate_database_up')) === 0);

      postgres = await startPostgres();
      await until(async () => (await ask({ ...client, key: cold }, load)).status === 200);
      await until(async () => (await figure(server, 'tollgate_database_up')) === 1);
      await load.end();
      expect(load.seen.filter(({ broken }) => broken)).toEqual([]);
      await until(() => isIdle(server));
      const { problems, ...counts } = await judge(database, simulator, load);
      const result = `${counts.finished} served, ${refused.length} of others refused, lag up to ${lagMax}, 0 lost`;
      console.log(`proof | PostgreSQL away under load | ${AWAY_MS / 1000} s | ${result}`);
      expect(problems).toEqual([]);
      expect(counts).toMatchObject({ lost: 0, doubled: 0, cut: 0 });
      expect(counts.finished).toBeGreaterThan(100);
    },
    AWAY_MS + 300_000,
  );
});

describe('the embedded database', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene();
  }, 300_000);
  afterAll(() => scene?.close());
  beforeEach(() => onTestFailed(async () => console.log(await lastWords(scene))));

  test(
    'that is killed under load is restarted by the server, without failed calls',
    async () => {
      const load = new Load(SIZE, seeded(8));
      load.start({ url: scene.server.url, key: scene.key });
      // Whom the server does not know yet it cannot serve without its database.
      await until(() => load.seen.length > 0);
      for (let kill = 0; kill < KILLS; kill++) {
        await sleep(1_000);
        await scene.killDatabase();
        await scene.databaseBack();
      }
      await sleep(500);
      await load.end();
      expect(load.seen.filter(({ status }) => status !== 200)).toEqual([]);
      await scene.settled();
      const { problems, ...counts } = await judge(scene.database, scene.simulator, load);
      expect(problems).toEqual([]);
      expect(counts).toMatchObject({ lost: 0, doubled: 0, cut: 0 });
      expect(counts.finished).toBeGreaterThan(50);
      const result = `${counts.finished} served, nobody noticed`;
      console.log(`proof | embedded PostgreSQL killed | ${KILLS} kills | ${result}`);
    },
    300_000 + KILLS * 10_000,
  );

  test('that dies together with the server loses nothing and doubles nothing', async () => {
    const load = new Load(SIZE, seeded(9));
    load.start({ url: scene.server.url, key: scene.key });
    await sleep(1_500);
    const diedAt = performance.now();
    await scene.killDatabase();
    scene.server.kill('SIGKILL');
    await scene.server.exited;
    await load.end();
    await scene.start();
    await scene.databaseBack();
    const truth = await scene.simulator.truth();
    const tags = new Set(load.seen.map(({ tag }) => tag));
    expect(truth.filter(({ tag }) => tags.has(tag ?? '')).length).toBeGreaterThan(0);
    const { problems } = await judge(scene.database, scene.simulator, load, () => diedAt);
    // The first test's calls are at the vendor and in the books as well.
    expect(problems.filter((problem) => !/^\d+ (?:rows|calls at the vendor)/.test(problem))).toEqual([]);
  }, 300_000);
});

/** Of the server and of its database. */
async function lastWords({ server, place }: Scene): Promise<string> {
  const log = await readFile(join(place.dataDirectory, 'postgres', 'server.log'), 'utf8').catch(String);
  return [server.stdout(), server.stderr(), log].map((text) => text.slice(-4_000)).join('\n---\n');
}
