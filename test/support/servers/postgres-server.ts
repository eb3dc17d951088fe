import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { silentLogger } from '../../../src/kernel/log.ts';
import { openDatabase } from '../../../src/store/database.ts';
import { acquireLock } from '../../../src/store/embedded/lock.ts';
import { startEmbedded } from '../../../src/store/embedded/server.ts';
import { migrate } from '../../../src/store/migrate.ts';
import { sleep } from '../processes.ts';

/**
 * Names the folder of the server that all files of a run share; a program of its own has none. Not one of
 * ours: commands that tests run inherit it, and refuse a TOLLGATE_ name that they do not know.
 */
export const SHARED_SERVER = 'TEST_DATABASE_FOLDER';
/** A migrated database that nobody is connected to. */
export const TEMPLATE = 'template_tollgate';

const WAIT_MS = 120_000;
const POLL_MS = 20;

/** The server of a folder. The first that asks makes it; the others wait for it. */
export async function connectionOf(folder: string): Promise<string> {
  const file = join(folder, 'connection');
  const deadline = performance.now() + WAIT_MS;
  while (performance.now() < deadline) {
    if (existsSync(file)) return readFileSync(file, 'utf8');
    const lock = await acquireLock(join(folder, 'make.lock'));
    if (lock.kind === 'held') {
      await sleep(POLL_MS);
      continue;
    }
    try {
      if (existsSync(file)) continue;
      const connection = await makeServer(folder);
      // Others read it without the lock, so it appears whole.
      writeFileSync(`${file}.new`, connection);
      renameSync(`${file}.new`, file);
      return connection;
    } finally {
      lock.release();
    }
  }
  throw new Error('the database server of the tests was not made in time');
}

/**
 * What survives a power loss is tested elsewhere; here it would only cost time, and so would the upkeep of
 * databases that last some seconds.
 */
const SETTINGS = [
  'fsync = off',
  'full_page_writes = off',
  'autovacuum = off',
  "checkpoint_timeout = '1h'",
  'max_connections = 500',
  "max_wal_size = '512MB'",
  "shared_buffers = '128MB'",
];

async function makeServer(folder: string): Promise<string> {
  const first = await startEmbedded(folder, silentLogger);
  const admin = await openDatabase({ connection: first.connection, log: silentLogger, connectionsMax: 1 });
  for (const setting of SETTINGS) await admin.query(`alter system set ${setting}`);
  await admin.query(`create database ${TEMPLATE}`);
  await admin.close();
  await migrate({ connection: withName(first.connection, TEMPLATE), log: silentLogger });
  // Some settings are read at a start only. The second one is not stopped by its users: it outlives them.
  await first.stop();
  return (await startEmbedded(folder, silentLogger)).connection;
}

export function withName(connection: string, name: string): string {
  const url = new URL(connection);
  url.pathname = `/${name}`;
  return url.href;
}

/** Ends the server of a folder, if it has one, whoever is still connected to it. */
export async function endServer(folder: string): Promise<void> {
  const deadline = performance.now() + WAIT_MS;
  const file = join(folder, 'postgres', 'postmaster.pid');
  // SIGINT is a fast shutdown in PostgreSQL's words.
  if (existsSync(file)) process.kill(Number(readFileSync(file, 'utf8').split('\n')[0]), 'SIGINT');
  while (existsSync(file) && performance.now() < deadline) await sleep(POLL_MS);
}
