/** A node: the life of a call in it, from its arrival to its settlement. */
import type { Random } from '../../../src/kernel/random.ts';
import { type Costs, GATE_SHARES, NODE_SHARES } from './costs.ts';
import { logNormal } from './distribution.ts';
import type { EventLoop } from './event-loop.ts';
import type { Process } from './machine.ts';
import type { Settler } from './settler.ts';
import type { Timeline } from './timeline.ts';

/** What vendors do: an assumption of a scenario, nothing that was measured. */
export interface Vendor {
  readonly medianMs: number;
  /** Standard deviation of the logarithm of its times; 0: always the same. */
  readonly spread: number;
  /** Of the attempts. */
  readonly failureShare: number;
  /** Further attempts after the first. */
  readonly retriesMax: number;
  /** Events of an answer; 0 is a plain one. */
  readonly events: number;
}

export interface Surroundings {
  readonly timeline: Timeline;
  readonly random: Random;
  readonly vendor: Vendor;
  readonly costs: Costs;
  /** Of the benchmark: takes the processor of whoever plays the vendor and the client. */
  readonly harness?: { readonly vendor: Process; readonly client: Process };
}

export interface Call {
  readonly arrivedMs: number;
  readonly account: number;
  readonly credential: number;
  readonly ended: (outcome: Outcome) => void;
  vendorMs: number;
  attempts: number;
}

export interface Outcome {
  readonly status: 'served' | 'failed';
  /** All of it, less what vendors took. */
  readonly addedMs: number;
}

/** The events of a stream are passed on in so many pieces, each of which is a moment of the simulation. */
const PIECES_MAX = 8;

export class Node {
  readonly #around: Surroundings;
  readonly #loop: EventLoop;
  readonly #settler: Settler;
  #open = 0;

  constructor(around: Surroundings, on: { readonly loop: EventLoop; readonly settler: Settler }) {
    this.#around = around;
    this.#loop = on.loop;
    this.#settler = on.settler;
  }

  get open(): number {
    return this.#open;
  }

  get loop(): EventLoop {
    return this.#loop;
  }

  get settler(): Settler {
    return this.#settler;
  }

  arrive(call: Call): void {
    const { node, redis } = this.#around.costs;
    this.#open += 1;
    this.#loop.do(node.callMs * NODE_SHARES.arrive, () => {
      this.#loop.ask({
        key: call.account,
        workMs: redis.callMs * GATE_SHARES.enterAccount,
        done: () => this.#attempt(call),
      });
    });
  }

  #attempt(call: Call): void {
    const { node, redis } = this.#around.costs;
    call.attempts += 1;
    this.#loop.do(0, () => {
      this.#loop.ask({
        key: call.credential,
        workMs: redis.callMs * GATE_SHARES.enterCredential,
        done: () => this.#loop.do(node.callMs * NODE_SHARES.forward, () => this.#askVendor(call)),
      });
    });
  }

  #askVendor(call: Call): void {
    const { timeline, random, vendor, costs, harness } = this.#around;
    const tookMs = vendor.spread === 0 ? vendor.medianMs : logNormal(random, vendor.medianMs, vendor.spread);
    const isFailure = random.unit() < vendor.failureShare;
    call.vendorMs += tookMs;
    const answered = (): void => {
      if (isFailure && call.attempts <= vendor.retriesMax) this.#attempt(call);
      else this.#relay(call, isFailure ? 'failed' : 'served', tookMs);
    };
    // A stream answers at once and takes its time; a plain answer comes when all of it is there.
    const waitMs = vendor.events > 0 && !isFailure ? 0 : tookMs;
    if (harness === undefined) timeline.after(waitMs, answered);
    else harness.vendor.run(costs.harness.vendorMs, answered);
  }

  #relay(call: Call, status: Outcome['status'], tookMs: number): void {
    const { timeline, vendor, costs } = this.#around;
    const events = status === 'failed' ? 0 : vendor.events;
    const pieces = Math.min(events, PIECES_MAX);
    const pieceMs = (costs.node.eventMs * events) / Math.max(pieces, 1);
    const next = (left: number): void => {
      if (left === 0) this.#answer(call, status);
      else timeline.after(tookMs / pieces, () => this.#loop.do(pieceMs, () => next(left - 1)));
    };
    next(pieces);
  }

  #answer(call: Call, status: Outcome['status']): void {
    const { costs, harness } = this.#around;
    this.#loop.do(costs.node.callMs * NODE_SHARES.answer, () => {
      if (harness === undefined) this.#end(call, status);
      else harness.client.run(costs.harness.clientMs, () => this.#end(call, status));
      this.#leave(call);
    });
  }

  #end(call: Call, status: Outcome['status']): void {
    this.#open -= 1;
    call.ended({ status, addedMs: this.#around.timeline.nowMs - call.arrivedMs - call.vendorMs });
  }

  /** Nobody waits for the ends; the settlement does not wait for them either. */
  #leave({ account, credential }: Call): void {
    const { redis } = this.#around.costs;
    const done = (): void => {};
    this.#loop.ask({ key: account, workMs: redis.callMs * GATE_SHARES.leaveAccount, done });
    this.#loop.ask({ key: credential, workMs: redis.callMs * GATE_SHARES.leaveCredential, done });
    this.#settler.add(account);
  }
}
