import type { Clock } from '../../kernel/time/clock.ts';
import { READ_ON_CALLS_MAX } from '../settle/bounds.ts';

/** A call that waits for a vendor's first byte, or streams. */
export interface CallInFlight {
  readonly streaming: boolean;
  /** Its index in the list of `InFlight`, which alone changes it. */
  place: number;
  /** Runs about once a second: sends a keep-alive, or cuts a client that does not read. */
  tick(now: number): void;
  /** The process ends: the call ends now, and what was produced is settled. */
  stop(): void;
}

const TICK_MS = 1_000;

/**
 * All calls that are at a vendor, with one timer for all of them. This is a list and not a Set: when V8
 * replaces a Set's table, the dead table still points to its successor. Once a table is in the old
 * generation, every call that ever was in the Set survives until the next full collection.
 */
export class InFlight {
  readonly #flights: CallInFlight[] = [];
  readonly #timer: NodeJS.Timeout;
  #readingOn = 0;

  constructor(clock: Clock, tickMs = TICK_MS) {
    this.#timer = setInterval(() => {
      const now = clock.monotonic();
      // From the end, because a call that ends in its tick gives its index to the last one.
      for (let place = this.#flights.length - 1; place >= 0; place--) this.#flights[place]?.tick(now);
    }, tickMs);
    this.#timer.unref();
  }

  add(flight: CallInFlight): void {
    flight.place = this.#flights.length;
    this.#flights.push(flight);
  }

  /** The last call takes the free index. */
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

  /**
   * A client has left, and its vendor is read on for so long at most. Returns how to end that, or undefined
   * if too many vendors are read on already. A job is awaited in any case.
   */
  readOn(kind: 'call' | 'job', waitMs: number, giveUp: () => void): (() => void) | undefined {
    if (kind === 'call' && this.#readingOn >= READ_ON_CALLS_MAX) return undefined;
    this.#readingOn++;
    const timer = setTimeout(giveUp, waitMs);
    return () => {
      clearTimeout(timer);
      this.#readingOn--;
    };
  }

  stopAll(): void {
    for (const flight of [...this.#flights]) flight.stop();
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
