import { StoreUnavailable } from '../accounts/contract.ts';
import type { Logger } from '../kernel/log.ts';
import { CONDITIONS_MS, DOCTOR_EVERY_MS } from './bounds.ts';
import type { AlertStore, ConditionSource } from './contract.ts';

export interface RoundParts {
  readonly store: AlertStore;
  /** Looked at every minute. */
  readonly sources: readonly ConditionSource[];
  /** Looked at once a day, because it reads the whole ledger. */
  readonly doctor: ConditionSource;
  readonly log: Logger;
}

/**
 * Looks for conditions in what is recorded, never in the path of a call. The database chooses the one node
 * that does it, and decides by the key of a condition whether it was told.
 */
export class AlertRounds {
  readonly #parts: RoundParts;
  #running: Promise<void> | undefined;

  constructor(parts: RoundParts) {
    this.#parts = parts;
  }

  /** One at a time. Never throws. */
  run(): Promise<void> {
    this.#running ??= this.#work().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async stop(): Promise<void> {
    await this.#running;
  }

  async #work(): Promise<void> {
    const { store, sources, doctor, log } = this.#parts;
    try {
      if (await store.claimTask('conditions', CONDITIONS_MS)) {
        for (const source of sources) await this.#look(source);
        await store.prune();
      }
      if (await store.claimTask('doctor', DOCTOR_EVERY_MS)) await this.#look(doctor);
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) log.error({ err: error }, 'a round of alerts failed');
    }
  }

  /** A source that fails says nothing about its conditions, so they stay as they were. */
  async #look(source: ConditionSource): Promise<void> {
    const { store, log } = this.#parts;
    try {
      await store.reconcile(source.kinds, await source.find());
    } catch (error) {
      if (error instanceof StoreUnavailable) throw error;
      log.error({ err: error, kinds: source.kinds }, 'conditions for alerts could not be read');
    }
  }
}
