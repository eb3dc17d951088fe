import {
  SETTLE_BATCH_MAX,
  SETTLE_BUSY_CALLS,
  SETTLE_BUSY_WAIT_MS,
  SETTLE_QUEUE_MAX,
  SETTLE_RETRY_MS,
  SETTLE_RETRY_MS_MAX,
  SETTLE_WAIT_MS,
} from '../bounds.ts';
import type { Gate } from '../gate/contract.ts';
import { assert } from '../kernel/assert.ts';
import { fault } from '../kernel/fault.ts';
import type { Logger } from '../kernel/log.ts';
import type { Clock } from '../kernel/time/clock.ts';
import { type BatchResult, settleBatch } from './batch.ts';
import type { CallRecord, LedgerStore } from './contract.ts';
import type { FileJournal, Location } from './journal/journal.ts';
import { keepRejected } from './journal/rejected.ts';
import { overrunsLast } from './overrun.ts';
import { Postponed } from './postponed.ts';
import { tellGate } from './tell-gate.ts';

export interface SettlerOptions {
  readonly journal: FileJournal;
  readonly store: LedgerStore;
  readonly gate: Pick<Gate, 'settled' | 'covers'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly batchMax?: number;
  readonly queueMax?: number;
  readonly waitMs?: number | undefined;
  readonly retryMsMax?: number;
  readonly postponedLookMs?: number;
  readonly postponedMsMax?: number;
  /** For metrics: a batch was committed. */
  readonly onBatch?: (size: number, durationMs: number) => void;
  /** For metrics: the store refused these calls. */
  readonly onRejected?: (calls: number) => void;
}

/** Settles the ended calls of the journal in the store, in order, in batches, exactly once. */
export interface Settler {
  /** Ended calls that are not settled yet. */
  readonly lag: number;
  /**
   * Of these, the calls that cost more than their holds and wait for other calls of their accounts
   * (overrun.ts).
   */
  readonly postponed: number;
  /**
   * Settles everything that waits now, and at the end of a process also what was postponed. Returns whether
   * everything was settled within the time.
   */
  drain(timeoutMs: number, postponed?: 'settle' | 'keep'): Promise<boolean>;
  /** Stops. What is not settled stays in the journal for the next start. */
  stop(): Promise<void>;
}

export function createSettler(options: SettlerOptions): Settler {
  const settler = new QueueSettler(options);
  options.journal.onEnded((call, location) => settler.add(call, location));
  return settler;
}

/** A call in memory, or only its location in the journal. */
type Queued = { readonly call: CallRecord } | { readonly location: Location };

/** Reading a call back costs about 15 µs of the event loop, so a batch reads a bounded number. */
const READ_BACK_MAX = 250;

class QueueSettler implements Settler {
  readonly #options: SettlerOptions;
  readonly #batchMax: number;
  readonly #queueMax: number;
  /** The queue is `#queue` from `#head` on. Its front is cut off now and then, not with every batch. */
  #queue: Queued[] = [];
  #head = 0;
  #inMemory = 0;
  #failures = 0;
  /** Calls of the last batch. */
  #lastSize = 0;
  #running: Promise<void> | undefined;
  #wake: (() => void) | undefined;
  #company = true;
  #stopped = false;
  readonly #postponed: Postponed;
  /** Nothing is postponed any more, because the process ends. */
  #isLast = false;

  constructor(options: SettlerOptions) {
    this.#options = options;
    this.#batchMax = options.batchMax ?? SETTLE_BATCH_MAX;
    this.#queueMax = options.queueMax ?? SETTLE_QUEUE_MAX;
    const { gate, postponedLookMs: lookMs, postponedMsMax: longestMs } = options;
    this.#postponed = new Postponed({ gate, lookMs, longestMs, onLook: () => this.#start() });
  }

  get lag(): number {
    return this.#waiting + this.#postponed.size;
  }

  get postponed(): number {
    return this.#postponed.size;
  }

