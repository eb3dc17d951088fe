import { Connection, type Lasting, type Origin } from './connection.ts';
import type { Dial } from './dial.ts';

export interface PoolBounds {
  readonly connectMs: number;
  readonly connectionsMax: number;
}

/**
 * The connections to one vendor address, one call on each at a time. Who is called next is the one that was
 * free last: the others may close in peace.
 */
export class OriginPool {
  readonly connectMs: number;
  readonly #connectionsMax: number;
  readonly #origin: Origin;
  readonly #connections = new Set<Connection>();
  readonly #free: Connection[] = [];
  /** Calls on their way. */
  #active = 0;
  #onEmpty: (() => void) | undefined;
  /** The client's use counter at the last call: the smallest makes room for a new address. */
  usedAt = 0;

  constructor(url: URL, { connectMs, connectionsMax }: PoolBounds, dial: Dial) {
    this.connectMs = connectMs;
    this.#connectionsMax = connectionsMax;
    this.#origin = { url, dial };
  }

  get full(): boolean {
    return this.#active >= this.#connectionsMax;
  }

  enter(): void {
    this.#active += 1;
  }

  leave(): void {
    this.#active -= 1;
    if (this.#active === 0) this.#onEmpty?.();
  }

  /** For one call; given back with `release`. */
  take(): Connection {
    return this.#free.pop() ?? this.#open('keep-alive');
  }

  /** One that nobody used before and nobody will use after. */
  takeAlone(): Connection {
    return this.#open('close');
  }

  /** The call that had it is over; exactly once. */
  release(connection: Connection): void {
    if (connection.lasting === 'keep-alive') this.#free.push(connection);
    else this.#connections.delete(connection);
  }

  look(nowMs: number): void {
    for (const connection of this.#connections) connection.look(nowMs);
  }

  /** No new calls; running ones end in peace. */
  retire(whenEmpty: () => void): void {
    for (const connection of this.#connections) connection.retire();
    if (this.#active === 0) whenEmpty();
    else this.#onEmpty = whenEmpty;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#connections].map((connection) => connection.close()));
  }

  #open(lasting: Lasting): Connection {
    const connection = new Connection(this.#origin, lasting);
    this.#connections.add(connection);
    return connection;
  }
}
