/** The queue is full. The caller should come back later. */
export class SemaphoreFull extends Error {
  override readonly name = 'SemaphoreFull';
}

/** Few run at once, few wait, the rest is rejected: for work that costs memory or connections. */
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
    if (this.isFull) throw new SemaphoreFull('too many are already waiting');
    if (this.#running >= this.#atOnce) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running++;
    try {
      return await work();
    } finally {
      // The slot is passed on directly, so that no other job can take it in between.
      const next = this.#waiting.shift();
      if (next === undefined) this.#running--;
      else next();
    }
  }
}
