import { StoreUnavailable } from '../accounts/contract.ts';
import {
  CONVERSATION_BATCH_BYTES_MAX,
  CONVERSATION_BATCH_MAX,
  CONVERSATION_RETRY_MS,
  CONVERSATION_WRITE_WAIT_MS,
  CONVERSATIONS_UNWRITTEN_BYTES_MAX,
  CONVERSATIONS_UNWRITTEN_MAX,
} from '../bounds.ts';
import type { Logger } from '../kernel/log.ts';
import type { ConversationKey, ConversationStore, ConversationValue } from './contract.ts';
import { RecentValues, type RecentValuesBounds } from './recent-values.ts';

const QUEUE: RecentValuesBounds = {
  countMax: CONVERSATIONS_UNWRITTEN_MAX,
  bytesMax: CONVERSATIONS_UNWRITTEN_BYTES_MAX,
};
const BATCH: RecentValuesBounds = {
  countMax: CONVERSATION_BATCH_MAX,
  bytesMax: CONVERSATION_BATCH_BYTES_MAX,
};

export interface WriterParts {
  readonly store: Pick<ConversationStore, 'write'>;
  readonly log: Logger;
  /** The store has it now. */
  readonly onWritten: (value: ConversationValue) => void;
}

/** Writes values to the store in the background: in batches, one at a time. */
export class Writer {
  readonly #queue = new RecentValues(QUEUE);
  readonly #parts: WriterParts;
  #timer: NodeJS.Timeout | undefined;
  /** Writes batch after batch until nothing waits, or the store is unreachable. */
  #running: Promise<void> | undefined;
  #batch: Promise<boolean> | undefined;
  /** Values were dropped since the last batch. It is logged once, not per value. */
  #dropping = false;

  constructor(parts: WriterParts) {
    this.#parts = parts;
  }

  /** Values that are not in the store yet. */
  get waiting(): number {
    return this.#queue.size;
  }

  get(key: ConversationKey): ConversationValue | undefined {
    return this.#queue.get(key);
  }

  put(value: ConversationValue): void {
    const dropped = this.#queue.put(value);
    if (dropped > 0 && !this.#dropping) {
      this.#dropping = true;
      const waiting = this.#queue.size;
      this.#parts.log.warn(
        { waiting },
        'the database does not take conversations: the oldest waiting ones are dropped',
      );
    }
    this.#schedule(CONVERSATION_WRITE_WAIT_MS);
  }

  /** True if it was waiting. A batch in progress may contain it too, so this resolves after that batch. */
  async take(key: ConversationKey): Promise<boolean> {
    const taken = this.#queue.take(key) !== undefined;
    await this.#batch;
    return taken;
  }

  /** Writes what waits, until nothing does or the store is unreachable. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await (this.#running ?? this.#run());
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #schedule(waitMs: number): void {
    if (this.#timer !== undefined || this.#running !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#run();
    }, waitMs);
    this.#timer.unref();
  }

  #run(): Promise<void> {
    this.#running = this.#writeAll().finally(() => {
      this.#running = undefined;
      if (this.#queue.size > 0) this.#schedule(CONVERSATION_RETRY_MS);
    });
    return this.#running;
  }

  async #writeAll(): Promise<void> {
    while (this.#queue.size > 0) {
      this.#batch = this.#write(this.#queue.oldest(BATCH));
      if (!(await this.#batch)) return;
    }
  }

  /** False if the store is unreachable: the batch keeps waiting. */
  async #write(batch: readonly ConversationValue[]): Promise<boolean> {
    let written = true;
    try {
      await this.#parts.store.write(batch);
      this.#dropping = false;
    } catch (error) {
      if (error instanceof StoreUnavailable) return false;
      // Another attempt would fail again, and delay all others.
      this.#parts.log.error(
        { err: error, values: batch.length },
        'conversations could not be stored and are lost',
      );
      written = false;
    }
    for (const value of batch) {
      // A newer value with the same key waits for its own turn. A deleted one is not brought back.
      if (this.#queue.get(value) !== value) continue;
      this.#queue.take(value);
      if (written) this.#parts.onWritten(value);
    }
    return true;
  }
}
