import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { silentLogger } from '../../src/kernel/log.ts';
import type { Database } from '../../src/store/database.ts';
import { migrate, readMigrations } from '../../src/store/migrate.ts';
import { call } from '../crash/load.ts';
import { isIdle, judge } from '../crash/outage.ts';
import { IMAGES, TEXT_SHAPES } from '../crash/shapes.ts';
import { needs, REDIS } from '../needs.ts';
import {
  type ServerProcess,
  type SimulatorProcess,
  startSimulatorProcess,
  until,
} from '../support/processes.ts';
import {
  type Customer,
  command,
  type Installation,
  makeCustomers,
  openInstallation,
} from './installation.ts';
import { listVersions, OLDEST_VERSION, THIS_VERSION, unpackVersion, type Version } from './version-before.ts';

const TOP_UP = ['account', 'top-up', '--account', 'user@example.com', '--credits', '5', '--reason', 'gift'];

type Calls = Awaited<ReturnType<typeof call>>[];

/** Every customer calls by each protocol, and what is on the way is settled before the node ends. */
async function serveCalls(site: Installation, version: Version, customers?: readonly Customer[]) {
  const node = await site.startNode('north', version);
  try {
    const asking = customers ?? (await makeCustomers(site, version));
    const seen = await callAll(node, asking);
    await until(() => isIdle(node));
    return { customers: asking, seen };
  } finally {
    node.kill('SIGTERM');
    await node.exited;
  }
}

function callAll({ url }: ServerProcess, customers: readonly Customer[]): Promise<Calls> {
  const shapes = [...TEXT_SHAPES, IMAGES];
  const made = customers.flatMap((customer) =>
    shapes.map((shape, index) => {
      const way = shape !== IMAGES && index % 2 === 0 ? ('stream' as const) : ('plain' as const);
      const directive = `tag=u${++calls} tokens=9`;
      return call({ ...customer, url }, { shape, way, directive });
    }),
  );
  return Promise.all(made);
}

let calls = 0;

/** Months are partitions, made when they are needed. */
function columnsOf(database: Database): Promise<unknown[]> {
  return database.query(
    `select c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull
     from pg_attribute a join pg_class c on c.oid = a.attrelid
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
       and a.attnum > 0 and not a.attisdropped
     order by c.relname, a.attname`,
  );
}

describe('data of an older version', needs(REDIS, OLDEST_VERSION), () => {
  let simulator: SimulatorProcess;

  beforeAll(async () => {
    simulator = await startSimulatorProcess();
  });
  afterAll(() => simulator?.close());

  test.each(listVersions())('%s opens, and its books agree before and after new calls', async (commit) => {
    const version = await unpackVersion(commit);
    const site = await openInstallation(simulator);
    try {
      const columns = await columnsOf(site.newest);
      const before = await serveCalls(site, version);
      await command(site, version, TOP_UP);
      await migrate({ connection: site.connection, log: silentLogger });
      const applied = await site.database.query<{ checksum: string }>('select checksum from migrations');
      const own = (await readMigrations()).map(({ checksum }) => checksum);
      expect(applied.map(({ checksum }) => checksum).sort()).toEqual(own.sort());
      expect(await columnsOf(site.database)).toEqual(columns);
      const check = async (seen: Calls): Promise<void> => {
        expect(seen.filter(({ status, finished }) => status !== 200 || !finished)).toEqual([]);
        const { problems, ...counts } = await judge(site.database, site.simulator, { seen });
        expect(problems).toEqual([]);
        expect(counts).toMatchObject({ lost: 0, doubled: 0 });
      };
      await check(before.seen);
      const after = await serveCalls(site, THIS_VERSION, before.customers);
      await check([...before.seen, ...after.seen]);
    } finally {
      await site.close();
      await simulator.forget();
      await version.remove();
    }
  });
});
