/** Time is a port, so that windows, leases and recoveries are tested without waiting. */
export interface Clock {
  /** Milliseconds since the epoch. May jump; use it for what people see and what is stored. */
  now(): number;
  /** Milliseconds that only go forward, with fractions. Use it for durations and windows. */
  monotonic(): number;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
};

/** A clock for tests: it stands still until it is told to move. */
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

  /** The wall clock is set by somebody; durations are not touched. */
  jump(ms: number): void {
    this.#now += ms;
  }
}
