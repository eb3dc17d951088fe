/** `simulate` builds an installation, lets calls arrive at it, and tells how its parts fared. */
import { type Random, seededRandom } from '../../../src/kernel/random.ts';
import type { Costs } from './costs.ts';
import { exponential, type Times, timesOf } from './distribution.ts';
import { EventLoop, type Gate, type GateKind } from './event-loop.ts';
import { Machine, type Process } from './machine.ts';
import { Node, type Outcome, type Surroundings, type Vendor } from './node.ts';
import { Settler } from './settler.ts';
import { Timeline } from './timeline.ts';

export interface Installation {
  readonly nodes: number;
  readonly gate: GateKind;
  readonly shards: number;
  readonly postgresCores: number;
  /** `one core`: node, Redis and PostgreSQL share one, as in the benchmark. */
  readonly placement: 'apart' | 'one core';
  /** Accounts that call, each as often as the others; and credentials that serve them. */
  readonly accounts: number;
  readonly credentials: number;
  /** One way, between a node and Redis. */
  readonly networkMs: number;
}

export interface Load {
  readonly ratePerSecond: number;
  /** `even`: at fixed times, as the benchmark sends them. */
  readonly arrivals: 'random' | 'even';
  readonly vendor: Vendor;
  readonly warmMs: number;
  readonly measureMs: number;
  readonly seed: number;
}

export type Part = 'node' | 'redis' | 'postgres';

export interface Outcomes {
  readonly ratePerSecond: number;
  readonly servedPerSecond: number;
  readonly failed: number;
  /** What an installation adds to the time of its vendors. */
  readonly addedMs: Times;
  /** Share of a core that the busiest process of each part used. */
  readonly busiest: Readonly<Record<Part, number>>;
  /** Processor time of each part for a call that ended. */
  readonly callMs: Readonly<Record<Part, number>>;
  readonly tripsPerCall: number;
  readonly batchesPerCall: number;
  /** At the end: calls that run, and calls that ended and are not settled. */
  readonly open: number;
  readonly unsettled: number;
}

/** Accounts and credentials are counted in places of their own. */
const CREDENTIALS_FROM = 1_000_000_007;

class Running {
  readonly timeline = new Timeline();
  readonly parts: Readonly<Record<Part, readonly Process[]>>;
  readonly nodes: readonly Node[];
  readonly #postgresCores: number;

  constructor(
    installation: Installation,
    load: Load,
    on: { readonly costs: Costs; readonly random: Random },
  ) {
    const { timeline } = this;
    const { costs, random } = on;
    const shared = installation.placement === 'one core' ? new Machine(timeline, 1) : undefined;
    const start = (count: number, cores = 1): readonly Process[] =>
      Array.from({ length: count }, () => (shared ?? new Machine(timeline, cores)).startProcess());
    const database = shared ?? new Machine(timeline, installation.postgresCores);
    this.#postgresCores = installation.postgresCores;
    this.parts = {
      node: start(installation.nodes),
      redis: start(installation.shards),
      // A backend for each node: it settles one batch at a time.
      postgres: Array.from({ length: installation.nodes }, () => database.startProcess()),
    };
    const gate: Gate = {
      kind: installation.gate,
      shards: this.parts.redis,
      nodeTurnMs: costs.node.turnMs,
      nodeTripMs: costs.node.tripMs,
      redisTripMs: costs.redis.tripMs,
      networkMs: installation.networkMs,
    };
    const outside = shared && new Machine(timeline, 1);
    const harness = outside && { vendor: outside.startProcess(), client: outside.startProcess() };
    const around: Surroundings = {
      timeline,
      random,
      costs,
      vendor: load.vendor,
      ...(harness && { harness }),
    };
    this.nodes = this.parts.node.map((process, index) => {
      const loop = new EventLoop(timeline, process, gate);
      const own = this.parts.postgres[index];
      if (own === undefined) throw new Error('each node has a connection to PostgreSQL');
      return new Node(around, { loop, settler: new Settler(timeline, { loop, database: own, costs }) });
    });
  }

  read(): Reading {
    const busyMs = (part: Part): readonly number[] => this.parts[part].map((process) => process.busyMs);
    const sum = (value: (node: Node) => number): number =>
      this.nodes.reduce((total, node) => total + value(node), 0);
    return {
      node: busyMs('node'),
      redis: busyMs('redis'),
      // Backends share the cores of one machine.
      postgres: [busyMs('postgres').reduce((total, each) => total + each, 0) / this.#postgresCores],
      trips: sum(({ loop }) => loop.trips),
      batches: sum(({ settler }) => settler.batches),
    };
  }
}

interface Reading extends Readonly<Record<Part, readonly number[]>> {
  readonly trips: number;
  readonly batches: number;
}

export function simulate(installation: Installation, load: Load, costs: Costs): Outcomes {
  const random = seededRandom(load.seed);
  const running = new Running(installation, load, { costs, random });
  const { timeline } = running;
  const endMs = load.warmMs + load.measureMs;
  const added: number[] = [];
  let failed = 0;
  const ended = ({ status, addedMs }: Outcome): void => {
    if (timeline.nowMs < load.warmMs) return;
    if (status === 'served') added.push(addedMs);
    else failed += 1;
  };
  const everyMs = 1000 / load.ratePerSecond;
  let made = 0;
  const arrive = (): void => {
    const account = Math.floor(random.unit() * installation.accounts);
    const credential = CREDENTIALS_FROM + Math.floor(random.unit() * installation.credentials);
    const node = running.nodes[made % running.nodes.length];
    made += 1;
    node?.arrive({ arrivedMs: timeline.nowMs, account, credential, ended, vendorMs: 0, attempts: 0 });
    const waitMs = load.arrivals === 'even' ? everyMs : exponential(random, 1 / everyMs);
    if (timeline.nowMs + waitMs <= endMs) timeline.after(waitMs, arrive);
  };
  timeline.after(0, arrive);
  timeline.runUntil(load.warmMs);
  const before = running.read();
  timeline.runUntil(endMs);
  return outcomesOf(running, before, { load, added, failed, cores: installation.postgresCores });
}

function outcomesOf(
  running: Running,
  before: Reading,
  of: {
    readonly load: Load;
    readonly added: readonly number[];
    readonly failed: number;
    readonly cores: number;
  },
): Outcomes {
  const { load, added, failed } = of;
  const after = running.read();
  const calls = Math.max(1, added.length + failed);
  const spent = (part: Part): readonly number[] =>
    after[part].map((busyMs, index) => busyMs - (before[part][index] ?? 0));
  const perPart = (value: (part: Part) => number): Record<Part, number> => ({
    node: value('node'),
    redis: value('redis'),
    postgres: value('postgres'),
  });
  const total = (part: Part): number => spent(part).reduce((sum, each) => sum + each, 0);
  return {
    ratePerSecond: load.ratePerSecond,
    servedPerSecond: (added.length / load.measureMs) * 1000,
    failed,
    addedMs: timesOf(added),
    busiest: perPart((part) => Math.max(...spent(part)) / load.measureMs),
    callMs: perPart((part) => (total(part) * (part === 'postgres' ? of.cores : 1)) / calls),
    tripsPerCall: (after.trips - before.trips) / calls,
    batchesPerCall: (after.batches - before.batches) / calls,
    open: running.nodes.reduce((sum, node) => sum + node.open, 0),
    unsettled: running.nodes.reduce((sum, { settler }) => sum + settler.waiting, 0),
  };
}
