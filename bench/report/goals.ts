/** What was agreed for Tollgate, judged by the medians of a run. */
import { CONVERSION_RATIO_MAX, worstPair } from '../convert/report.ts';
import { GROWTH_RATIO_MAX, growthLines } from '../growth/report.ts';
import type { Percentiles } from '../order.ts';
import { type Cell, costsOf, type MemoryPoint, type Run, type Share, timesOf } from './result.ts';
import { ratioOf, type Spread } from './statistics.ts';
import { renderTable, spreadText } from './table.ts';

const MIB = 1024 * 1024;
const RESIDENT_MIB_MAX = 220;
const STREAM_MEMORY_RATIO_MAX = 1.5;
const LOOP_P99_MS_MAX = 20;
const WORKERS_GAIN_MIN = 1.7;
/** Of the best other gateway that keeps books, by what it costs all in. */
const PEER_JSON_MIN = 5;
const PEER_CHUNK_MIN = 2.5;

export interface Verdict {
  readonly what: string;
  readonly limit: string;
  readonly measured: string;
  readonly isMet: boolean;
}

interface CostGoal {
  readonly scenario: string;
  readonly what: string;
  readonly target: 'tollgate' | 'tollgate-redis';
  readonly share: Share;
  /** Times the bare proxy, by the same clock. */
  readonly ratioMax: number;
}

const DEPLOYMENTS = { tollgate: 'embedded', 'tollgate-redis': 'PostgreSQL + Redis' } as const;
const both = (goal: Omit<CostGoal, 'target'>): readonly CostGoal[] => [
  { ...goal, target: 'tollgate' },
  { ...goal, target: 'tollgate-redis' },
];

export const COST_GOALS: readonly CostGoal[] = [
  { scenario: 'json-small', what: 'small JSON', target: 'tollgate', share: 'own', ratioMax: 1.6 },
  { scenario: 'json-small', what: 'small JSON', target: 'tollgate', share: 'all-in', ratioMax: 2.2 },
  { scenario: 'json-small', what: 'small JSON', target: 'tollgate-redis', share: 'own', ratioMax: 2.5 },
  { scenario: 'json-small', what: 'small JSON', target: 'tollgate-redis', share: 'all-in', ratioMax: 4.5 },
  { scenario: 'stream-fast', what: 'chunk, fast', target: 'tollgate', share: 'all-in', ratioMax: 1 },
  { scenario: 'stream-fast', what: 'chunk, fast', target: 'tollgate-redis', share: 'all-in', ratioMax: 1.2 },
  ...both({ scenario: 'stream-paced', what: 'chunk, paced at 20 ms', share: 'all-in', ratioMax: 1.15 }),
  ...both({ scenario: 'stream-short', what: 'chunk, streams of 20 events', share: 'own', ratioMax: 1.4 }),
  ...both({ scenario: 'json-1mb', what: 'JSON of 1 MB', share: 'own', ratioMax: 1.5 }),
];

const TIME_GOALS: readonly {
  readonly scenario: string;
  readonly what: string;
  readonly limits: Partial<Percentiles>;
}[] = [
  {
    scenario: 'json-open',
    what: 'latency of small JSON at a quarter load',
    limits: { p50: 1.5, p90: 1.5, p99: 2 },
  },
  { scenario: 'stream-open', what: 'first token at half load', limits: { p50: 1.5, p99: 2 } },
];

export function verdictsOf(run: Run): readonly Verdict[] {
  return [
    ...COST_GOALS.flatMap((goal) => judgeCost(run.cells, goal)),
    ...judgeTimes(run.cells),
    ...judgeMemory(run.memory),
    ...judgeConversions(run.cells),
    ...judgeGrowth(run.cells),
    ...judgeWorkers(run.cells),
    ...run.loops
      .filter(({ target }) => target in DEPLOYMENTS)
      .map(({ target, p99Ms, cores, bodies }) => ({
        what:
          `event loop's delay, p99, at ${Math.round(cores * 100)} % of a core` +
          `${bodies > 0 ? ` while ${bodies} bodies of 20 MiB arrive` : ''}: ${deploymentOf(target)}`,
        limit: `${LOOP_P99_MS_MAX} ms`,
        measured: `${p99Ms.toFixed(1)} ms`,
        isMet: p99Ms < LOOP_P99_MS_MAX,
      })),
    ...judgePeers(run),
  ];
}

export function renderGoals(run: Run): string {
  const rows = verdictsOf(run).map(({ what, limit, measured, isMet }) => [
    what,
    limit,
    measured,
    isMet ? 'met' : 'missed',
  ]);
  return rows.length === 0 ? '' : `## Goals\n\n${renderTable(['Tollgate', 'goal', 'measured', ''], rows)}`;
}

function deploymentOf(target: string): string {
  return target === 'tollgate' || target === 'tollgate-redis' ? DEPLOYMENTS[target] : target;
}

function cellsOf(cells: readonly Cell[], scenario: string, target: string): readonly Cell[] {
  return cells.filter(
    (each) => each.scenario === scenario && each.target === target && each.part === 'traffic',
  );
}

function atMost(what: string, ratio: Spread | undefined, max: number): readonly Verdict[] {
  if (ratio === undefined) return [];
  return [
    { what, limit: `≤ ${max} × bare`, measured: `${spreadText(ratio, 2)} ×`, isMet: ratio.median <= max },
  ];
}

function judgeCost(cells: readonly Cell[], goal: CostGoal): readonly Verdict[] {
  const { scenario, what, target, share, ratioMax } = goal;
  const own = costsOf(cellsOf(cells, scenario, target), share);
  const ratio = ratioOf(own, costsOf(cellsOf(cells, scenario, 'bare'), share));
  const counted = share === 'own' ? 'our process' : 'all in';
  return atMost(`CPU per ${what}, ${DEPLOYMENTS[target]}, ${counted}`, ratio, ratioMax);
}

