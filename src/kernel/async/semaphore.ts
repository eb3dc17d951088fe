import { FairQueue } from './fair-queue.ts';

/** Frees the slot, once. */
export type Leave = () => void;

export interface SemaphoreBounds {
  readonly active: number;
  /** Of one owner, so that none gets all slots. Absent: as many as there are. */
  readonly activeOfOne?: number;
  /** In each lane. */
  readonly waiting: number;
  /** Absent: whoever waits gets a slot some time. */
  readonly waitMs?: number;
}

/** Many of one owner delay only each other. */
type Owner = number | string;

/** Each lane has a queue of its own, and they take turns: no number of strangers delays the known much. */
export type Lane = 'known' | 'strange';

/** The owner if owners do not matter. */
const EVERYBODY = 'everybody';

interface Waiting {
  readonly owner: Owner;
  readonly call: (leave: Leave | undefined) => void;
}

/**
 * Few work at once, few wait, and the rest is sent away, first that of the owner with most: for work that
 * costs memory, connections or a processor. Waiting owners take turns.
 */
export class Semaphore {
  readonly #bounds: SemaphoreBounds;
  readonly #lanes: Readonly<Record<Lane, FairQueue<Owner, Waiting>>>;
  readonly #activeByOwner = new Map<Owner, number>();
  #lastLane: Lane = 'strange';
  #active = 0;

  constructor(bounds: SemaphoreBounds) {
    this.#bounds = bounds;
    this.#lanes = { known: new FairQueue(bounds.waiting), strange: new FairQueue(bounds.waiting) };
  }

  get active(): number {
    return this.#active;
  }

  /** Undefined: too many wait, or no slot became free in time. */
  enter(owner: Owner = EVERYBODY, lane: Lane = 'known'): Promise<Leave | undefined> {
    if (this.#active < this.#bounds.active && this.#mayEnter(owner)) {
      return Promise.resolve(this.#take(owner));
    }
    return new Promise((resolve) => this.#wait(owner, lane, resolve));
  }

  #wait(owner: Owner, lane: Lane, resolve: Waiting['call']): void {
    const queue = this.#lanes[lane];
    const { waitMs } = this.#bounds;
    let late: NodeJS.Timeout | undefined;
    const call: Waiting['call'] = (leave) => {
      clearTimeout(late);
      resolve(leave);
    };
    const waiting = { owner, call };
    if (waitMs !== undefined) {
      late = setTimeout(() => {
        queue.remove(owner, waiting);
        resolve(undefined);
      }, waitMs);
    }
    queue.add(owner, waiting)?.call(undefined);
  }

  readonly #mayEnter = (owner: Owner): boolean => {
    const { active, activeOfOne = active } = this.#bounds;
    return (this.#activeByOwner.get(owner) ?? 0) < activeOfOne;
  };

  #take(owner: Owner): Leave {
    this.#active += 1;
    this.#activeByOwner.set(owner, (this.#activeByOwner.get(owner) ?? 0) + 1);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#leave(owner);
    };
  }

  /** The slot is passed on directly, so that nobody else can take it in between. */
  #leave(owner: Owner): void {
    this.#active -= 1;
    const left = (this.#activeByOwner.get(owner) ?? 1) - 1;
    if (left === 0) this.#activeByOwner.delete(owner);
    else this.#activeByOwner.set(owner, left);
    const next = this.#next();
    next?.call(this.#take(next.owner));
  }

  #next(): Waiting | undefined {
    const turn = this.#lastLane === 'known' ? 'strange' : 'known';
    const other = this.#lastLane;
    this.#lastLane = turn;
    return this.#lanes[turn].next(this.#mayEnter) ?? this.#lanes[other].next(this.#mayEnter);
  }
}
