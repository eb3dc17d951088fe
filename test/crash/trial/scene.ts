import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { silentLogger } from '../../../src/kernel/log.ts';
import { systemRandom } from '../../../src/kernel/random.ts';
import { findLogin } from '../../../src/store/accounts/accounts.ts';
import { createKey } from '../../../src/store/accounts/api-keys.ts';
import { type Database, openDatabase } from '../../../src/store/database.ts';
import { type EmbeddedServer, startEmbedded } from '../../../src/store/embedded/server.ts';
import {
  makePlace,
  type Place,
  type ServerProcess,
  type SimulatorProcess,
  startServerProcess,
  startSimulatorProcess,
  until,
} from '../../support/processes.ts';
import { startRedis, type TestRedis } from '../../support/redis.ts';
import { CRASH_CATALOG } from '../shapes.ts';
import { mortalDatabase } from './mortal-database.ts';

export interface SceneOptions {
  readonly environment?: Readonly<Record<string, string>>;
  readonly catalog?: string;
  /** `external`: a PostgreSQL that is none of the server's business. */
  readonly store?: 'embedded' | 'external';
  readonly gate?: 'memory' | 'redis';
}

/** A vendor, a data directory, a database, perhaps Redis, and a server that may die at any time. */
export interface Scene {
  readonly simulator: SimulatorProcess;
  readonly place: Place;
  readonly environment: Readonly<Record<string, string>>;
  readonly database: Database;
  readonly redis: TestRedis | undefined;
  readonly key: string;
  /** The server that runs now; `start` begins the next one on the same data directory. */
  readonly server: ServerProcess;
  start(faults?: Readonly<Record<string, string>>): Promise<ServerProcess>;
  /** Waits until the server has no call and the store has all that ended. */
  settled(): Promise<void>;
  /** SIGKILL for the database. */
  killDatabase(): Promise<void>;
  /** Brings an external one back; waits for whoever brings an embedded one back. */
  databaseBack(): Promise<void>;
  close(): Promise<void>;
}

/** What stands around the server, in the order in which it was begun. */
interface Stage {
  readonly simulator: SimulatorProcess;
  readonly place: Place;
  readonly redis: TestRedis | undefined;
  readonly postgres: EmbeddedServer | undefined;
  readonly environment: Readonly<Record<string, string>>;
}

async function setStage(options: SceneOptions): Promise<Stage> {
  const simulator = await startSimulatorProcess();
  const place = await makePlace(options.catalog ?? CRASH_CATALOG, simulator.url);
  const redis = options.gate === 'redis' ? await startRedis() : undefined;
  const external = options.store === 'external';
  if (external) await mkdir(theirs(place), { mode: 0o711 });
  const postgres = external ? await startEmbedded(theirs(place), silentLogger) : undefined;
  const environment = {
    ...place.environment,
    ...options.environment,
    ...(redis === undefined ? {} : { REDIS_URL: redis.url }),
    ...(postgres === undefined ? {} : { DATABASE_URL: postgres.connection }),
  };
  return { simulator, place, redis, postgres, environment };
}

const theirs = ({ folder }: Place): string => join(folder, 'theirs');

async function clear({ simulator, place, redis, postgres }: Stage): Promise<void> {
  await postgres?.stop();
  await redis?.close();
  await simulator.close();
  await place.remove();
}

export async function openScene(options: SceneOptions = {}): Promise<Scene> {
  const stage = await setStage(options);
  const { simulator, place, redis, postgres, environment } = stage;
  const start: Scene['start'] = (faults = {}) => startServerProcess({ ...environment, ...faults });
  let server = await start().catch(async (error: unknown) => {
    await clear(stage);
    throw error;
  });
  // The first server made the database; we are a second user of it, as the command line would be.
  const used = postgres ?? (await startEmbedded(place.dataDirectory, silentLogger));
  const database = await openDatabase({ connection: used.connection, log: silentLogger });
  const key = await keyOf(database, 'user@example.com');
  const cluster = join(postgres === undefined ? place.dataDirectory : theirs(place), 'postgres');
  const mortal = mortalDatabase(cluster, database, postgres);
  return {
    simulator,
    place,
    environment,
    database,
    redis,
    key,
    get server() {
      return server;
    },
    start: async (faults) => {
      server = await start(faults);
      return server;
    },
    settled: () => until(() => isIdle(server.opsUrl)),
    killDatabase: mortal.kill,
    databaseBack: mortal.back,
    close: async () => {
      server.kill('SIGKILL');
      await server.exited;
      await database.close();
      if (postgres === undefined) await used.stop();
      await clear(stage);
    },
  };
}

export async function keyOf(database: Database, email: string): Promise<string> {
  const login = await findLogin(database, email);
  if (login === undefined) throw new Error(`no account ${email}`);
  const created = await createKey(
    database,
    {
      accountId: login.accountId,
      name: 'test',
      policyId: undefined,
      expiresAtMs: undefined,
      status: 'enabled',
    },
    systemRandom,
  );
  if (created.kind !== 'created') throw new Error(created.kind);
  return created.text;
}

async function isIdle(opsUrl: string): Promise<boolean> {
  const figures = await (await fetch(`${opsUrl}/metrics`)).text();
  return /^tollgate_active_calls 0$/m.test(figures) && /^tollgate_journal_lag_calls 0$/m.test(figures);
}
