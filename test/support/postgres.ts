import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '../../src/kernel/log.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { connectionOf, endServer, SHARED_SERVER, TEMPLATE, withName } from './servers/postgres-server.ts';
import { atFileEnd } from './suite/ends.ts';
import { clearFolder } from './suite/leftovers.ts';

/** A test's own statements, and copying and dropping a database, take as long as a busy machine needs. */
const STATEMENT_MS = 300_000;

export interface FreshDatabase {
  readonly database: Database;
  /** A PostgreSQL URL, for processes and pools of the test's own. */
  readonly connection: string;
  drop(): Promise<void>;
}

interface TestServer {
  readonly connection: string;
  readonly admin: Database;
  stop(): Promise<void>;
}

let starting: Promise<TestServer> | undefined;
let made = 0;

/** A migrated database of the caller's own, on a real server that starts at its first use. */
export async function freshDatabase(): Promise<FreshDatabase> {
  starting ??= openServer();
  const { connection: server, admin } = await starting;
  // Other files of the run make theirs on the same server.
  const name = `test_${process.pid}_${++made}`;
  await admin.query(`create database ${name} template ${TEMPLATE} strategy file_copy`);
  const connection = withName(server, name);
  const database = await openDatabase({ connection, log: silentLogger, statementTimeoutMs: STATEMENT_MS });
  return {
    database,
    connection,
    drop: async () => {
      await database.close();
      await admin.query(`drop database if exists ${name} with (force)`);
    },
  };
}

async function openServer(): Promise<TestServer> {
  atFileEnd(stopTestServer);
  const shared = process.env[SHARED_SERVER];
  const folder = shared ?? (await mkdtemp(join(tmpdir(), 'tollgate-test-')));
  const connection = await connectionOf(folder);
  const admin = await openDatabase({
    connection,
    log: silentLogger,
    connectionsMax: 2,
    statementTimeoutMs: STATEMENT_MS,
  });
  const stop = async (): Promise<void> => {
    await admin.close();
    if (shared !== undefined) return;
    await endServer(folder);
    clearFolder(folder);
  };
  return { connection, admin, stop };
}

/** Ends what this process uses of a server, if it uses one. A test file need not call it; a program must. */
export async function stopTestServer(): Promise<void> {
  const test = await starting;
  starting = undefined;
  await test?.stop();
}
