/** The results of a run, as they are written to the file. */
import type { Measured, Spent } from '../harness.ts';
import type { Percentiles } from '../order.ts';
import type { Pair, ScenarioName } from '../scenario.ts';
import { ratioOf, type Spread, spreadOf } from './statistics.ts';

export type Part = 'traffic' | 'convert' | 'growth' | 'workers' | 'memory' | 'loop';

export interface Cell extends Measured {
  readonly part: Part;
  readonly repeat: number;
  readonly target: string;
  readonly scenario: ScenarioName;
  readonly streamed: boolean;
  readonly pair: Pair | undefined;
  /** Of one stream: chunks with content. */
  readonly contentChunks: number;
  readonly connections: number;
  readonly ratePerSecond: number | undefined;
  /** From before the first call of the order until the books are complete and everything is at rest. */
  readonly allIn: Spent;
  /** Calls in the books of the target after this window, less those before it. */
  readonly settledCalls: number | undefined;
  /** How long after the last answer the books were complete. */
  readonly settledAfterMs: number | undefined;
}

/** What a target holds in memory after its load, or with so many slow streams open. */
export interface MemoryPoint {
  readonly target: string;
  readonly kind: 'after-load' | 'streams';
  readonly streams: number;
  readonly gatewayBytes: number;
  readonly databaseBytes: number;
}

