import { FairQueue } from '../../kernel/async/fair-queue.ts';

/** Frees the slot, once. */
export type Leave = () => void;

export interface SlotBounds {
  readonly active: number;
  /** Of one owner: an account, or the address of a client without a login. */
  readonly activeOfOne: number;
  readonly waiting: number;
  readonly waitMs: number;
}

type Owner = number | string;

interface Waiting {
  readonly owner: Owner;
  call(leave: Leave | undefined): void;
}

/**
 * The platform's share of the process: a number of requests at a time, a number that wait, and a maximum
 * wait. No owner gets all slots, and waiting owners take turns.
 */
export class Slots {
  readonly #bounds: SlotBounds;
  readonly #waiting: FairQueue<Owner, Waiting>;
  readonly #activeOf = new Map<Owner, number>();
  #active = 0;

  constructor(bounds: SlotBounds) {
    this.#bounds = bounds;
    this.#waiting = new FairQueue(bounds.waiting);
  }

  get active(): number {
    return this.#active;
  }

  /** Undefined: no slot became free in time. */
  enter(owner: Owner): Promise<Leave | undefined> {
    if (this.#active < this.#bounds.active && this.#mayEnter(owner)) {
      return Promise.resolve(this.#take(owner));
    }
    return new Promise((resolve) => {
      const waiting: Waiting = {
        owner,
        call: (leave) => {
          clearTimeout(late);
          resolve(leave);
        },
      };
      const late = setTimeout(() => {
        this.#waiting.remove(owner, waiting);
        resolve(undefined);
      }, this.#bounds.waitMs);
      this.#waiting.add(owner, waiting)?.call(undefined);
    });
  }

  readonly #mayEnter = (owner: Owner): boolean => (this.#activeOf.get(owner) ?? 0) < this.#bounds.activeOfOne;

  #take(owner: Owner): Leave {
    this.#active += 1;
    this.#activeOf.set(owner, (this.#activeOf.get(owner) ?? 0) + 1);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#leave(owner);
    };
  }

  #leave(owner: Owner): void {
    this.#active -= 1;
    const left = (this.#activeOf.get(owner) ?? 1) - 1;
    if (left === 0) this.#activeOf.delete(owner);
    else this.#activeOf.set(owner, left);
    const next = this.#waiting.next(this.#mayEnter);
    next?.call(this.#take(next.owner));
  }
}
