import { assert } from '../kernel/assert.ts';

/** What a map keeps. `recent` is set by every look-up, and gives the entry a second chance. */
export interface BoundedMapEntry {
  recent: boolean;
  isIdle(): boolean;
}

/** Entries looked at per insertion; more would let one insertion wait for a scan of everything. */
const STEPS_PER_INSERTION = 16;

/**
 * A map of bounded size that forgets what was not used lately (second chance: nearly LRU, at the price of one
 * flag per look-up). An entry that is not idle is never forgotten, so the true bound is `sizeMax` and the
 * number of calls running or waiting to be settled.
 */
export class BoundedMap<Key, Value extends BoundedMapEntry> {
  readonly #entries = new Map<Key, Value>();
  readonly #sizeMax: number;

  constructor(sizeMax: number) {
    assert(sizeMax > 0, 'a map has room for somebody');
    this.#sizeMax = sizeMax;
  }

  find(key: Key): Value | undefined {
    const value = this.#entries.get(key);
    if (value !== undefined) value.recent = true;
    return value;
  }

  add(key: Key, value: Value): Value {
    assert(!this.#entries.has(key), 'a resident moves in once');
    if (this.#entries.size >= this.#sizeMax) this.#forget();
    this.#entries.set(key, value);
    return value;
  }

  values(): IterableIterator<Value> {
    return this.#entries.values();
  }

  get size(): number {
    return this.#entries.size;
  }

  #forget(): void {
    let steps = 0;
    for (const [key, value] of this.#entries) {
      if (++steps > STEPS_PER_INSERTION) return;
      this.#entries.delete(key);
      if (value.recent || !value.isIdle()) {
        value.recent = false;
        this.#entries.set(key, value);
      } else if (this.#entries.size < this.#sizeMax) return;
    }
  }
}
