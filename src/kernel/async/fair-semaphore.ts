import { FairQueue } from './fair-queue.ts';
import { SemaphoreFull } from './semaphore.ts';

/** Who wants to work: `known` and `strange` wait in lanes of their own, which take turns. */
export interface Waiter {
  readonly lane: 'known' | 'strange';
  /** Many of one owner delay nobody but themselves. */
  readonly owner: string;
}

interface Waiting {
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** Few work at once and few wait in each lane; the rest is sent away, the greediest owner's first. */
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
      // A place is handed over, not freed and taken again: nobody can slip in between.
      const next = this.#next();
      if (next === undefined) this.#running -= 1;
      else next.resolve();
    }
  }

  #wait({ lane, owner }: Waiter): Promise<void> {
    return new Promise((resolve, reject) => {
      const gone = this.#lanes[lane].add(owner, { resolve, reject });
      gone?.reject(new SemaphoreFull('too many wait already'));
    });
  }

  #next(): Waiting | undefined {
    const turn = this.#last === 'known' ? 'strange' : 'known';
    const other = this.#last;
    this.#last = turn;
    return this.#lanes[turn].next() ?? this.#lanes[other].next();
  }
}
