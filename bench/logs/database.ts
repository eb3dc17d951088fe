/** The server of the benchmark and its filled databases. */
import { silentLogger } from '../../src/kernel/log.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { migrate } from '../../src/store/migrate.ts';
import { fill, type Size } from './fill.ts';

const FILL_TIMEOUT_MS = 3_600_000;

/** No checkpoint in the middle of a measurement, and memory for building indexes. */
export async function tune(connection: string): Promise<void> {
  const database = await openDatabase({ connection, log: silentLogger, connectionsMax: 1 });
  for (const setting of [
    "max_wal_size = '16GB'",
    "checkpoint_timeout = '1h'",
    "maintenance_work_mem = '1GB'",
  ]) {
    await database.query(`alter system set ${setting}`);
  }
  await database.query('select pg_reload_conf()');
  await database.close();
}

export interface FilledDatabase {
  readonly database: Database;
  readonly connection: string;
}

export async function createFilled(server: string, name: string, size: Size): Promise<FilledDatabase> {
  const admin = await openDatabase({ connection: server, log: silentLogger, connectionsMax: 1 });
  await admin.query(`create database ${name}`);
  await admin.close();
  const url = new URL(server);
  url.pathname = `/${name}`;
  const connection = url.href;
  await migrate({ connection, log: silentLogger });
  const filling = { connection, log: silentLogger, statementTimeoutMs: FILL_TIMEOUT_MS };
  const database = await openDatabase({ ...filling, connectionsMax: 1 });
  await fill(database, size);
  return { database, connection };
}
