import { StoreUnavailable } from '../accounts/contract.ts';
import {
  CONVERSATION_CACHE_MS,
  CONVERSATION_KEY_CHARS_MAX,
  CONVERSATION_STOP_MS,
  CONVERSATION_VALUE_BYTES_MAX,
  CONVERSATIONS_CACHED_BYTES_MAX,
  CONVERSATIONS_CACHED_MAX,
} from '../bounds.ts';
import type { Logger } from '../kernel/log.ts';
import type { Clock } from '../kernel/time/clock.ts';
import type { ConversationStore, Conversations, ConversationValue } from './contract.ts';
import { Reader } from './reader.ts';
import { RecentValues } from './recent-values.ts';
import { Upkeep } from './upkeep.ts';
import { Writer } from './writer.ts';

const DAY_MS = 86_400_000;

export interface ConversationParts {
  readonly store: ConversationStore;
  readonly clock: Clock;
  readonly log: Logger;
  /** 0: nothing is stored, and stored values are deleted. */
  readonly retentionDays: number;
}

/**
 * Conversations in memory, with a store behind: recent values are found at once, values of another node or
 * from before a restart a moment later.
 */
export class StoredConversations implements Conversations {
  readonly #parts: ConversationParts;
  readonly #cached = new RecentValues({
    countMax: CONVERSATIONS_CACHED_MAX,
    bytesMax: CONVERSATIONS_CACHED_BYTES_MAX,
  });
  /** When a value in memory is no longer trusted, because another node may have deleted it. */
  readonly #cachedAt = new WeakMap<ConversationValue, number>();
  readonly #writer: Writer;
  readonly #reader: Reader;
  readonly #upkeep: Upkeep;

  constructor(parts: ConversationParts) {
    const { store, log } = parts;
    this.#parts = parts;
    const sinceMs = (): number => this.#oldestMs();
    const dropCached = (): void => this.#cached.dropWhile((value) => !this.#isTrusted(value));
    this.#upkeep = new Upkeep({ store, log, beforeMs: sinceMs, dropCached });
    const onWritten = (value: ConversationValue): void => {
      this.#cache(value);
      this.#upkeep.grown(value.accountId);
    };
    this.#writer = new Writer({ store, log, onWritten });
    this.#reader = new Reader({ store, sinceMs, onFailure: (error) => this.#readFailed(error) });
  }

  keep(accountId: number, key: string, value: Buffer): void {
    if (this.#parts.retentionDays === 0) return;
    if (value.length > CONVERSATION_VALUE_BYTES_MAX || key.length > CONVERSATION_KEY_CHARS_MAX) {
      this.#parts.log.debug({ accountId, bytes: value.length }, 'conversation is too large to be stored');
      return;
    }
    // An older value must not come back when this one is dropped.
    this.#cached.take({ accountId, key });
    this.#writer.put({ accountId, key, value, createdAtMs: this.#parts.clock.now() });
  }

  find(accountId: number, key: string): Buffer | undefined | Promise<Buffer | undefined> {
    if (this.#parts.retentionDays === 0 || key.length > CONVERSATION_KEY_CHARS_MAX) return undefined;
    const wanted = { accountId, key };
    const known = this.#writer.get(wanted) ?? this.#trusted(this.#cached.get(wanted));
    if (known !== undefined) return known.createdAtMs > this.#oldestMs() ? known.value : undefined;
    return this.#reader.find(wanted).then((found) => {
      if (found === undefined) return undefined;
      this.#cache(found);
      return found.value;
    });
  }

  async forget(accountId: number, key: string): Promise<boolean> {
    if (key.length > CONVERSATION_KEY_CHARS_MAX) return false;
    const wanted = { accountId, key };
    const waited = await this.#writer.take(wanted);
    const stored = await this.#parts.store.remove(wanted);
    // Last, because a look-up that began before may have brought it back in the meantime.
    this.#reader.forget(wanted);
    const cached = this.#cached.take(wanted) !== undefined;
    return stored || waited || cached;
  }

  /** Deletes what is due now. This also happens periodically. */
  async tidy(): Promise<void> {
    await this.#upkeep.round();
  }

  /** Writes everything to the store. */
  async flush(): Promise<void> {
    await this.#writer.flush();
  }

  async stop(): Promise<void> {
    await this.#upkeep.stop();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, CONVERSATION_STOP_MS);
    });
    await Promise.race([this.#writer.flush(), late]);
    clearTimeout(timer);
    this.#writer.stop();
    const { waiting } = this.#writer;
    if (waiting > 0)
      this.#parts.log.warn(
        { values: waiting },
        'conversations could not be stored before the stop and are lost',
      );
  }

  #oldestMs(): number {
    return this.#parts.clock.now() - this.#parts.retentionDays * DAY_MS;
  }

  #cache(value: ConversationValue): void {
    this.#cachedAt.set(value, this.#parts.clock.monotonic());
    this.#cached.put(value);
  }

  #trusted(value: ConversationValue | undefined): ConversationValue | undefined {
    if (value === undefined) return undefined;
    if (this.#isTrusted(value)) {
      // Values that are used stay longer.
      this.#cached.put(value);
      return value;
    }
    this.#cached.take(value);
    return undefined;
  }

  #isTrusted(value: ConversationValue): boolean {
    const cachedAt = this.#cachedAt.get(value) ?? Number.NEGATIVE_INFINITY;
    return this.#parts.clock.monotonic() - cachedAt < CONVERSATION_CACHE_MS;
  }

  #readFailed(error: unknown): void {
    if (error instanceof StoreUnavailable)
      this.#parts.log.debug({}, 'conversations cannot be read: the database does not answer');
    else this.#parts.log.error({ err: error }, 'reading conversations failed');
  }
}
