import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { StoreUnavailable } from '../accounts/contract.ts';
import { SQL_CONNECT_TIMEOUT_MS, SQL_CONNECTIONS_MAX, SQL_SILENCE_MS, SQL_TIMEOUT_MS } from '../bounds.ts';
import { assert } from '../kernel/assert.ts';
import type { Logger } from '../kernel/log.ts';
import { Listener, type NoticeHandler } from './listener.ts';
import { PgClient } from './pg-client.ts';

/**
 * The only access to PostgreSQL. Every int8 is a bigint, because most of them are money; an id becomes a
 * number at the border of the store (`idNumber`). JSON columns are parsed, times are Date.
 */
export interface Database {
  /**
   * With a `name`, a connection parses and plans the statement once and keeps it: for the few frequent ones.
   * A name always has the same text.
   */
  query<Row>(text: string, values?: readonly unknown[], name?: string): Promise<Row[]>;
  /** Commits when `work` returns, rolls back when it throws. Inside a transaction it is a savepoint. */
  transaction<T>(work: (transaction: Database) => Promise<T>): Promise<T>;
  /**
   * Calls `handler` with every notice on the channel until the returned function is called. A lost connection
   * is restored; `onReconnect` then reports that notices may have been missed.
   */
  listen(channel: string, handler: NoticeHandler, onReconnect?: () => void): Promise<() => Promise<void>>;
  /**
   * In a transaction it is sent at the commit. Handlers of this database object are called then as well, so
   * that a process gets its own notices even without a connection. Alone, it waits for them.
   */
  notify(channel: string, payload: string): Promise<void>;
  close(): Promise<void>;
}

/** A page of any list. */
export interface Listed<Item> {
  readonly items: readonly Item[];
  /** Of all pages. */
  readonly total: number;
}

export interface DatabaseOptions {
  /** A PostgreSQL URL; a Unix socket is `postgresql://user@localhost/name?host=%2Fdirectory`. */
  readonly connection: string;
  /**
   * Says that `connection` leads to a pooler that lends its connections for a transaction at a time: what
   * belongs to a session (settings, named statements, notices) is not asked of it. Notices are heard here.
   */
  readonly directConnection?: string | undefined;
  readonly log: Logger;
  /** Migrations take longer than the statements of a call. */
  readonly statementTimeoutMs?: number;
  readonly connectionsMax?: number;
}

const INT8 = 20;
const INT8_ARRAY = 1016;

/** Opens the pool and checks with one statement that the database answers. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { connection, directConnection } = options;
  const statements = directConnection === undefined ? 'named' : 'unnamed';
  const pool = new pg.Pool({
    ...(statements === 'named' ? sessionConfig(connection, options) : connectionConfig(connection, options)),
    Client: PgClient,
    max: options.connectionsMax ?? SQL_CONNECTIONS_MAX,
  });
  // The pool replaces an idle connection that breaks. Without a handler it would end the process.
  pool.on('error', (error) => {
    // The driver attaches the whole connection to its error, so only the text is logged. While the pool
    // closes, a stopping server may close first.
    if (!pool.ending)
      options.log.warn({ reason: error.message }, 'an idle database connection was lost and is replaced');
  });
  // A connection in use emits too, and its current or next statement reports the error. The handler is set
  // from the start, because a dying server may accept and close in one read.
  pool.on('connect', (client) => client.on('error', () => undefined));
  const listener = new Listener(sessionConfig(directConnection ?? connection, options), options.log);
  const database = new PooledDatabase(pool, listener, statements);
  try {
    await database.query('select 1');
  } catch (error) {
    await database.close();
    throw error;
  }
  return database;
}

/** An id as a number: identities stay far below 2^53. */
export function idNumber(id: bigint): number {
  assert(id >= 0n && id <= BigInt(Number.MAX_SAFE_INTEGER), 'an id is a safe whole number');
  return Number(id);
}

