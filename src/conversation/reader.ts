import {
  CONVERSATION_FIND_MS,
  CONVERSATION_LOOKUPS_MAX,
  CONVERSATION_READ_KEYS_MAX,
  CONVERSATION_READS_MAX,
} from '../bounds.ts';
import type { ConversationKey, ConversationStore, ConversationValue } from './contract.ts';
import { mapKey } from './recent-values.ts';

interface Lookup {
  readonly key: ConversationKey;
  readonly found: PromiseWithResolvers<ConversationValue | undefined>;
}

export interface ReaderParts {
  readonly store: Pick<ConversationStore, 'read'>;
  /** Older values are not found. */
  readonly sinceMs: () => number;
  readonly onFailure: (error: unknown) => void;
}

/**
 * Reads values from the store: each key once, however many calls need it, and those of one turn of the event
 * loop together. Never fails: if the store is unreachable or slow, nothing is found.
 */
export class Reader {
  readonly #parts: ReaderParts;
  readonly #lookups = new Map<string, Lookup>();
  #waiting: Lookup[] = [];
  #reads = 0;
  #due = false;

  constructor(parts: ReaderParts) {
    this.#parts = parts;
  }

  find(key: ConversationKey): Promise<ConversationValue | undefined> {
    const name = mapKey(key);
    const running = this.#lookups.get(name);
    if (running !== undefined) return running.found.promise;
    if (this.#lookups.size >= CONVERSATION_LOOKUPS_MAX) return Promise.resolve(undefined);
    const lookup: Lookup = { key, found: Promise.withResolvers() };
    const late = setTimeout(() => lookup.found.resolve(undefined), CONVERSATION_FIND_MS);
    late.unref();
    this.#lookups.set(name, lookup);
    this.#waiting.push(lookup);
    this.#readSoon();
    return lookup.found.promise.finally(() => clearTimeout(late));
  }

  /** Look-ups in progress find nothing, because the value is being deleted. */
  forget(key: ConversationKey): void {
    this.#lookups.get(mapKey(key))?.found.resolve(undefined);
  }

  #readSoon(): void {
    if (this.#due) return;
    this.#due = true;
    setImmediate(() => {
      this.#due = false;
      this.#readNext();
    });
  }

  #readNext(): void {
    while (this.#waiting.length > 0 && this.#reads < CONVERSATION_READS_MAX) {
      const batch = this.#waiting.splice(0, CONVERSATION_READ_KEYS_MAX);
      this.#reads++;
      void this.#read(batch).finally(() => {
        this.#reads--;
        for (const { key } of batch) this.#lookups.delete(mapKey(key));
        this.#readNext();
      });
    }
  }

  async #read(batch: readonly Lookup[]): Promise<void> {
    const found = new Map<string, ConversationValue>();
    try {
      const keys = batch.map(({ key }) => key);
      for (const value of await this.#parts.store.read(keys, this.#parts.sinceMs())) {
        found.set(mapKey(value), value);
      }
    } catch (error) {
      this.#parts.onFailure(error);
    }
    for (const lookup of batch) lookup.found.resolve(found.get(mapKey(lookup.key)));
  }
}
