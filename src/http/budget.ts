import { assert } from '../kernel/assert.ts';
import { BODIES_RESERVE_SHARE, BODIES_SMALL_SHARE } from './bounds.ts';

/** The owner of the bytes: the id of an account, or the address of an unknown client. */
export type BudgetOwner = number | string;

/** The maximum of one owner, in multiples of what is left of the common part. */
const COMMON_MULTIPLE = 2;

/**
 * The bytes of bodies that the process may have in memory, so that many clients cannot exhaust it and one
 * owner cannot block all others. Owners with many bytes share the common part: each holds at most twice what
 * is left of it, so one alone gets half of the budget. The rest is a reserve for owners with few bytes: each
 * gets a small share of what is free, so that many together never use it up.
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
    assert(held >= 0, 'no more bytes are released than were taken');
    if (held === 0) this.#held.delete(owner);
    else this.#held.set(owner, held);
    this.#usedBytes -= bytes;
  }

  get usedBytes(): number {
    return this.#usedBytes;
  }
}
