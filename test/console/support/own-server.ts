import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSimulator } from '../../../sim/server.ts';
import type { Database } from '../../../src/store/database.ts';
import { applyCheaply } from '../../support/catalog-apply.ts';
import { configOf } from '../../support/config.ts';
import { freshDatabase } from '../../support/postgres.ts';
import { makePlace, type ServerProcess, startServerProcess } from '../../support/processes.ts';
import { freePort } from '../../support/servers/free-port.ts';
import { STANDARD_CATALOG } from '../../support/world.ts';

/** A server that a test may kill, start again at the same address, and part from its database. */
export interface OwnServer {
  readonly url: string;
  readonly database: Database;
  kill(): Promise<void>;
  start(): Promise<void>;
  takeDatabase(): void;
  returnDatabase(): void;
  close(): Promise<void>;
}

/** `fill` puts something into the database before the server begins. */
export async function startOwnServer(fill?: (database: Database) => Promise<void>): Promise<OwnServer> {
  const simulator = await startSimulator();
  const fresh = await freshDatabase();
  await fill?.(fresh.database);
  const way = await openWay(fresh.connection);
  const place = await makePlace(STANDARD_CATALOG, simulator.url);
  const environment = {
    ...place.environment,
    ...{ DATABASE_URL: way.connection, TOLLGATE_PORT: String(await freePort()) },
  };
  await applyCheaply(fresh.database, configOf(environment), STANDARD_CATALOG);
  let server: ServerProcess | undefined = await startServerProcess(environment);
  const kill = async (): Promise<void> => {
    server?.kill('SIGKILL');
    await server?.exited;
    server = undefined;
  };
  return {
    url: server.url,
    database: fresh.database,
    kill,
    start: async () => {
      server = await startServerProcess(environment);
    },
    takeDatabase: way.shut,
    returnDatabase: way.open,
    close: async () => {
      await kill();
      await way.close();
      await fresh.drop();
      await simulator.close();
      await place.remove();
    },
  };
}

interface Way {
  readonly connection: string;
  shut(): void;
  open(): void;
  close(): Promise<void>;
}

/** A socket in front of the database. While it is shut, every connection ends. */
async function openWay(connection: string): Promise<Way> {
  const url = new URL(connection);
  const name = `.s.PGSQL.${url.searchParams.get('port')}`;
  const target = join(url.searchParams.get('host') ?? '', name);
  const folder = await mkdtemp(join(tmpdir(), 'w-'));
  const sockets = new Set<Socket>();
  let isShut = false;
  const server = createServer((client) => {
    if (isShut) return void client.on('error', () => {}).destroy();
    const onward = connect(target);
    for (const [one, other] of [
      [client, onward],
      [onward, client],
    ] as const) {
      sockets.add(one);
      one
        .on('error', () => {})
        .on('close', () => {
          sockets.delete(one);
          other.destroy();
        });
      one.pipe(other);
    }
  }).listen(join(folder, name));
  await once(server, 'listening');
  url.searchParams.set('host', folder);
  const end = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    connection: url.href,
    shut: () => {
      isShut = true;
      end();
    },
    open: () => {
      isShut = false;
    },
    close: async () => {
      end();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
