import { assert } from '../kernel/assert.ts';
import { BODIES_RESERVE_SHARE, BODIES_SMALL_SHARE } from './bounds.ts';

/** Whose bytes they are: the id of an account, or the address of somebody who is not known. */
export type BudgetOwner = number | string;

/** What an owner may hold at most, in multiples of what is left of the common part for all others. */
const COMMON_MULTIPLE = 2;

/**
 * Bytes of bodies that the whole process may hold at a time: many clients must not be one out-of-memory, and
 * one owner must not be the end of all others. Who holds much shares the common part: nobody holds more than
 * twice what is left of it, so one alone gets half of the budget. The rest is a reserve for those who hold
 * little: each of them gets a small share of what is free, so that many together never use it up.
 */
export class ByteBudget {
  readonly #bytesMax: number;
  readonly #reserveBytes: number;
  readonly #held = new Map<BudgetOwner, number>();
  #usedBytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
    this.#reserveBytes = bytesMax * BODIES_RESERVE_SHARE;
  }

  /** False: nothing was taken. */
  take(owner: BudgetOwner, bytes: number): boolean {
    const before = this.#held.get(owner) ?? 0;
    const held = before + bytes;
    const freeBytes = this.#bytesMax - this.#usedBytes - bytes;
    const isSmall = held <= freeBytes * BODIES_SMALL_SHARE;
    if (!isSmall && held > (freeBytes - this.#reserveBytes) * COMMON_MULTIPLE) return false;
    this.#usedBytes += bytes;
    this.#held.set(owner, held);
    return true;
  }

  give(owner: BudgetOwner, bytes: number): void {
    if (bytes === 0) return;
    const held = (this.#held.get(owner) ?? 0) - bytes;
    assert(held >= 0, 'no more is given back than was taken');
    if (held === 0) this.#held.delete(owner);
    else this.#held.set(owner, held);
    this.#usedBytes -= bytes;
  }

  get usedBytes(): number {
    return this.#usedBytes;
  }
}
