import { join } from 'node:path';
import { silentLogger } from '../../src/kernel/log.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import type { Client } from '../crash/load.ts';
import { TWO_NODES } from '../crash/shapes.ts';
import { PAYERS_CATALOG } from '../crash/trial/payers.ts';
import { freshDatabase } from '../support/postgres.ts';
import {
  makePlace,
  type Place,
  type ServerProcess,
  type SimulatorProcess,
  startServerProcess,
  startSimulatorProcess,
} from '../support/processes.ts';
import { startRedis, type TestRedis } from '../support/redis.ts';
import { runCommandOf, type Version } from './version-before.ts';

/** What nodes of any version share: vendors, PostgreSQL, Redis, a catalogue, a secret. */
export interface Installation {
  readonly simulator: SimulatorProcess;
  readonly redis: TestRedis;
  readonly place: Place;
  readonly connection: string;
  readonly database: Database;
  /** Another database on the same server, in the form of this version. */
  readonly newest: Database;
  readonly environment: Readonly<Record<string, string>>;
  /** A node keeps its data directory whichever version it has. */
  startNode(name: string, version: Version): Promise<ServerProcess>;
  close(): Promise<void>;
}

/** Its database is empty: the first node brings it into the form of its version. */
export async function openInstallation(shared?: SimulatorProcess): Promise<Installation> {
  const simulator = shared ?? (await startSimulatorProcess());
  const redis = await startRedis();
  const place = await makePlace(PAYERS_CATALOG + TWO_NODES, simulator.url);
  const server = await freshDatabase();
  const url = new URL(server.connection);
  const name = `${url.pathname.slice(1)}_installation`;
  await server.database.query(`create database ${name}`);
  url.pathname = `/${name}`;
  const database = await openDatabase({ connection: url.href, log: silentLogger });
  const environment = {
    ...place.environment,
    TOLLGATE_SECRET: 'one secret for all nodes of the test',
    DATABASE_URL: url.href,
    REDIS_URL: redis.url,
  };
  return {
    simulator,
    redis,
    place,
    connection: url.href,
    database,
    newest: server.database,
    environment,
    startNode: (node, { main, environment: own }) => {
      const data = { TOLLGATE_NODE: node, TOLLGATE_DATA: join(place.folder, node) };
      return startServerProcess({ ...environment, ...data, ...own }, main);
    },
    close: async () => {
      await database.close();
      await server.database.query(`drop database ${name} with (force)`);
      await server.drop();
      await redis.close();
      if (shared === undefined) await simulator.close();
      await place.remove();
    },
  };
}

export type Customer = Omit<Client, 'url'>;

/** A command that must succeed; answers what it printed. */
export async function command(
  { environment }: Pick<Installation, 'environment'>,
  version: Version,
  args: readonly string[],
  input?: string,
): Promise<string> {
  const { code, stdout, stderr } = await runCommandOf(version, args, environment, input);
  if (code !== 0) throw new Error(`tollgate ${args.join(' ')}: exit code ${code}\n${stdout}\n${stderr}`);
  return stdout.trim();
}

const CUSTOMERS = [
  { email: 'user@example.com', payer: 'credits' },
  { email: 'plan@example.com', payer: 'subscription' },
  { email: 'own@example.com', payer: 'byok' },
] as const;

/** An account for each payer with a key of its own, made at the terminal of a version. */
export async function makeCustomers(
  site: Pick<Installation, 'environment'>,
  version: Version,
): Promise<readonly Customer[]> {
  const credentials = ['openai', 'anthropic', 'google'].map((vendor) => {
    const args = ['credential', 'add', '--account', 'own@example.com', '--vendor', vendor, '--name', vendor];
    return command(site, version, args, `sk-sim-${vendor}-own`);
  });
  const customers = CUSTOMERS.map(async ({ email, payer }) => {
    const key = await command(site, version, ['key', 'create', '--account', email, '--name', 'test']);
    return { key, payer };
  });
  const [made] = await Promise.all([Promise.all(customers), Promise.all(credentials)]);
  return made;
}
