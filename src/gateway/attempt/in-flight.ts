import type { Clock } from '../../kernel/time/clock.ts';

/** A call that is at a vendor: waiting for its first byte, or streaming. */
export interface CallInFlight {
  readonly streaming: boolean;
  /** Its place in the list of all; kept by the list alone. */
  place: number;
  /** Called about once a second: send a sign of life, cut a client that does not read. */
  tick(now: number): void;
  /** The process must end: the call ends now, and what was produced is settled. */
  stop(): void;
}

const TICK_MS = 1_000;

/**
 * All calls that are at a vendor, with one timer for all of them instead of several for each. A list, not a
 * Set: when V8 replaces a Set's table the dead one still points to its successor, and once a table is in the
 * old generation every call that ever was in the Set survives until the next full collection.
 */
export class InFlight {
  readonly #flights: CallInFlight[] = [];
  readonly #timer: NodeJS.Timeout;

  constructor(clock: Clock, tickMs = TICK_MS) {
    this.#timer = setInterval(() => {
      const now = clock.monotonic();
      // From the end, because a flight that ends in its tick gives its place to the last one.
      for (let place = this.#flights.length - 1; place >= 0; place--) this.#flights[place]?.tick(now);
    }, tickMs);
    this.#timer.unref();
  }

  add(flight: CallInFlight): void {
    flight.place = this.#flights.length;
    this.#flights.push(flight);
  }

  /** The last one takes the place that became free. */
  delete(flight: CallInFlight): void {
    if (this.#flights[flight.place] !== flight) return;
    const last = this.#flights.pop();
    if (last === undefined || last === flight) return;
    this.#flights[flight.place] = last;
    last.place = flight.place;
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
