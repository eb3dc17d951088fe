import { SETTLE_POSTPONED_LOOK_MS, SETTLE_POSTPONED_MAX, SETTLE_POSTPONED_MS_MAX } from '../bounds.ts';
import type { Gate } from '../gate/contract.ts';
import type { CallRecord } from './contract.ts';
import { chooseDue, type SettleOrder } from './overrun.ts';

export interface PostponedOptions {
  readonly gate: Pick<Gate, 'covers'>;
  /** Called when it is time to ask again. */
  readonly onLook: () => void;
  readonly lookMs?: number | undefined;
  readonly longestMs?: number | undefined;
}

/**
 * Ended calls that cost more than their holds and wait for others of their accounts. They stay in the
 * journal.
 */
export class Postponed {
  readonly #options: PostponedOptions;
  /** With the time at which each was first postponed. */
  #calls = new Map<CallRecord, number>();
  #looks = false;
  /** They are part of the batch that is being settled. */
  #inBatch = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: PostponedOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#calls.size;
  }

  /** Whether the next batch includes them. */
  get looks(): boolean {
    return this.#looks;
  }

  /** Includes them in the next batch. */
  look(): void {
    this.stop();
    this.#looks = this.#calls.size > 0;
  }

  /** Returns the calls that belong to the batch that begins. */
  begin(): readonly CallRecord[] {
    this.#inBatch = this.#looks;
    this.#looks = false;
    return this.#inBatch ? [...this.#calls.keys()] : [];
  }

  /** Calls that waited too long, or for which there is no space, are settled with what their account has. */
  async choose(calls: readonly CallRecord[], nowMs: number): Promise<SettleOrder> {
    const { now, later } = await chooseDue(calls, this.#options.gate);
    if (later.length === 0) return { now, later };
    const longestMs = this.#options.longestMs ?? SETTLE_POSTPONED_MS_MAX;
    const room = SETTLE_POSTPONED_MAX - (this.#inBatch ? 0 : this.#calls.size);
    const patient = later.filter((call) => nowMs - (this.#calls.get(call) ?? nowMs) < longestMs);
    const kept = new Set(patient.slice(0, Math.max(0, room)));
    return { now: [...now, ...later.filter((call) => !kept.has(call))], later: [...kept] };
  }

  /** The batch is settled, and these calls of it wait. */
  keep(later: readonly CallRecord[], nowMs: number): void {
    const before = this.#calls;
    if (this.#inBatch) this.#calls = new Map();
    for (const call of later) this.#calls.set(call, before.get(call) ?? nowMs);
    this.#inBatch = false;
    if (this.#calls.size === 0) return;
    this.#timer ??= setTimeout(() => {
      this.look();
      this.#options.onLook();
    }, this.#options.lookMs ?? SETTLE_POSTPONED_LOOK_MS).unref();
  }

  /** The batch was not settled and is tried again unchanged. */
  failed(): void {
    this.#looks ||= this.#inBatch;
    this.#inBatch = false;
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
