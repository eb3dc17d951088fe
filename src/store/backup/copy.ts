import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import type pg from 'pg';
import type { Logger } from '../../kernel/log.ts';
import { type Database, OpenTransaction, sessionConfig, translate } from '../database.ts';
import { PgClient } from '../pg-client.ts';
import { BACKUP_PART_BYTES, BACKUP_TIMEOUT_MS } from './bounds.ts';

/** A transaction that also moves whole tables, in bounded memory. */
export interface CopyTransaction extends Database {
  /** Runs `copy … to stdout`. `take` gets whole lines, some MiB at a time. Answers the number of rows. */
  copyOut(statement: string, take: (part: Buffer) => Promise<void>): Promise<number>;
  /** Runs `copy … from stdin`. */
  copyIn(statement: string, content: AsyncIterable<Buffer>): Promise<void>;
}

export interface CopyPlace {
  readonly connection: string;
  readonly log: Logger;
}

/** One transaction on a connection of its own, without the bounds of a call's statements. */
export async function withCopyTransaction<T>(
  place: CopyPlace,
  work: (transaction: CopyTransaction) => Promise<T>,
): Promise<T> {
  const config = sessionConfig(place.connection, { statementTimeoutMs: BACKUP_TIMEOUT_MS });
  // The driver's own time-out does not notice that a copy has ended, and would keep the process alive.
  const client = new PgClient({ ...config, query_timeout: 0 });
  // A statement that is running reports the error too.
  client.on('error', () => undefined);
  try {
    await client.connect().catch((error: unknown) => {
      throw translate(error);
    });
    const transaction = new CopyingTransaction(client);
    await transaction.query('begin');
    const result = await work(transaction);
    await transaction.query('commit');
    return result;
  } finally {
    // The end of the connection rolls back what was not committed.
    await client.end().catch(() => undefined);
  }
}

class CopyingTransaction extends OpenTransaction implements CopyTransaction {
  readonly #copyClient: PgClient;

  constructor(client: PgClient) {
    super(client, 1, 'named');
    this.#copyClient = client;
  }

  copyOut(statement: string, take: (part: Buffer) => Promise<void>): Promise<number> {
    return this.#copyClient.query(new CopyOut(statement, take)).done;
  }

  copyIn(statement: string, content: AsyncIterable<Buffer>): Promise<void> {
    return this.#copyClient.query(new CopyIn(statement, content)).done;
  }
}

/** The part of the driver's connection that is not in its typings. */
interface CopyWire {
  readonly stream: Duplex;
  query(text: string): void;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
  sendCopyFail(message: string): void;
}

const asWire = (connection: unknown): CopyWire => connection as CopyWire;

/** A statement as the driver wants it: it calls the handlers below while the statement runs. */
abstract class Copy<Result> implements pg.Submittable {
  readonly done: Promise<Result>;
  readonly #statement: string;
  protected resolve: (result: Result) => void = () => undefined;
  protected reject: (error: unknown) => void = () => undefined;

  constructor(statement: string) {
    this.#statement = statement;
    this.done = new Promise<Result>((resolve, reject) => {
      this.resolve = resolve;
      this.reject = (error) => reject(translate(error));
    });
  }

  submit(connection: pg.Connection): void {
    asWire(connection).query(this.#statement);
  }

  handleError(error: unknown): void {
    this.reject(error);
  }
}

class CopyOut extends Copy<number> {
  readonly #take: (part: Buffer) => Promise<void>;
  readonly #lines: Buffer[] = [];
  #bytes = 0;
  #rows = 0;
  #taken: Promise<void> = Promise.resolve();

  constructor(statement: string, take: (part: Buffer) => Promise<void>) {
    super(statement);
    this.#take = take;
  }

  /** One row. The driver reuses its buffer, so the bytes are copied. */
  handleCopyData({ chunk }: { readonly chunk: Buffer }, connection: unknown): void {
    this.#lines.push(Buffer.from(chunk));
    this.#bytes += chunk.length;
    this.#rows += 1;
    if (this.#bytes < BACKUP_PART_BYTES) return;
    const { stream } = asWire(connection);
    stream.pause();
    this.#passOn();
    this.#taken.then(
      () => stream.resume(),
      (error: Error) => {
        this.reject(error);
        stream.destroy(error);
      },
    );
  }

  handleCommandComplete(): void {
    if (this.#bytes > 0) this.#passOn();
  }

  handleReadyForQuery(): void {
    this.#taken.then(() => this.resolve(this.#rows), this.reject);
  }

  #passOn(): void {
    const part = Buffer.concat(this.#lines.splice(0));
    this.#bytes = 0;
    this.#taken = this.#taken.then(() => this.#take(part));
    this.#taken.catch(() => undefined);
  }
}

class CopyIn extends Copy<void> {
  readonly #content: AsyncIterable<Buffer>;
  #isRefused = false;

  constructor(statement: string, content: AsyncIterable<Buffer>) {
    super(statement);
    this.#content = content;
  }

  handleCopyInResponse(connection: unknown): void {
    const wire = asWire(connection);
    this.#send(wire).catch((error: unknown) => {
      this.reject(error);
      wire.sendCopyFail('the content cannot be read');
    });
  }

  override handleError(error: unknown): void {
    this.#isRefused = true;
    super.handleError(error);
  }

  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    this.resolve();
  }

  async #send(wire: CopyWire): Promise<void> {
    for await (const part of this.#content) {
      if (this.#isRefused) return;
      wire.sendCopyFromChunk(part);
      if (wire.stream.writableNeedDrain) {
        await Promise.race([once(wire.stream, 'drain'), this.done.catch(() => undefined)]);
      }
    }
    if (!this.#isRefused) wire.endCopyFrom();
  }
}
