import { SLOT_LIFETIME_MS } from '../bounds.ts';

/** One running call of a scope. It is identified by its lease, so it cannot free the slot of another call. */
export interface Slot {
  readonly takenAtMs: number;
}

/**
 * The concurrency slots of one scope (rule L-5). A slot disappears when its call leaves, or when it is older
 * than SLOT_LIFETIME_MS. Slots are kept in the order they were taken, so the old ones are in front.
 */
export class Slots {
  readonly #taken = new Set<Slot>();

  take(nowMs: number): Slot {
    const slot: Slot = { takenAtMs: nowMs };
    this.#taken.add(slot);
    return slot;
  }

  /** An expired slot is already gone, which is no error. */
  free(slot: Slot): void {
    this.#taken.delete(slot);
  }

  /** Slots in use now. Expired ones are removed only if there are enough slots for it to matter. */
  countAtLeast(enough: number, nowMs: number): number {
    if (this.#taken.size >= enough) this.expire(nowMs);
    return this.#taken.size;
  }

  expire(nowMs: number): void {
    for (const slot of this.#taken) {
      if (nowMs - slot.takenAtMs < SLOT_LIFETIME_MS) return;
      this.#taken.delete(slot);
    }
  }

  get size(): number {
    return this.#taken.size;
  }
}
