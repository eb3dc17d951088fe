import { FairQueue } from './fair-queue.ts';
import { SemaphoreFull } from './semaphore.ts';

/** A waiting job. `known` and `strange` have separate lanes, which take turns. */
export interface Waiter {
  readonly lane: 'known' | 'strange';
  /** Many jobs of one owner delay only each other. */
  readonly owner: string;
}

interface Waiting {
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** Few run at once and few wait in each lane. The rest is rejected, first that of the owner with most. */
export class FairSemaphore {
  readonly #atOnce: number;
  readonly #lanes: Readonly<Record<Waiter['lane'], FairQueue<string, Waiting>>>;
  #last: Waiter['lane'] = 'strange';
  #running = 0;

  constructor(atOnce: number, waitingMax: number) {
    this.#atOnce = atOnce;
    this.#lanes = { known: new FairQueue(waitingMax), strange: new FairQueue(waitingMax) };
  }

  async run<T>(place: Waiter, work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#atOnce) await this.#wait(place);
    else this.#running += 1;
    try {
      return await work();
    } finally {
      // The slot is passed on directly, so that no other job can take it in between.
      const next = this.#next();
      if (next === undefined) this.#running -= 1;
      else next.resolve();
    }
  }

  #wait({ lane, owner }: Waiter): Promise<void> {
    return new Promise((resolve, reject) => {
      const gone = this.#lanes[lane].add(owner, { resolve, reject });
      gone?.reject(new SemaphoreFull('too many are already waiting'));
    });
  }

  #next(): Waiting | undefined {
    const turn = this.#last === 'known' ? 'strange' : 'known';
    const other = this.#last;
    this.#last = turn;
    return this.#lanes[turn].next() ?? this.#lanes[other].next();
  }
}