  get #waiting(): number {
    return this.#queue.length - this.#head;
  }

  add(call: CallRecord, location: Location | undefined): void {
    // While the store is unreachable the queue may grow to the whole journal: then locations are kept, not
    // calls.
    const keep = location === undefined || this.#inMemory < this.#queueMax;
    if (keep) this.#inMemory += 1;
    this.#queue.push(keep ? { call } : { location });
    this.#start();
    if (this.#failures === 0 && this.#waiting >= this.#batchMax) this.#wake?.();
  }

  async drain(timeoutMs: number, postponed: 'settle' | 'keep' = 'settle'): Promise<boolean> {
    // Includes calls that ended in this turn.
    this.#options.journal.flush();
    this.#company = false;
    this.#isLast = postponed === 'settle';
    this.#postponed.look();
    this.#wake?.();
    if (this.#hasWork()) this.#start();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, timeoutMs);
    });
    await Promise.race([this.#running, late]);
    clearTimeout(timer);
    this.#company = true;
    this.#isLast = false;
    return postponed === 'settle' ? this.lag === 0 : this.#waiting === 0;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#postponed.stop();
    this.#wake?.();
    await this.#running;
  }

  #start(): void {
    if (this.#running !== undefined || this.#stopped) return;
    this.#running = this.#work().finally(() => {
      this.#running = undefined;
      if (this.#hasWork()) this.#start();
    });
  }

  #hasWork(): boolean {
    return this.#waiting > 0 || this.#postponed.looks;
  }

  /** Runs while calls wait. Throws nothing: failures are tried again. */
  async #work(): Promise<void> {
    while (this.#hasWork() && !this.#stopped) {
      if (this.#failures > 0) await this.#pause(this.#retryMs());
      else if (this.#company && this.#waiting < this.#batchMax) await this.#pause(this.#waitMs());
      if (this.#stopped) return;
      try {
        await this.#settleNext();
        if (this.#failures > 0) this.#options.log.info({ lag: this.lag }, 'settlement works again');
        this.#failures = 0;
      } catch (error) {
        this.#failures += 1;
        this.#postponed.failed();
        const fields = { err: error, failures: this.#failures, lag: this.lag };
        this.#options.log.warn(fields, 'settlement failed and is tried again; calls wait in the journal');
      }
    }
  }

  /** Calls leave the front of the queue only after the store has them. */
  async #settleNext(): Promise<void> {
    const { store, journal, gate, clock, log, onBatch } = this.#options;
    const startedMs = clock.monotonic();
    const again = this.#postponed.begin();
    const { calls, taken } = this.#front(this.#batchMax - again.length);
    const all = [...again, ...calls];
    const due = this.#isLast
      ? { now: overrunsLast(all), later: [] }
      : await this.#postponed.choose(all, startedMs);
    const result = await settleBatch(store, due.now);
    // No call passed, so the store is probably the cause, not the calls.
    if (result.settled.length === 0 && result.poison.length > 0) throw result.error;
    await this.#reject(result);
    // Before the journal forgets the calls: after a crash here, recovery tells the gate again.
    await tellGate(gate, result, log);
    fault('settle.told-gate');
    journal.committed(listCallIds(result.settled));
    journal.committed(listCallIds(result.poison));
    this.#drop(taken);
    this.#lastSize = taken;
    this.#postponed.keep(due.later, startedMs);
    onBatch?.(result.settled.length, clock.monotonic() - startedMs);
  }

  #front(most: number): { readonly calls: readonly CallRecord[]; readonly taken: number } {
    const calls: CallRecord[] = [];
    let taken = 0;
    let readBack = 0;
    while (taken < most && readBack < READ_BACK_MAX) {
      const queued = this.#queue[this.#head + taken];
      if (queued === undefined) break;
      taken += 1;
      if ('call' in queued) {
        calls.push(queued.call);
        continue;
      }
      readBack += 1;
      const call = this.#options.journal.read(queued.location);
      if (call !== undefined) calls.push(call);
      // It is never committed, so its segment stays for an operator to examine.
      else
        this.#options.log.error(
          { place: `${queued.location.segment.path}:${queued.location.offset}` },
          'an ended call cannot be read from the journal; its segment is kept',
        );
    }
    return { calls, taken };
  }

  #drop(count: number): void {
    for (let index = this.#head; index < this.#head + count; index++) {
      const queued = this.#queue[index];
      if (queued !== undefined && 'call' in queued) this.#inMemory -= 1;
    }
    this.#head += count;
    assert(this.#head <= this.#queue.length && this.#inMemory >= 0, 'only what waits is dropped');
    if (this.#head * 2 < this.#queue.length) return;
    this.#queue = this.#queue.slice(this.#head);
    this.#head = 0;
  }

  async #reject(result: BatchResult): Promise<void> {
    if (result.poison.length === 0) return;
    const { journal, log, onRejected } = this.#options;
    onRejected?.(result.poison.length);
    await keepRejected(journal.directory, result.poison);
    const fields = { err: result.error, calls: listCallIds(result.poison) };
    log.error(
      fields,
      'the database refuses these calls: they are NOT charged, and kept in rejected.log for an operator',
    );
  }

  #waitMs(): number {
    const isBusy = this.#lastSize >= SETTLE_BUSY_CALLS;
    return this.#options.waitMs ?? (isBusy ? SETTLE_BUSY_WAIT_MS : SETTLE_WAIT_MS);
  }

  #retryMs(): number {
    const longestMs = this.#options.retryMsMax ?? SETTLE_RETRY_MS_MAX;
    return Math.min(longestMs, SETTLE_RETRY_MS * 2 ** Math.min(this.#failures - 1, 10));
  }

  async #pause(ms: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      timer = setTimeout(resolve, ms);
    });
    this.#wake = undefined;
    clearTimeout(timer);
  }
}

function listCallIds(calls: readonly CallRecord[]): readonly string[] {
  return calls.map((call) => call.callId);
}