/** How late the event loop is at a rate that takes most of a core. */
export interface LoopPoint {
  readonly target: string;
  readonly ratePerSecond: number;
  /** Large bodies that arrived meanwhile, over and over. */
  readonly bodies: number;
  readonly cores: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

export interface LeftOut {
  readonly target: string;
  readonly reason: string;
}

export interface Entry {
  readonly name: string;
  readonly has: string;
  readonly keepsBooks: boolean;
}

export interface Run {
  readonly startedAt: string;
  readonly durationS: number;
  readonly machine: Readonly<Record<string, string | number>>;
  readonly targets: readonly Entry[];
  readonly versions: Readonly<Record<string, string>>;
  readonly leftOut: readonly LeftOut[];
  readonly cells: readonly Cell[];
  readonly memory: readonly MemoryPoint[];
  readonly loops: readonly LoopPoint[];
}

/** Later runs say more, or again, what earlier ones have. */
export function mergeRuns(runs: readonly Run[]): Run {
  const [first, ...later] = runs;
  if (first === undefined) throw new Error('there are no results');
  return later.reduce(mergeTwo, first);
}

function mergeTwo(earlier: Run, later: Run): Run {
  const cellName = ({ part, scenario, target }: Cell): string => `${part} ${scenario} ${target}`;
  const memoryName = ({ kind, target }: MemoryPoint): string => `${kind} ${target}`;
  const loopName = ({ target, bodies }: LoopPoint): string => `${target} ${bodies}`;
  return {
    ...earlier,
    durationS: earlier.durationS + later.durationS,
    versions: { ...earlier.versions, ...later.versions },
    leftOut: [...earlier.leftOut, ...later.leftOut],
    cells: replace(earlier.cells, later.cells, cellName),
    memory: replace(earlier.memory, later.memory, memoryName),
    loops: replace(earlier.loops, later.loops, loopName),
  };
}

function replace<T>(old: readonly T[], renewed: readonly T[], nameOf: (each: T) => string): readonly T[] {
  const names = new Set(renewed.map(nameOf));
  return [...old.filter((each) => !names.has(nameOf(each))), ...renewed];
}

/** What is counted: the target's own processes, one of its databases, or all of it with the work put off. */
export type Share = 'own' | 'all-in' | { readonly database: string };

/** One line of the table: a share of a target under one kind of traffic, over all repeats. */
export interface Line {
  readonly scenario: ScenarioName;
  readonly streamed: boolean;
  readonly target: string;
  readonly label: string;
  /** CPU-milliseconds per call for plain answers, CPU-seconds per 100k events for streams. */
  readonly cost: Spread;
  readonly costOfBare: Spread | undefined;
  readonly callsPerSecond: number;
  readonly eventsPerSecond: number;
  readonly times: Percentiles;
  readonly memoryPeakBytes: number;
  readonly coresOfTarget: number;
  readonly coresOfUpstream: number;
  readonly coresOfLoad: number;
  /** What has no part in the benchmark; it should be near zero. */
  readonly coresOfOthers: number;
  readonly lateMs: Percentiles | undefined;
}

/** Milliseconds per call, or seconds per 100k events: the units in which the goals are set. */
export function costOf(cell: Cell, cpuMs: number): number {
  return cell.streamed ? (cpuMs / 1000 / cell.load.events) * 100_000 : cpuMs / cell.load.calls;
}

export function shareCost(cell: Cell, share: Share): number {
  if (share === 'own') return costOf(cell, cell.gateway.cpuMs);
  if (share === 'all-in') {
    const cpuMs = totalMs(cell.allIn);
    return cell.streamed ? (cpuMs / 1000 / cell.eventsTotal) * 100_000 : cpuMs / cell.callsTotal;
  }
  return costOf(cell, cell.databases[share.database]?.cpuMs ?? 0);
}

export function totalMs({ gateway, databases }: Spent): number {
  return Object.values(databases).reduce((sum, each) => sum + each.cpuMs, gateway.cpuMs);
}

/** By repeat, so that ratios are made within one. */
export function costsOf(cells: readonly Cell[], share: Share): ReadonlyMap<number, number> {
  const costs = new Map<number, number>();
  for (const each of cells) {
    const cost = shareCost(each, share);
    if (Number.isFinite(cost)) costs.set(each.repeat, cost);
  }
  return costs;
}

export function linesOf(cells: readonly Cell[]): readonly Line[] {
  const lines: Line[] = [];
  for (const scenario of new Set(cells.map((each) => each.scenario))) {
    const ofScenario = cells.filter((each) => each.scenario === scenario);
    for (const target of new Set(ofScenario.map((each) => each.target))) {
      const own = ofScenario.filter((each) => each.target === target);
      const databases = Object.keys(own[0]?.databases ?? {}).sort();
      const shares: Share[] = ['own', ...databases.map((database) => ({ database })), 'all-in'];
      for (const share of shares) lines.push(...lineOf(own, share, ofScenario));
    }
  }
  return lines;
}

export function labelOf(target: string, share: Share): string {
  if (share === 'own') return target;
  return share === 'all-in' ? `${target}, all in` : `${target}: ${share.database}`;
}

function foreignCpuMs(cell: Cell): number {
  return Math.max(0, cell.machineCpuMs - totalMs(cell) - cell.upstreamCpuMs - cell.loadCpuMs);
}

/** No line when no window of the target had an answer: its failures are shown apart. */
function lineOf(own: readonly Cell[], share: Share, all: readonly Cell[]): readonly Line[] {
  const costs = costsOf(own, share);
  const cost = spreadOf([...costs.values()]);
  const first = own[0];
  if (cost === undefined || first === undefined) return [];
  const median = (value: (cell: Cell) => number): number => spreadOf(own.map(value))?.median ?? 0;
  const cores = (value: (cell: Cell) => number): number =>
    median((each) => value(each) / each.load.durationMs);
  const bare = all.filter((each) => each.target === 'bare');
  const times = (at: keyof Percentiles): number => median((each) => timesOf(each)[at]);
  const late = first.load.lateMs;
  const lateAt = (at: keyof Percentiles): number => median((each) => each.load.lateMs?.[at] ?? 0);
  return [
    {
      scenario: first.scenario,
      streamed: first.streamed,
      target: first.target,
      label: labelOf(first.target, share),
      cost,
      costOfBare: ratioOf(costs, costsOf(bare, share === 'all-in' ? 'all-in' : 'own')),
      callsPerSecond: median((each) => (each.load.calls / each.load.durationMs) * 1000),
      eventsPerSecond: median((each) => (each.load.events / each.load.durationMs) * 1000),
      times: { p50: times('p50'), p90: times('p90'), p99: times('p99') },
      memoryPeakBytes: median((each) => each.gateway.memoryPeakBytes),
      coresOfTarget: cores(totalMs),
      coresOfUpstream: cores((each) => each.upstreamCpuMs),
      coresOfLoad: cores((each) => each.loadCpuMs),
      coresOfOthers: cores(foreignCpuMs),
      lateMs: late && { p50: lateAt('p50'), p90: lateAt('p90'), p99: lateAt('p99') },
    },
  ];
}

/** A stream's time is that to its first byte: its whole length is set by the upstream. */
export function timesOf(cell: Cell): Percentiles {
  return cell.streamed ? cell.load.firstByteMs : cell.load.latencyMs;
}

export function failuresOf(cells: readonly Cell[]): Readonly<Record<string, number>> {
  const failures = new Map<string, number>();
  for (const cell of cells) {
    for (const [reason, count] of Object.entries(cell.load.failures)) {
      failures.set(reason, (failures.get(reason) ?? 0) + count);
    }
  }
  return Object.fromEntries(failures);
}