/** A time as PostgreSQL reads it. */
export function toIsoTime(timeMs: number): string {
  return new Date(timeMs).toISOString();
}

/** With settings of the session, which a pooler between would not take. */
export function sessionConfig(
  connection: string,
  options: Pick<DatabaseOptions, 'statementTimeoutMs'>,
): pg.PoolConfig {
  const statementTimeoutMs = options.statementTimeoutMs ?? SQL_TIMEOUT_MS;
  return {
    ...connectionConfig(connection, options),
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: statementTimeoutMs,
  };
}

function connectionConfig(
  connection: string,
  { statementTimeoutMs }: Pick<DatabaseOptions, 'statementTimeoutMs'>,
): pg.PoolConfig {
  return {
    connectionString: connection,
    application_name: 'tollgate',
    connectionTimeoutMillis: SQL_CONNECT_TIMEOUT_MS,
    // The server's limit comes first. This one detects a server that no longer answers.
    query_timeout: (statementTimeoutMs ?? SQL_TIMEOUT_MS) + SQL_SILENCE_MS,
    keepAlive: true,
    types: { getTypeParser: typeParser as typeof pg.types.getTypeParser },
  };
}

// The typings list scalar types only, but the driver knows the arrays as well.
const parseInt8Array = pg.types.getTypeParser(INT8_ARRAY as number, 'text') as (
  text: string,
) => readonly string[];

function typeParser(oid: number, format?: 'text' | 'binary'): unknown {
  if (oid === INT8) return BigInt;
  if (oid === INT8_ARRAY) return (text: string) => parseInt8Array(text).map(BigInt);
  return pg.types.getTypeParser(oid, format);
}

/** Whether a connection may keep statements by their names. */
type Statements = 'named' | 'unnamed';

class PooledDatabase implements Database {
  readonly #pool: pg.Pool;
  readonly #listener: Listener;
  readonly #statements: Statements;
  #closing: Promise<void> | undefined;

  constructor(pool: pg.Pool, listener: Listener, statements: Statements) {
    this.#pool = pool;
    this.#listener = listener;
    this.#statements = statements;
  }

  query<Row>(text: string, values?: readonly unknown[], name?: string): Promise<Row[]> {
    const kept = this.#statements === 'named' ? name : undefined;
    return this.#borrow((client) => run<Row>(client, text, values, kept));
  }

  transaction<T>(work: (transaction: Database) => Promise<T>): Promise<T> {
    return this.#borrow(async (client) => {
      await run(client, 'begin');
      try {
        const transaction = new OpenTransaction(client, 1, this.#statements);
        const result = await work(transaction);
        await run(client, 'commit');
        for (const { channel, payload } of transaction.notices) void this.#listener.deliver(channel, payload);
        return result;
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) await run(client, 'rollback');
        throw error;
      }
    });
  }

  listen(channel: string, handler: NoticeHandler, onReconnect?: () => void): Promise<() => Promise<void>> {
    return this.#listener.listen(channel, handler, onReconnect);
  }

  async notify(channel: string, payload: string): Promise<void> {
    await this.query(NOTIFY, [channel, payload]);
    await this.#listener.deliver(channel, payload);
  }

  close(): Promise<void> {
    // A frozen server never closes its side. A stop waits for it no longer than for a statement.
    this.#closing ??= Promise.race([
      Promise.all([this.#pool.end(), this.#listener.close()]).then(() => undefined),
      sleep(SQL_TIMEOUT_MS, undefined, { ref: false }),
    ]);
    return this.#closing;
  }

  /** A broken connection is discarded; one that only reported an SQL error is kept. */
  async #borrow<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    if (this.#closing !== undefined) throw new StoreUnavailable('the database is closed');
    let client: pg.PoolClient;
    try {
      client = await this.#pool.connect();
    } catch (error) {
      throw translate(error);
    }
    let broken = false;
    try {
      return await work(client);
    } catch (error) {
      broken = error instanceof StoreUnavailable;
      throw error;
    } finally {
      client.release(broken);
    }
  }
}

