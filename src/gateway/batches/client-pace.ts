import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../kernel/time/clock.ts';
import { UPLOAD_PACE } from './bounds.ts';

/**
 * Reads a client's body chunk by chunk, and closes the connection of a client that is too slow. Only the time
 * in which the gateway waits for the client counts: the vendor may be the slow side.
 */
export class ClientPace {
  readonly #request: IncomingMessage;
  readonly #chunks: AsyncIterator<Buffer>;
  readonly #clock: Clock;
  readonly #pace: typeof UPLOAD_PACE;
  #timer: NodeJS.Timeout | undefined;
  #waitsSinceMs = 0;
  /** What is left of the interval, and what it must still bring. */
  #leftMs: number;
  #missingBytes = 0;

  constructor(request: IncomingMessage, clock: Clock, pace = UPLOAD_PACE) {
    this.#request = request;
    this.#chunks = request.iterator({ destroyOnReturn: false });
    this.#clock = clock;
    this.#pace = pace;
    this.#leftMs = pace.slowAfterMs;
  }

  /** `undefined`: this was all. Throws if the connection is closed. */
  async next(): Promise<Buffer | undefined> {
    this.#wait();
    try {
      const { value, done } = await this.#chunks.next();
      if (done === true) return undefined;
      this.#missingBytes -= value.length;
      return value;
    } finally {
      clearTimeout(this.#timer);
      this.#leftMs -= this.#clock.monotonic() - this.#waitsSinceMs;
    }
  }

  #wait(): void {
    this.#waitsSinceMs = this.#clock.monotonic();
    this.#timer = setTimeout(() => this.#check(), Math.max(0, this.#leftMs));
  }

  /** The first interval brings what it will. */
  #check(): void {
    if (this.#missingBytes > 0 && this.#request.readableLength === 0) {
      this.#request.destroy();
      return;
    }
    this.#leftMs = this.#pace.intervalMs;
    this.#missingBytes = this.#pace.bytesMin;
    this.#wait();
  }
}
