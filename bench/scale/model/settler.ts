/** Ended calls of a node, settled in batches: one transaction at a time. */
import type { Costs } from './costs.ts';
import { GATE_SHARES, NODE_SHARES } from './costs.ts';
import type { EventLoop } from './event-loop.ts';
import type { Process } from './machine.ts';
import type { Timeline } from './timeline.ts';

/** SETTLE_BATCH_MAX, SETTLE_WAIT_MS, SETTLE_BUSY_CALLS and SETTLE_BUSY_WAIT_MS of the product. */
const BATCH_MAX = 1_000;
const WAIT_MS = 50;
const BUSY_CALLS = 20;
const BUSY_WAIT_MS = 250;

export class Settler {
  readonly #timeline: Timeline;
  readonly #loop: EventLoop;
  readonly #database: Process;
  readonly #costs: Costs;
  #waiting: number[] = [];
  #isBusy = false;
  #lastBatch = 0;
  #settled = 0;
  #batches = 0;

  constructor(
    timeline: Timeline,
    on: { readonly loop: EventLoop; readonly database: Process; readonly costs: Costs },
  ) {
    this.#timeline = timeline;
    this.#loop = on.loop;
    this.#database = on.database;
    this.#costs = on.costs;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  get settled(): number {
    return this.#settled;
  }

  get batches(): number {
    return this.#batches;
  }

  /** `account` is where the gate counts the call. */
  add(account: number): void {
    this.#waiting.push(account);
    if (!this.#isBusy) this.#wait();
  }

  #wait(): void {
    this.#isBusy = true;
    const waitMs = this.#lastBatch >= BUSY_CALLS ? BUSY_WAIT_MS : WAIT_MS;
    // A full batch waits for nobody.
    this.#timeline.after(this.#waiting.length >= BATCH_MAX ? 0 : waitMs, () => this.#settle());
  }

  #settle(): void {
    const batch = this.#waiting.splice(0, BATCH_MAX);
    const { node, postgres } = this.#costs;
    this.#lastBatch = batch.length;
    this.#loop.do(node.callMs * NODE_SHARES.settle * batch.length, () => {
      this.#database.run(postgres.batchMs + postgres.callMs * batch.length, () => this.#tell(batch));
    });
  }

  #tell(batch: readonly number[]): void {
    this.#settled += batch.length;
    this.#batches += 1;
    const workMs = this.#costs.redis.callMs * GATE_SHARES.settle;
    this.#loop.do(0, () => {
      for (const key of batch) this.#loop.ask({ key, workMs, done: () => {} });
    });
    if (this.#waiting.length > 0) this.#wait();
    else this.#isBusy = false;
  }
}
