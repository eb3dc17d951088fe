import { silentLogger } from '../../src/kernel/log.ts';
import { systemRandom } from '../../src/kernel/random.ts';
import { findLogin } from '../../src/store/accounts.ts';
import { createKey } from '../../src/store/api-keys.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { startEmbedded } from '../../src/store/embedded.ts';
import {
  makePlace,
  type Place,
  type ServerProcess,
  type SimulatorProcess,
  startServerProcess,
  startSimulatorProcess,
  until,
} from '../support/processes.ts';
import { CRASH_CATALOG } from './shapes.ts';

/** A vendor, a data directory with its embedded database, and a server that may die at any time. */
export interface Scene {
  readonly simulator: SimulatorProcess;
  readonly place: Place;
  readonly database: Database;
  readonly key: string;
  /** The server that runs now; `start` begins the next one on the same data directory. */
  readonly server: ServerProcess;
  start(faults?: Readonly<Record<string, string>>): Promise<ServerProcess>;
  /** Waits until the server has no call and the store has all that ended. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

export async function openScene(environment: Readonly<Record<string, string>> = {}): Promise<Scene> {
  const simulator = await startSimulatorProcess();
  const place = await makePlace(CRASH_CATALOG, simulator.url);
  const start: Scene['start'] = (faults = {}) =>
    startServerProcess({ ...place.environment, ...environment, ...faults });
  let server = await start().catch(async (error: unknown) => {
    await simulator.close();
    await place.remove();
    throw error;
  });
  // The first server made the database; we are a second user of it, as the command line would be.
  const embedded = await startEmbedded(place.dataDirectory, silentLogger);
  const database = await openDatabase({ connection: embedded.connection, log: silentLogger });
  const key = await keyOf(database, 'user@example.com');
  return {
    simulator,
    place,
    database,
    key,
    get server() {
      return server;
    },
    start: async (faults) => {
      server = await start(faults);
      return server;
    },
    settled: () => until(() => isIdle(server.url), 30_000),
    close: async () => {
      server.kill('SIGKILL');
      await server.exited;
      await database.close();
      await embedded.stop();
      await simulator.close();
      await place.remove();
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

async function isIdle(url: string): Promise<boolean> {
  const figures = await (await fetch(`${url}/metrics`)).text();
  return /^tollgate_active_calls 0$/m.test(figures) && /^tollgate_journal_lag_calls 0$/m.test(figures);
}