const NOTIFY = 'select pg_notify($1, $2)';

export class OpenTransaction implements Database {
  readonly #client: pg.ClientBase;
  readonly #depth: number;
  readonly #statements: Statements;
  /** The notices that the commit will send. */
  readonly notices: Array<{ readonly channel: string; readonly payload: string }> = [];

  constructor(client: pg.ClientBase, depth: number, statements: Statements) {
    this.#client = client;
    this.#depth = depth;
    this.#statements = statements;
  }

  query<Row>(text: string, values?: readonly unknown[], name?: string): Promise<Row[]> {
    return run<Row>(this.#client, text, values, this.#statements === 'named' ? name : undefined);
  }

  async transaction<T>(work: (transaction: Database) => Promise<T>): Promise<T> {
    const savepoint = `savepoint_${this.#depth}`;
    await run(this.#client, `savepoint ${savepoint}`);
    try {
      const inner = new OpenTransaction(this.#client, this.#depth + 1, this.#statements);
      const result = await work(inner);
      await run(this.#client, `release savepoint ${savepoint}`);
      this.notices.push(...inner.notices);
      return result;
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) {
        await run(this.#client, `rollback to savepoint ${savepoint}`);
      }
      throw error;
    }
  }

  listen(): Promise<() => Promise<void>> {
    return Promise.reject(new Error('a transaction cannot listen: ask the database itself'));
  }

  async notify(channel: string, payload: string): Promise<void> {
    await this.query(NOTIFY, [channel, payload]);
    this.notices.push({ channel, payload });
  }

  close(): Promise<void> {
    return Promise.reject(new Error('a transaction is closed by the function that opened it'));
  }
}

async function run<Row>(
  client: pg.ClientBase,
  text: string,
  values?: readonly unknown[],
  name?: string,
): Promise<Row[]> {
  try {
    const statement = { text, ...(values && { values: [...values] }), ...(name && { name }) };
    const result = await client.query(statement);
    return result.rows as Row[];
  } catch (error) {
    throw translate(error);
  }
}

/**
 * SQLSTATE classes that mean "not now" rather than "not so": connection (08), rollback for the sake of others
 * with deadlocks (40), resources (53), operator intervention with shutdown and cancelled statements (57),
 * system error (58), a standby (25006), a lock that was not to be had (55P03).
 */
const UNAVAILABLE_STATE = /^(?:08...|40...|53...|57...|58...|25006|55P03)$/;
const SQL_STATE = /^[0-9A-Z]{5}$/;
const SCHEMA_STATE = /^(?:42|0A|3F|XX)...$/;

/** An error without a SQLSTATE never reached the server or lost it: the driver's and the socket's own. */
export function translate(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof StoreUnavailable) return error;
  const code = (error as { code?: unknown }).code;
  const state = typeof code === 'string' && SQL_STATE.test(code) && 'severity' in error ? code : undefined;
  if (state !== undefined && !UNAVAILABLE_STATE.test(state)) return error;
  if (error instanceof TypeError || error instanceof RangeError) return error;
  return new StoreUnavailable(`the database did not answer: ${error.message}`, { cause: error });
}

/**
 * A missing table, column or right is the schema's fault or the operator's, never that of what was written:
 * no row may be given up because of it.
 */
export function isSchemaFault(error: unknown): boolean {
  const code = (error as { readonly code?: unknown } | null)?.code;
  return typeof code === 'string' && SCHEMA_STATE.test(code);
}

/** A row of a month that has no partition: to PostgreSQL a check that failed, and that has no name. */
export function isMissingPartition(error: unknown): boolean {
  const { code, constraint } = (error ?? {}) as { readonly code?: unknown; readonly constraint?: unknown };
  return code === '23514' && constraint === undefined;
}
