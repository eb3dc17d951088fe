import { join } from 'node:path';
import { type Simulator, startSimulator } from '../../sim/server.ts';
import type { Database } from '../../src/store/database.ts';
import { isIdle, type Reader } from '../crash/outage.ts';
import { freshDatabase } from '../support/postgres.ts';
import { makePlace, type ServerProcess, startServerProcess, until } from '../support/processes.ts';
import { startRedis } from '../support/redis.ts';
import { startWorld } from '../support/world.ts';
import { RACE_CATALOG } from './catalog.ts';

/** One address of Tollgate. */
export interface Target {
  readonly url: string;
}

/** What calls race against: one process of Tollgate or four on one database, and vendors that count. */
export interface Arena {
  readonly name: string;
  readonly simulator: Simulator;
  readonly database: Database;
  readonly targets: readonly (Target & Reader)[];
  /** The processes take turns. */
  at(index: number): Target;
  /** Waits until no call runs and all that ended are in the store. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

export const ARENAS = {
  memory: () => openSingle('memory, 1 process', {}),
  redis: () => openWithRedis((url) => openSingle('Redis, 1 process', { REDIS_URL: url })),
  processes: () => openWithRedis(openProcesses),
} as const;

type Parts = Omit<Arena, 'at' | 'settled'>;

const SETTLED_MS = 60_000;

function arenaOf(parts: Parts): Arena {
  const { targets } = parts;
  return {
    ...parts,
    at: (index) => {
      const target = targets[index % targets.length];
      if (target === undefined) throw new Error('an arena has a process');
      return target;
    },
    settled: () => until(async () => (await Promise.all(targets.map(isIdle))).every(Boolean), SETTLED_MS),
  };
}

async function openSingle(name: string, environment: Record<string, string>): Promise<Arena> {
  const world = await startWorld({ catalog: RACE_CATALOG, environment });
  const { simulator, database, url } = world;
  const { opsUrl } = world.tollgate;
  return arenaOf({ name, simulator, database, targets: [{ url, opsUrl }], close: () => world.close() });
}

async function openWithRedis(open: (url: string) => Promise<Arena>): Promise<Arena> {
  const redis = await startRedis();
  const arena = await open(redis.url).catch(async (error: unknown) => {
    await redis.close();
    throw error;
  });
  return {
    ...arena,
    close: async () => {
      await arena.close();
      await redis.close();
    },
  };
}

const PROCESSES = 4;

async function openProcesses(redisUrl: string): Promise<Arena> {
  const simulator = await startSimulator();
  const fresh = await freshDatabase();
  const place = await makePlace(RACE_CATALOG, simulator.url);
  const servers: ServerProcess[] = [];
  const start = async (_: unknown, index: number): Promise<void> => {
    const own = { TOLLGATE_NODE: `node-${index}`, TOLLGATE_DATA: join(place.folder, `node-${index}`) };
    const shared = { DATABASE_URL: fresh.connection, REDIS_URL: redisUrl };
    const secret = { TOLLGATE_SECRET: 'one secret for all nodes of the test' };
    servers.push(await startServerProcess({ ...place.environment, ...own, ...shared, ...secret }));
  };
  const close = async (): Promise<void> => {
    for (const server of servers) server.kill('SIGKILL');
    await Promise.all(servers.map(({ exited }) => exited));
    await simulator.close();
    await fresh.drop();
    await place.remove();
  };
  try {
    // The first brings the catalogue into the database.
    await start(undefined, 0);
    await Promise.all(Array.from({ length: PROCESSES - 1 }, (_, index) => start(_, index + 1)));
  } catch (error) {
    await close();
    throw error;
  }
  const name = `Redis, ${PROCESSES} processes`;
  return arenaOf({ name, simulator, database: fresh.database, targets: servers, close });
}
