import { StoreUnavailable } from '../accounts/contract.ts';
import {
  CONVERSATION_BYTES_PER_ACCOUNT_MAX,
  CONVERSATION_PRUNE_ROWS,
  CONVERSATION_PRUNE_STEPS_MAX,
  CONVERSATION_TRIM_ACCOUNTS_MAX,
  CONVERSATION_UPKEEP_MS,
  CONVERSATIONS_PER_ACCOUNT_MAX,
} from '../bounds.ts';
import type { Logger } from '../kernel/log.ts';
import type { AccountBounds, ConversationStore } from './contract.ts';

const BOUNDS: AccountBounds = {
  rowsMax: CONVERSATIONS_PER_ACCOUNT_MAX,
  bytesMax: CONVERSATION_BYTES_PER_ACCOUNT_MAX,
  limit: CONVERSATION_PRUNE_ROWS,
};

export interface UpkeepParts {
  readonly store: Pick<ConversationStore, 'prune' | 'trim'>;
  /** Values as old as this are deleted. */
  readonly beforeMs: () => number;
  /** Drops values in memory that are no longer of use. */
  readonly dropCached: () => void;
  readonly log: Logger;
  readonly bounds?: AccountBounds;
}

/** Deletes in the background: values that are too old, and the oldest of accounts that have too much. */
export class Upkeep {
  readonly #parts: UpkeepParts;
  readonly #timer: NodeJS.Timeout;
  /** Accounts with new values since they were last checked. */
  readonly #grown = new Set<number>();
  #running: Promise<void> | undefined;
  #stopped = false;

  constructor(parts: UpkeepParts) {
    this.#parts = parts;
    this.#timer = setInterval(() => void this.round(), CONVERSATION_UPKEEP_MS);
    this.#timer.unref();
  }

  grown(accountId: number): void {
    this.#grown.add(accountId);
  }

  /** One round at a time. A caller during a round gets that round. */
  round(): Promise<void> {
    this.#running ??= this.#work().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#timer);
    await this.#running;
  }

  async #work(): Promise<void> {
    const { store, beforeMs, dropCached, bounds = BOUNDS, log } = this.#parts;
    dropCached();
    try {
      await this.#repeat(() => store.prune(beforeMs(), CONVERSATION_PRUNE_ROWS), CONVERSATION_PRUNE_ROWS);
      const accountIds = [...this.#grown].slice(0, CONVERSATION_TRIM_ACCOUNTS_MAX);
      if (accountIds.length === 0) return;
      await this.#repeat(() => store.trim(accountIds, bounds), bounds.limit);
      for (const accountId of accountIds) this.#grown.delete(accountId);
    } catch (error) {
      // If the store is unreachable, the next round tries again.
      if (!(error instanceof StoreUnavailable))
        log.error({ err: error }, 'deleting old conversations failed; it is tried again');
    }
  }

  /** In steps, so that no statement locks many rows for long. */
  async #repeat(step: () => Promise<number>, full: number): Promise<void> {
    for (let steps = 0; steps < CONVERSATION_PRUNE_STEPS_MAX && !this.#stopped; steps++) {
      if ((await step()) < full) return;
    }
  }
}
