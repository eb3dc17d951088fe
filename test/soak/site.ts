import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { silentLogger } from '../../src/kernel/log.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { type EmbeddedServer, startEmbedded } from '../../src/store/embedded/server.ts';
import { TWO_NODES } from '../crash/shapes.ts';
import { type MortalDatabase, mortalDatabase } from '../crash/trial/mortal-database.ts';
import { PAYERS_CATALOG } from '../crash/trial/payers.ts';
import {
  makePlace,
  type Place,
  type ServerProcess,
  type SimulatorProcess,
  startServerProcess,
  startSimulatorProcess,
} from '../support/processes.ts';
import { startRedis, type TestRedis } from '../support/redis.ts';
import { makeCustomers } from '../upgrade/installation.ts';
import type { Version } from '../upgrade/version-before.ts';
import { type SoakCustomer, variedCustomers } from './customers.ts';

/** Collects and tells what is alive when it is asked. */
const PROBE = `--expose-gc --import=${join(import.meta.dirname, '..', 'allocations', 'heap-probe.ts')}`;

const heapFileOf = ({ folder }: Place, name: NodeName): string => join(folder, `${name}.heap`);

export const NODE_NAMES = ['north', 'south'] as const;
export type NodeName = (typeof NODE_NAMES)[number];

/** Two nodes, what they share, and who calls them. All of it may die, the vendors aside. */
export interface Site {
  readonly simulator: SimulatorProcess;
  readonly redis: TestRedis;
  readonly database: Database;
  readonly mortal: MortalDatabase;
  /** The folder of PostgreSQL, where its process id is. */
  readonly cluster: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly customers: readonly SoakCustomer[];
  /** In the order of their names; one that was started again takes its place. */
  readonly nodes: ServerProcess[];
  startNode(name: NodeName, version: Version): Promise<ServerProcess>;
  /** Where a node writes what is alive in it. */
  heapFile(name: NodeName): string;
  close(): Promise<void>;
}

export async function openSite(random: () => number, version: Version): Promise<Site> {
  const simulator = await startSimulatorProcess();
  const redis = await startRedis();
  const place = await makePlace(PAYERS_CATALOG + TWO_NODES, simulator.url);
  const theirs = join(place.folder, 'theirs');
  await mkdir(theirs, { mode: 0o711 });
  const postgres = await startEmbedded(theirs, silentLogger);
  const environment = {
    ...place.environment,
    TOLLGATE_SECRET: 'one secret for all nodes of the test',
    DATABASE_URL: postgres.connection,
    REDIS_URL: redis.url,
  };
  const startNode: Site['startNode'] = (name, { main, environment: own }) => {
    const data = { TOLLGATE_NODE: name, TOLLGATE_DATA: join(place.folder, name) };
    const probe = { NODE_OPTIONS: PROBE, TEST_HEAP_FILE: heapFileOf(place, name) };
    return startServerProcess({ ...environment, ...data, ...probe, ...own }, main);
  };
  const nodes: ServerProcess[] = [];
  const parts = { simulator, redis, place, postgres, nodes };
  try {
    for (const name of NODE_NAMES) nodes.push(await startNode(name, version));
    const database = await openDatabase({ connection: postgres.connection, log: silentLogger });
    const cluster = join(theirs, 'postgres');
    const customers = variedCustomers(await makeCustomers({ environment }, version), random);
    return {
      ...{ simulator, redis, database, cluster, environment, customers, nodes, startNode },
      heapFile: (name) => heapFileOf(place, name),
      mortal: mortalDatabase(cluster, database, postgres),
      close: async () => {
        await database.close();
        await clear(parts);
      },
    };
  } catch (error) {
    await clear(parts);
    throw error;
  }
}

interface Parts {
  readonly simulator: SimulatorProcess;
  readonly redis: TestRedis;
  readonly place: Place;
  readonly postgres: EmbeddedServer;
  readonly nodes: readonly ServerProcess[];
}

async function clear({ simulator, redis, place, postgres, nodes }: Parts): Promise<void> {
  for (const node of nodes) {
    node.kill('SIGKILL');
    await node.exited;
  }
  await postgres.stop();
  await redis.close();
  await simulator.close();
  await place.remove();
}
