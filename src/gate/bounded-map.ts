import { assert } from '../kernel/assert.ts';

/** An entry of a bounded map. `recent` is set by every look-up and gives the entry a second chance. */
export interface BoundedMapEntry {
  recent: boolean;
  isIdle(): boolean;
}

/** Entries examined per insertion, so that no insertion scans the whole map. */
const STEPS_PER_INSERTION = 16;

/**
 * A map of bounded size that removes entries not used recently (second chance: nearly LRU, for one flag per
 * look-up). An entry that is not idle is never removed, so the true bound is `sizeMax` plus the number of
 * calls that run or wait to be settled.
 */
export class BoundedMap<Key, Value extends BoundedMapEntry> {
  readonly #entries = new Map<Key, Value>();
  readonly #sizeMax: number;

  constructor(sizeMax: number) {
    assert(sizeMax > 0, 'a map has room for at least one entry');
    this.#sizeMax = sizeMax;
  }

  find(key: Key): Value | undefined {
    const value = this.#entries.get(key);
    if (value !== undefined) value.recent = true;
    return value;
  }

  add(key: Key, value: Value): Value {
    assert(!this.#entries.has(key), 'an entry is added once');
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
