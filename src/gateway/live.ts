import type { Clock } from '../kernel/clock.ts';

/** A stream that is being sent to a client. */
export interface LiveStream {
  /** Called about once a second: send a sign of life, cut a client that does not read. */
  tick(now: number): void;
  /** The process must end: cut the stream and settle what was produced. */
  stop(): void;
}

const TICK_MS = 1_000;

/** All running streams, with one timer for all of them instead of several for each. */
export class LiveStreams {
  readonly #streams = new Set<LiveStream>();
  readonly #timer: NodeJS.Timeout;

  constructor(clock: Clock, tickMs = TICK_MS) {
    this.#timer = setInterval(() => {
      const now = clock.monotonic();
      for (const stream of this.#streams) stream.tick(now);
    }, tickMs);
    this.#timer.unref();
  }

  add(stream: LiveStream): void {
    this.#streams.add(stream);
  }

  delete(stream: LiveStream): void {
    this.#streams.delete(stream);
  }

  get size(): number {
    return this.#streams.size;
  }

  stopAll(): void {
    for (const stream of [...this.#streams]) stream.stop();
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
