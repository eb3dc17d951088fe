import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { silentLogger } from '../../src/kernel/log.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { type EmbeddedServer, startEmbedded } from '../../src/store/embedded.ts';
import { migrate } from '../../src/store/migrate.ts';

export interface FreshDatabase {
  readonly database: Database;
  /** A PostgreSQL URL, for processes and pools of the test's own. */
  readonly connection: string;
  drop(): Promise<void>;
}

interface TestServer {
  readonly server: EmbeddedServer;
  readonly admin: Database;
  readonly folder: string;
  count: number;
}

const TEMPLATE = 'template_tollgate';
let starting: Promise<TestServer> | undefined;

/** A migrated database of the caller's own, on a real server that starts at first use in this process. */
export async function freshDatabase(): Promise<FreshDatabase> {
  starting ??= startServer();
  const test = await starting;
  const name = `test_${++test.count}`;
  await test.admin.query(`create database ${name} template ${TEMPLATE}`);
  const connection = withName(test.server.connection, name);
  const database = await openDatabase({ connection, log: silentLogger });
  return {
    database,
    connection,
    drop: async () => {
      await database.close();
      await test.admin.query(`drop database if exists ${name} with (force)`);
    },
  };
}

async function startServer(): Promise<TestServer> {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-test-'));
  const server = await startEmbedded(folder, silentLogger);
  const admin = await openDatabase({ connection: server.connection, log: silentLogger, connectionsMax: 2 });
  // What survives a power loss is tested elsewhere; here it would only cost time.
  await admin.query('alter system set fsync = off');
  await admin.query('select pg_reload_conf()');
  await admin.query(`create database ${TEMPLATE}`);
  await migrate({ connection: withName(server.connection, TEMPLATE), log: silentLogger });
  return { server, admin, folder, count: 0 };
}

function withName(connection: string, name: string): string {
  const url = new URL(connection);
  url.pathname = `/${name}`;
  return url.href;
}

/** Stops the server of this process, if one was started. */
export async function stopTestServer(): Promise<void> {
  if (starting === undefined) return;
  const { server, admin, folder } = await starting;
  starting = undefined;
  await admin.close();
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}

// Registered by the import itself, so that no test file can forget it; a program of its own calls it.
if (process.env.VITEST !== undefined) afterAll(stopTestServer);
