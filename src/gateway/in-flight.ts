import type { Clock } from '../kernel/clock.ts';

/** A call that is at a vendor: waiting for its first byte, or streaming. */
export interface Flight {
  readonly streaming: boolean;
  /** Called about once a second: send a sign of life, cut a client that does not read. */
  tick(now: number): void;
  /** The process must end: the call ends now, and what was produced is settled. */
  stop(): void;
}

const TICK_MS = 1_000;

/** All calls that are at a vendor, with one timer for all of them instead of several for each. */
export class InFlight {
  readonly #flights = new Set<Flight>();
  readonly #timer: NodeJS.Timeout;

  constructor(clock: Clock, tickMs = TICK_MS) {
    this.#timer = setInterval(() => {
      const now = clock.monotonic();
      for (const flight of this.#flights) flight.tick(now);
    }, tickMs);
    this.#timer.unref();
  }

  add(flight: Flight): void {
    this.#flights.add(flight);
  }

  delete(flight: Flight): void {
    this.#flights.delete(flight);
  }

  get streams(): number {
    let streams = 0;
    for (const flight of this.#flights) if (flight.streaming) streams++;
    return streams;
  }

  stopAll(): void {
    for (const flight of [...this.#flights]) flight.stop();
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
