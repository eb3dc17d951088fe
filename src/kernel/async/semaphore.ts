/** The line is as long as it may be; whoever comes now is told to come back later. */
export class SemaphoreFull extends Error {
  override readonly name = 'SemaphoreFull';
}

/** Few work at once, few wait, the rest is sent away: for work that costs memory or connections. */
export class Semaphore {
  readonly #atOnce: number;
  readonly #waitingMax: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(atOnce: number, waitingMax: number) {
    this.#atOnce = atOnce;
    this.#waitingMax = waitingMax;
  }

  get isFull(): boolean {
    return this.#running >= this.#atOnce && this.#waiting.length >= this.#waitingMax;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.isFull) throw new SemaphoreFull('too many wait already');
    if (this.#running >= this.#atOnce) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running++;
    try {
      return await work();
    } finally {
      // A place is handed over, not freed and taken again: nobody can slip in between.
      const next = this.#waiting.shift();
      if (next === undefined) this.#running--;
      else next();
    }
  }
}
