/** The results of a run, as they are written to the file. */
import type { Measured } from '../harness.ts';
import type { Pair, ScenarioName } from '../scenario.ts';
import { ratioOf, type Spread, spreadOf } from './statistics.ts';

export interface Cell extends Measured {
  readonly repeat: number;
  readonly target: string;
  readonly scenario: ScenarioName;
  readonly streamed: boolean;
  readonly pair: Pair | undefined;
  /** Of one stream: chunks with content. */
  readonly contentChunks: number;
  /** Calls in the books of the target after this window, less those before it. */
  readonly settledCalls: number | undefined;
  /** How long after the last answer the books were complete. */
  readonly settledAfterMs: number | undefined;
}

export interface LeftOut {
  readonly target: string;
  readonly reason: string;
}

export interface Run {
  readonly startedAt: string;
  readonly durationS: number;
  readonly machine: Readonly<Record<string, string | number>>;
  readonly versions: Readonly<Record<string, string>>;
  readonly leftOut: readonly LeftOut[];
  readonly cells: readonly Cell[];
}

/** One line of the table: a target under one kind of traffic, over all repeats. */
export interface Line {
  readonly scenario: ScenarioName;
  readonly streamed: boolean;
  readonly label: string;
  /** CPU-milliseconds per call for plain answers, CPU-seconds per 100k events for streams. */
  readonly cost: Spread;
  readonly costOfBare: Spread | undefined;
  readonly costOfPortkey: Spread | undefined;
  readonly callsPerSecond: number;
  readonly eventsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly memoryPeakBytes: number;
  readonly coresOfTarget: number;
  readonly coresOfUpstream: number;
  readonly coresOfLoad: number;
  /** What has no part in the benchmark; it should be near zero. */
  readonly coresOfOthers: number;
  readonly calls: number;
  readonly failures: Readonly<Record<string, number>>;
}

type CpuOf = (cell: Cell) => number;
const cpuOfGateway: CpuOf = (cell) => cell.gateway.cpuMs;
const cpuOfAll: CpuOf = (cell) => cell.gateway.cpuMs + (cell.database?.cpuMs ?? 0);

/** Milliseconds per call, or seconds per 100k events: the units in which the targets are set. */
export function costOf(cell: Cell, cpuMs: number): number {
  return cell.streamed ? (cpuMs / 1000 / cell.load.events) * 100_000 : cpuMs / cell.load.calls;
}

export function linesOf(cells: readonly Cell[]): readonly Line[] {
  const lines: Line[] = [];
  for (const scenario of new Set(cells.map((each) => each.scenario))) {
    const ofScenario = cells.filter((each) => each.scenario === scenario);
    for (const target of [...new Set(ofScenario.map((each) => each.target))].sort()) {
      const own = ofScenario.filter((each) => each.target === target);
      lines.push(...lineOf(target, own, { all: ofScenario, cpuOf: cpuOfGateway }));
      if (own.some((each) => each.database !== undefined)) {
        lines.push(...lineOf(`${target} + database`, own, { all: ofScenario, cpuOf: cpuOfAll }));
      }
    }
  }
  return lines;
}

interface Frame {
  readonly all: readonly Cell[];
  readonly cpuOf: CpuOf;
}

function foreignCpuMs(cell: Cell): number {
  return Math.max(0, cell.machineCpuMs - cpuOfAll(cell) - cell.upstreamCpuMs - cell.loadCpuMs);
}

/** No line when no window of the target had an answer: its failures are shown apart. */
function lineOf(label: string, own: readonly Cell[], frame: Frame): readonly Line[] {
  const costs = costsOf(own, frame.cpuOf);
  const cost = spreadOf([...costs.values()]);
  const first = own[0];
  if (cost === undefined || first === undefined) return [];
  const median = (value: (cell: Cell) => number): number => spreadOf(own.map(value))?.median ?? 0;
  const reference = (target: string): Spread | undefined =>
    ratioOf(
      costs,
      costsOf(
        frame.all.filter((each) => each.target === target),
        cpuOfGateway,
      ),
    );
  const withDatabase = frame.cpuOf === cpuOfAll;
  return [
    {
      scenario: first.scenario,
      streamed: first.streamed,
      label,
      cost,
      costOfBare: reference('bare'),
      costOfPortkey: reference('portkey'),
      callsPerSecond: median((each) => (each.load.calls / each.load.durationMs) * 1000),
      eventsPerSecond: median((each) => (each.load.events / each.load.durationMs) * 1000),
      p50Ms: median((each) => timesOf(each).p50),
      p99Ms: median((each) => timesOf(each).p99),
      memoryPeakBytes: median(
        (each) => each.gateway.memoryPeakBytes + (withDatabase ? (each.database?.memoryPeakBytes ?? 0) : 0),
      ),
      coresOfTarget: median((each) => frame.cpuOf(each) / each.load.durationMs),
      coresOfUpstream: median((each) => each.upstreamCpuMs / each.load.durationMs),
      coresOfLoad: median((each) => each.loadCpuMs / each.load.durationMs),
      coresOfOthers: median((each) => foreignCpuMs(each) / each.load.durationMs),
      calls: own.reduce((sum, each) => sum + each.load.calls, 0),
      failures: failuresOf(own),
    },
  ];
}

/** A stream's time is that to its first byte: its whole length is set by the upstream. */
function timesOf(cell: Cell): { readonly p50: number; readonly p99: number } {
  return cell.streamed ? cell.load.firstByteMs : cell.load.latencyMs;
}

function costsOf(cells: readonly Cell[], cpuOf: CpuOf): ReadonlyMap<number, number> {
  const costs = new Map<number, number>();
  for (const each of cells) {
    const cost = costOf(each, cpuOf(each));
    if (Number.isFinite(cost)) costs.set(each.repeat, cost);
  }
  return costs;
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
