/** How many of each part a load needs, from measured costs; and how that fares when it is simulated. */
import { fitCluster, fitServer } from './fit.ts';
import { type Costs, GATE_SHARES } from './model/costs.ts';
import type { Vendor } from './model/node.ts';
import { type Installation, type Load, type Outcomes, type Part, simulate } from './model/simulate.ts';
import type { CostTable } from './table.ts';

/** No part is planned to be busier than this: room for bursts, and for the work of one that fails. */
export const BUSY_MAX = 0.6;
export const RATES = [1_000, 10_000, 100_000] as const;
/** A node more than needed: one may be drained, upgraded or dead. */
const SPARE_NODES = 1;

/** Assumptions of the simulated scenario. They are stated in the page, and nobody measured them. */
export const VENDOR: Vendor = { medianMs: 800, spread: 0.7, failureShare: 0.01, retriesMax: 2, events: 0 };
export const NETWORK_MS = 0.25;
const ACCOUNTS = 100_000;
/** One credential carries so many calls a second, at the most; see `ceilingsOf`. */
const CREDENTIALS_PER_SHARD = 4;
export const SEED = 20_261_118;

export interface Capacity {
  /** Calls a second at which the node is as busy as it may be. */
  readonly ratePerSecond: number;
  readonly outcomes: Outcomes;
}

const SEARCH: Pick<Load, 'arrivals' | 'warmMs' | 'measureMs' | 'seed'> = {
  arrivals: 'random',
  // Nine of ten answers of vendors come within two seconds.
  warmMs: 3_000,
  measureMs: 2_000,
  seed: SEED,
};
const SEARCH_STEPS = 9;
/** So many servers for one node that they are never what limits it. */
const SEARCH_SHARDS = 8;

function one(shards: number): Installation {
  return {
    nodes: 1,
    gate: 'cluster',
    shards,
    postgresCores: 4,
    placement: 'apart',
    accounts: ACCOUNTS,
    credentials: shards * CREDENTIALS_PER_SHARD,
    networkMs: NETWORK_MS,
  };
}

/** The most that one node carries on a cluster when it may be busy for `BUSY_MAX` of its time. */
export function capacityOf(costs: Costs): Capacity {
  return highest(one(SEARCH_SHARDS), costs, ({ busiest }) => busiest.node <= BUSY_MAX);
}

/** The highest rate with which an installation of one node fares well, found by halving. */
function highest(
  installation: Installation,
  costs: Costs,
  isWell: (outcomes: Outcomes) => boolean,
): Capacity {
  let low = 0;
  let high = 1000 / Math.max(costs.node.callMs, 0.001);
  let best: Outcomes | undefined;
  for (let step = 0; step < SEARCH_STEPS; step += 1) {
    const ratePerSecond = Math.max(1, Math.round((low + high) / 2));
    const outcomes = simulate(installation, { ...SEARCH, vendor: VENDOR, ratePerSecond }, costs);
    if (isWell(outcomes)) {
      low = ratePerSecond;
      best = outcomes;
    } else high = ratePerSecond;
  }
  if (best === undefined) throw new Error('a node carries no call at all');
  return { ratePerSecond: low, outcomes: best };
}

export interface Sizing {
  readonly ratePerSecond: number;
  readonly nodes: number;
  readonly shards: number;
  readonly postgresCores: number;
}

/** From processor time of each part for a call: as many as keep each of them below `BUSY_MAX`. */
export function sizeFor(ratePerSecond: number, { ratePerSecond: perNode, outcomes }: Capacity): Sizing {
  const needed = (part: Part): number => Math.ceil((ratePerSecond * outcomes.callMs[part]) / 1000 / BUSY_MAX);
  return {
    ratePerSecond,
    nodes: Math.ceil(ratePerSecond / perNode) + SPARE_NODES,
    shards: needed('redis'),
    postgresCores: needed('postgres'),
  };
}

export function installationFor({ nodes, shards, postgresCores }: Sizing): Installation {
  return { ...one(shards), nodes, postgresCores };
}

/** What can be counted in one place only has a ceiling, however many servers there are. */
export interface Ceilings {
  readonly accountPerSecond: number;
  readonly credentialPerSecond: number;
}

export function ceilingsOf({ redis }: Costs): Ceilings {
  const share = GATE_SHARES;
  const atMost = (operations: number, trips: number): number =>
    Math.floor((1000 * BUSY_MAX) / (redis.callMs * operations + redis.tripMs * trips));
  return {
    accountPerSecond: atMost(share.enterAccount + share.leaveAccount + share.settle, 3),
    credentialPerSecond: atMost(share.enterCredential + share.leaveCredential, 2),
  };
}

/** What the smallest installations do under more and more calls, up to beyond what they carry. */
export interface Curve {
  readonly name: string;
  readonly points: readonly Outcomes[];
}

const CURVE_SHARES = [0.1, 0.25, 0.5, 0.7, 0.8, 0.9, 1, 1.1] as const;

export function curvesOf(table: CostTable): readonly Curve[] {
  const server = fitServer(table);
  const cluster = fitCluster(table);
  const alone: Installation = { ...one(1), gate: 'server', postgresCores: 1, credentials: 1 };
  return [
    { name: 'one node, one Redis, one core of PostgreSQL', points: curve(alone, server) },
    {
      name: 'one node, a cluster of two, one core of PostgreSQL',
      points: curve({ ...one(2), postgresCores: 1 }, cluster),
    },
  ];
}

function curve(installation: Installation, costs: Costs): readonly Outcomes[] {
  const { ratePerSecond: most } = highest(
    installation,
    costs,
    (outcomes) => firstSaturated(outcomes) === undefined,
  );
  return CURVE_SHARES.map((share) => {
    const ratePerSecond = Math.max(10, Math.round((most * share) / 10) * 10);
    return simulate(installation, { ...SEARCH, vendor: VENDOR, ratePerSecond }, costs);
  });
}

/** A part that is busy for more of its time than this carries no more. */
const SATURATED = 0.95;

export function firstSaturated({ busiest }: Outcomes): Part | undefined {
  const parts = (['node', 'redis', 'postgres'] as const).filter((part) => busiest[part] > SATURATED);
  return parts.sort((left, right) => busiest[right] - busiest[left])[0];
}

/** The first load whose p90 is twice that of the smallest: from here on waiting is what one feels. */
export function bendOf(points: readonly Outcomes[]): Outcomes | undefined {
  const quiet = points[0]?.addedMs.p90 ?? 0;
  return points.find(({ addedMs }) => addedMs.p90 > 2 * quiet);
}