function judgeTimes(cells: readonly Cell[]): readonly Verdict[] {
  return TIME_GOALS.flatMap(({ scenario, what, limits }) =>
    Object.keys(DEPLOYMENTS).flatMap((target) =>
      (['p50', 'p90', 'p99'] as const).flatMap((at) => {
        const max = limits[at];
        if (max === undefined) return [];
        const times = (name: string): ReadonlyMap<number, number> =>
          new Map(cellsOf(cells, scenario, name).map((each) => [each.repeat, timesOf(each)[at]]));
        return atMost(`${what}, ${at}, ${deploymentOf(target)}`, ratioOf(times(target), times('bare')), max);
      }),
    ),
  );
}

/** What each open stream adds, from the most that were open. */
export function bytesPerStream(memory: readonly MemoryPoint[], target: string): number | undefined {
  const points = memory.filter((each) => each.kind === 'streams' && each.target === target);
  const [first] = points;
  const last = points.at(-1);
  if (first === undefined || last === undefined || last.streams === 0) return undefined;
  return (last.gatewayBytes - first.gatewayBytes) / last.streams;
}

function judgeMemory(memory: readonly MemoryPoint[]): readonly Verdict[] {
  const after = memory.filter((each) => each.kind === 'after-load' && each.target in DEPLOYMENTS);
  const resident = after.map(({ target, gatewayBytes }) => ({
    what: `resident memory after the load: ${deploymentOf(target)}`,
    limit: `≤ ${RESIDENT_MIB_MAX} MiB`,
    measured: `${(gatewayBytes / MIB).toFixed(0)} MiB`,
    isMet: gatewayBytes <= RESIDENT_MIB_MAX * MIB,
  }));
  const bare = bytesPerStream(memory, 'bare') ?? 0;
  const streams = Object.keys(DEPLOYMENTS).flatMap((target) => {
    const own = bytesPerStream(memory, target);
    if (own === undefined || bare <= 0) return [];
    const ratio = { median: own / bare, min: own / bare, max: own / bare };
    return atMost(`memory per open stream: ${deploymentOf(target)}`, ratio, STREAM_MEMORY_RATIO_MAX);
  });
  return [...resident, ...streams];
}

function judgeConversions(cells: readonly Cell[]): readonly Verdict[] {
  const worst = worstPair(cells.filter((each) => each.part === 'convert'));
  if (worst === undefined) return [];
  const what = `CPU per chunk of the worst conversion (${worst.client} over ${worst.vendor})`;
  return atMost(what, worst.ofBare, CONVERSION_RATIO_MAX);
}

function judgeGrowth(cells: readonly Cell[]): readonly Verdict[] {
  const lines = growthLines(cells.filter((each) => each.part === 'growth'));
  const last = lines.filter(
    (line) =>
      line.target in DEPLOYMENTS &&
      line ===
        lines.filter(({ target, quantity }) => target === line.target && quantity === line.quantity).at(-1),
  );
  return last.flatMap(({ quantity, target, size, ofCheapest }) => {
    if (ofCheapest === undefined) return [];
    return [
      {
        what: `CPU per call with ${size.toLocaleString('en')} ${quantity}: ${deploymentOf(target)}`,
        limit: `≤ ${GROWTH_RATIO_MAX} × the cheapest`,
        measured: `${spreadText(ofCheapest, 2)} ×`,
        isMet: ofCheapest.median <= GROWTH_RATIO_MAX,
      },
    ];
  });
}

/** With a core for each worker, calls per second grow as the cost of a call does not. */
function judgeWorkers(cells: readonly Cell[]): readonly Verdict[] {
  const lines = growthLines(cells.filter((each) => each.part === 'workers'));
  const [one, two] = [1, 2].map((count) => lines.find(({ size }) => size === count)?.cost.median);
  if (one === undefined || two === undefined) return [];
  const gain = (2 * one) / two;
  return [
    {
      what: 'calls per second of two workers on two cores, by CPU per call: PostgreSQL + Redis',
      limit: `≥ ${WORKERS_GAIN_MIN} × one`,
      measured: `${gain.toFixed(2)} ×`,
      isMet: gain >= WORKERS_GAIN_MIN,
    },
  ];
}

/** Against the cheapest of the other gateways that keep books, in either deployment. */
function judgePeers(run: Run): readonly Verdict[] {
  const peers = run.targets.filter(({ name, keepsBooks }) => keepsBooks && !name.startsWith('tollgate'));
  const goals = [
    { scenario: 'json-small', what: 'JSON call', min: PEER_JSON_MIN },
    { scenario: 'stream-fast', what: 'chunk', min: PEER_CHUNK_MIN },
  ];
  return goals.flatMap(({ scenario, what, min }) =>
    Object.keys(DEPLOYMENTS).flatMap((target) => {
      const own = costsOf(cellsOf(run.cells, scenario, target), 'all-in');
      const ratios = peers.flatMap(({ name }) => {
        const ratio = ratioOf(costsOf(cellsOf(run.cells, scenario, name), 'all-in'), own);
        return ratio === undefined ? [] : [{ name, ratio }];
      });
      const best = ratios.sort((left, right) => left.ratio.median - right.ratio.median)[0];
      if (best === undefined) return [];
      return [
        {
          what: `cheaper per ${what} than the best that keeps books (${best.name}): ${deploymentOf(target)}`,
          limit: `≥ ${min} ×`,
          measured: `${spreadText(best.ratio, 1)} ×`,
          isMet: best.ratio.median >= min,
        },
      ];
    }),
  );
}
