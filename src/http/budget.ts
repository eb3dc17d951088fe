import { assert } from '../kernel/assert.ts';

/** Bytes of bodies that the whole process may hold at a time: many clients must not be one out-of-memory. */
export class ByteBudget {
  readonly #bytesMax: number;
  #usedBytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** False: nothing was taken. */
  take(bytes: number): boolean {
    if (this.#usedBytes + bytes > this.#bytesMax) return false;
    this.#usedBytes += bytes;
    return true;
  }

  give(bytes: number): void {
    assert(bytes <= this.#usedBytes, 'no more is given back than was taken');
    this.#usedBytes -= bytes;
  }

  get usedBytes(): number {
    return this.#usedBytes;
  }
}
