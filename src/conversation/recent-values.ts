import type { ConversationKey, ConversationValue } from './contract.ts';

export interface RecentValuesBounds {
  readonly countMax: number;
  readonly bytesMax: number;
}

/** The memory of a value besides its bytes: keys, times, an entry in a map. */
const ENTRY_BYTES = 200;

/** Values in the order in which they were added, bounded in number and bytes. */
export class RecentValues {
  readonly #values = new Map<string, ConversationValue>();
  readonly #bounds: RecentValuesBounds;
  #bytes = 0;

  constructor(bounds: RecentValuesBounds) {
    this.#bounds = bounds;
  }

  get size(): number {
    return this.#values.size;
  }

  get(key: ConversationKey): ConversationValue | undefined {
    return this.#values.get(mapKey(key));
  }

  /** Adds the value as the newest. Returns how many of the oldest were removed for it. */
  put(value: ConversationValue): number {
    this.take(value);
    this.#values.set(mapKey(value), value);
    this.#bytes += countBytes(value);
    let dropped = 0;
    while (this.#isOver()) {
      for (const oldest of this.#values.values()) {
        this.take(oldest);
        break;
      }
      dropped++;
    }
    return dropped;
  }

  take(key: ConversationKey): ConversationValue | undefined {
    const name = mapKey(key);
    const value = this.#values.get(name);
    if (value === undefined) return undefined;
    this.#values.delete(name);
    this.#bytes -= countBytes(value);
    return value;
  }

  /** The oldest values, as many as a batch may have, at least one. They are not removed. */
  oldest(bounds: RecentValuesBounds): readonly ConversationValue[] {
    const batch: ConversationValue[] = [];
    let bytes = 0;
    for (const value of this.#values.values()) {
      bytes += value.value.length;
      if (batch.length === bounds.countMax || (batch.length > 0 && bytes > bounds.bytesMax)) break;
      batch.push(value);
    }
    return batch;
  }

  /** Removes the oldest values, as long as they are such ones. */
  dropWhile(isSuch: (value: ConversationValue) => boolean): void {
    for (const value of this.#values.values()) {
      if (!isSuch(value)) return;
      this.take(value);
    }
  }

  #isOver(): boolean {
    return this.#values.size > this.#bounds.countMax || this.#bytes > this.#bounds.bytesMax;
  }
}

/** One name per account and key. */
export function mapKey({ accountId, key }: ConversationKey): string {
  return `${accountId} ${key}`;
}

function countBytes({ key, value }: ConversationValue): number {
  return value.length + key.length * 2 + ENTRY_BYTES;
}
