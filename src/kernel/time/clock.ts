/** Time is a port, so that windows, leases and recoveries can be tested without waiting. */
export interface Clock {
  /** Milliseconds since the epoch. May jump. For what is shown and what is stored. */
  now(): number;
  /** Milliseconds that only go forward, with fractions. For durations and windows. */
  monotonic(): number;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
};

/** A clock for tests. It stands still until it is advanced. */
export class ManualClock implements Clock {
  #now: number;
  #monotonic = 0;

  constructor(nowMs = Date.UTC(2026, 0, 1)) {
    this.#now = nowMs;
  }

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#monotonic;
  }

  advance(ms: number): void {
    this.#now += ms;
    this.#monotonic += ms;
  }

  /** Sets the wall clock. Durations do not change. */
  jump(ms: number): void {
    this.#now += ms;
  }
}
