/** Gives a place back, once. */
export type Leave = () => void;

export interface SlotBounds {
  readonly active: number;
  readonly waiting: number;
  readonly waitMs: number;
}

/** The platform's share of the process: so many at a time, so many who wait, and nobody waits for long. */
export class Slots {
  readonly #bounds: SlotBounds;
  readonly #waiting: (() => void)[] = [];
  #active = 0;

  constructor(bounds: SlotBounds) {
    this.#bounds = bounds;
  }

  get active(): number {
    return this.#active;
  }

  /** Nothing: there is no place, and there was none in time. */
  enter(): Promise<Leave | undefined> {
    if (this.#active < this.#bounds.active) return Promise.resolve(this.#take());
    if (this.#waiting.length >= this.#bounds.waiting) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const called = (): void => {
        clearTimeout(late);
        resolve(this.#take());
      };
      const late = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(called), 1);
        resolve(undefined);
      }, this.#bounds.waitMs);
      this.#waiting.push(called);
    });
  }

  #take(): Leave {
    this.#active += 1;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#active -= 1;
      this.#waiting.shift()?.();
    };
  }
}
