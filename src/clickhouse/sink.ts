import { StoreUnavailable } from '../accounts/contract.ts';
import { fault } from '../kernel/fault.ts';
import type { Logger } from '../kernel/log.ts';
import type { Clock } from '../kernel/time/clock.ts';
import { cutBatch, toBatch } from './batch.ts';
import {
  BATCH_CALLS_MAX,
  EMPTY_RANGE_MAX,
  SINK_LEASE_MS,
  SINK_PAUSE_MS_MAX,
  SINK_PAUSE_MS_MIN,
  SINK_ROUND_MS,
  SINK_STOP_MS,
} from './bounds.ts';
import type { SinkFence, SinkLine, SinkRange, SinkReport, SinkState, SinkStore } from './contract.ts';
import type { Receiver } from './receiver.ts';

export interface SinkOptions {
  readonly store: SinkStore;
  readonly receiver: Pick<Receiver, 'insert'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** Who this process is among all that send. */
  readonly holder: string;
  readonly roundMs?: number;
  /** Cuts an insert that takes too long when the server stops. */
  readonly cut?: () => Promise<void>;
}

/** Of this process, and of all as the store has it. */
export interface SinkFigures {
  readonly isUp: boolean;
  readonly report: SinkReport | undefined;
}

/** What a step of the work has come to: there may be more, nothing is left for now, or it failed. */
type Step = 'more' | 'idle' | 'failed';

/**
 * Sends settled calls to ClickHouse in the order of their numbers, one batch after the other, in the
 * background. The batch is written down before it is sent and the cursor moves when it has arrived. Who dies
 * in between leaves a batch that the next one repeats, call by call and with the same token.
 */
export class Sink {
  readonly #options: SinkOptions;
  readonly #roundMs: number;
  #fence: (SinkFence & { readonly atMs: number }) | undefined;
  /** All calls up to here are in the store, or never will be. */
  #settled: (SinkFence & { readonly atMs: number }) | undefined;
  #span = BATCH_CALLS_MAX;
  #pauseMs = SINK_PAUSE_MS_MIN;
  #isUp = true;
  #report: SinkReport | undefined;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(options: SinkOptions) {
    this.#options = options;
    this.#roundMs = options.roundMs ?? SINK_ROUND_MS;
  }

  get figures(): SinkFigures {
    return { isUp: this.#isUp, report: this.#report };
  }

  /** The first look comes after one interval, so that a start has the database to itself. */
  start(): void {
    this.#wait(this.#roundMs);
  }

  async stop(): Promise<void> {
    const { store, holder, cut } = this.#options;
    this.#isStopped = true;
    clearTimeout(this.#timer);
    const late = setTimeout(() => void cut?.(), SINK_STOP_MS);
    await this.#running;
    clearTimeout(late);
    await cut?.();
    // If the store is unreachable, the others wait until the time of this process is over.
    await store.release(holder).catch(() => undefined);
  }

  #wait(ms: number): void {
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => {
      this.#running = this.#round().then((step) => this.#wait(this.#nextMs(step)));
    }, ms);
  }

  #nextMs(step: Step): number {
    if (step === 'more') return 0;
    if (step === 'idle') return this.#roundMs;
    const ms = this.#pauseMs;
    this.#pauseMs = Math.min(2 * ms, SINK_PAUSE_MS_MAX);
    return ms;
  }

  /** Never throws. One batch at a time, so that a stop waits for one at most. */
  async #round(): Promise<Step> {
    const { store, holder, log } = this.#options;
    try {
      const state = await store.take(holder, SINK_LEASE_MS);
      const step = state === undefined ? 'idle' : await this.#work(state);
      this.#report = await store.report();
      return step;
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) {
        log.error({ err: error }, 'sending calls to ClickHouse failed; it is tried again');
      }
      return 'failed';
    }
  }

  async #work({ sentTo, sendingTo }: SinkState): Promise<Step> {
    const { store } = this.#options;
    if (sendingTo !== undefined) {
      const range = { after: sentTo, to: sendingTo };
      return await this.#send(range, await store.read(range, sendingTo - sentTo));
    }
    const settled = await this.#settledTo(sentTo);
    if (settled === undefined) return 'idle';
    const given = { after: sentTo, to: Math.min(settled, sentTo + this.#span) };
    const { range, lines } = cutBatch(given, await store.read(given, BATCH_CALLS_MAX), BATCH_CALLS_MAX);
    if (lines.length === 0) {
      this.#span = Math.min(2 * this.#span, EMPTY_RANGE_MAX);
      await store.advance(range, 0);
      return 'more';
    }
    this.#span = BATCH_CALLS_MAX;
    return (await store.begin(range)) ? await this.#send(range, lines) : 'more';
  }

  async #send(range: SinkRange, lines: readonly SinkLine[]): Promise<Step> {
    const { store, receiver, log } = this.#options;
    fault('sink.before-insert');
    const received = await receiver.insert(toBatch(range, lines));
    if (received.kind === 'failed') {
      const { reason, code } = received;
      log.warn({ reason, code, calls: lines.length }, 'ClickHouse did not take calls; they are sent again');
      this.#isUp = false;
      await store.failed(reason);
      return 'failed';
    }
    fault('sink.after-insert');
    await store.advance(range, lines.length);
    fault('sink.after-advance');
    if (!this.#isUp) log.info({}, 'ClickHouse takes calls again');
    this.#isUp = true;
    this.#pauseMs = SINK_PAUSE_MS_MIN;
    return 'more';
  }

  /**
   * The last number up to which all calls are known, if it is behind what was sent. Numbers are given before
   * a commit: a call may appear below another that is there already. So the last number is noted together
   * with the transactions of that moment, and used when all of these have ended.
   */
  async #settledTo(sentTo: number): Promise<number | undefined> {
    const { store, clock } = this.#options;
    if (this.#settled !== undefined && this.#settled.lastNumber > sentTo) return this.#settled.lastNumber;
    this.#fence ??= { atMs: clock.monotonic(), ...(await store.fence()) };
    if (!(await store.isPast(this.#fence))) return undefined;
    this.#settled = this.#fence;
    this.#fence = undefined;
    if (this.#settled.lastNumber > sentTo) return this.#settled.lastNumber;
    await store.caughtUp(clock.monotonic() - this.#settled.atMs);
    return undefined;
  }
}
