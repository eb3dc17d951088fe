import type pg from 'pg';
import { SQL_CONNECT_TIMEOUT_MS, SQL_TIMEOUT_MS } from '../bounds.ts';
import { translate } from './database.ts';
import { PgClient } from './pg-client.ts';

/** A pooler that keeps no sessions. Nothing was changed. */
export class PoolerRefused extends Error {
  override readonly name = 'PoolerRefused';

  constructor() {
    super(
      'DATABASE_URL leads to a pooler (PgBouncer) that keeps no sessions, so change notices would be lost: ' +
        'set TOLLGATE_DATABASE_DIRECT_URL to the same database without the pooler',
    );
  }
}

/** What PgBouncer says of settings of a session. */
const SETTINGS_REFUSED = /unsupported startup parameter/i;

/**
 * Throws when the connection leads to a pooler in transaction mode, or nowhere. Two connections at the same
 * time that have the same session of the server prove it. Without a pooler, a connection is opened with the
 * number of its session, so there is one connection and no more.
 */
export async function refusePooler(connection: string): Promise<void> {
  const [first, second] = [createClient(connection), createClient(connection)];
  try {
    const own = await findSession(first);
    if (own.isToldFirst) return;
    const other = await findSession(second);
    if (own.pid === other.pid) throw new PoolerRefused();
  } finally {
    await Promise.allSettled([first.end(), second.end()]);
  }
}

function createClient(connectionString: string): pg.Client {
  const timeouts = { connectionTimeoutMillis: SQL_CONNECT_TIMEOUT_MS, query_timeout: SQL_TIMEOUT_MS };
  // A setting of the session that a pooler in transaction mode must refuse, unless it is told to ignore it.
  const client = new PgClient({ connectionString, ...timeouts, statement_timeout: SQL_TIMEOUT_MS });
  client.on('error', () => undefined);
  return client;
}

interface Session {
  readonly pid: number;
  /** The number that the connection was opened with is that of the session; behind a pooler it is not. */
  readonly isToldFirst: boolean;
}

async function findSession(client: pg.Client): Promise<Session> {
  try {
    await client.connect();
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    const pid = Number(rows[0]?.pid);
    return { pid, isToldFirst: (client as unknown as { processID: number }).processID === pid };
  } catch (error) {
    if (error instanceof Error && SETTINGS_REFUSED.test(error.message)) throw new PoolerRefused();
    throw translate(error);
  }
}
