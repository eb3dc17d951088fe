/** The benchmark's own two processes, and one measured window of one target under one kind of traffic. */
import { type ChildProcess, fork } from 'node:child_process';
import { on } from 'node:events';
import { join } from 'node:path';
import { stopChild } from './child.ts';
import { DIALECTS } from './convert/dialect.ts';
import { moveToCore } from './cores.ts';
import {
  familyOf,
  listProcesses,
  machineBusyMs,
  type ProcessStat,
  resetMemoryPeak,
  type Usage,
  usageOf,
} from './measure.ts';
import type { LoadOrder, LoadReport, LoadResult } from './order.ts';
import { EVENTS_AROUND_CONTENT, type Scenario } from './scenario.ts';
import type { StartedTarget } from './target.ts';
import type { StreamKind } from './upstream.ts';

export interface Harness {
  readonly upstreamPort: number;
  readonly upstream: ChildProcess;
  readonly load: ChildProcess;
}

/** What a target and its databases have spent. */
export interface Spent {
  readonly gateway: Usage;
  readonly databases: Readonly<Record<string, Usage>>;
}

export interface Measured extends Spent {
  readonly load: LoadResult;
  /** All calls the target saw in this order, warm-up and drain included. */
  readonly callsTotal: number;
  readonly eventsTotal: number;
  readonly upstreamCpuMs: number;
  readonly loadCpuMs: number;
  /** What the whole machine was busy with in the window, our own processes included. */
  readonly machineCpuMs: number;
}

/** Beyond this a load generator that says nothing is broken. */
const SILENCE_MAX_MS = 300_000;
const DRAIN_MS = 6_000;

export async function startHarness(scenarios: readonly Scenario[], core?: number): Promise<Harness> {
  const kinds = new Map<string, StreamKind>();
  for (const { model, contentChunks, paceMs, streamed, pair } of scenarios) {
    if (streamed && pair === undefined) kinds.set(model, { model, contentChunks, paceMs });
  }
  const upstream = fork(join(import.meta.dirname, 'upstream.ts'), [JSON.stringify([...kinds.values()])]);
  const load = fork(join(import.meta.dirname, 'load.ts'));
  moveToCore(core, [upstream.pid ?? 0, load.pid ?? 0]);
  const upstreamPort = await new Promise<number>((resolve, reject) => {
    upstream.once('message', (message: { port: number }) => resolve(message.port));
    upstream.once('exit', () => reject(new Error('the upstream of the benchmark ended at once')));
  });
  return { upstreamPort, upstream, load };
}

export async function stopHarness(harness: Harness): Promise<void> {
  await Promise.all([stopChild(harness.load), stopChild(harness.upstream)]);
}

export interface Window {
  readonly scenario: Scenario;
  readonly warmMs: number;
  readonly measureMs: number;
  readonly calls?: number;
  /** The window waits for so long at most until an answer has begun on every connection. */
  readonly openMs?: number;
  /** 0 where streams are cut at the end of the window. */
  readonly drainMs?: number;
}

type Sample = Omit<Measured, 'load' | 'callsTotal' | 'eventsTotal'>;

/** Sends an order to the load generator and reads the clocks at both ends of its window. */
export async function measure(harness: Harness, target: StartedTarget, window: Window): Promise<Measured> {
  const { port, headers, keys = [], eventsAround = EVENTS_AROUND_CONTENT } = target;
  const path = pathOf(target, window.scenario);
  const place = { host: '127.0.0.1', path, port, headers, keys, eventsAround };
  const order: LoadOrder = { drainMs: DRAIN_MS, ...window, ...place };
  const reports = on(harness.load, 'message', { signal: AbortSignal.timeout(SILENCE_MAX_MS) });
  harness.load.send(order);
  let spent: Sample | undefined;
  // The order ends with `done` or `failed`, and the signal ends a generator that says neither.
  for await (const [report] of reports as AsyncIterable<[LoadReport]>) {
    if (report.kind === 'window-begins') {
      resetMemoryPeak(familyOf(target.rootPids(), listProcesses()));
      spent = sample(harness, target);
    } else if (report.kind === 'window-ends') {
      if (spent !== undefined) spent = difference(spent, sample(harness, target));
    } else if (report.kind === 'failed') {
      throw new Error(report.reason);
    } else if (spent !== undefined) {
      const { result: load, callsTotal, eventsTotal } = report;
      return { load, callsTotal, eventsTotal, ...spent };
    }
  }
  throw new Error('the load generator measured nothing');
}

/** A target that converts is asked as the client asks; any other one passes on to the vendor's own path. */
function pathOf(target: StartedTarget, { pair, model }: Scenario): string {
  if (pair === undefined) return target.path;
  const path = DIALECTS[pair.client].path(model);
  return target.pairsBelow === undefined ? path : `${target.pairsBelow}${path}`;
}

/** All that a target and its databases have spent since they began. */
export function spentBy(target: StartedTarget, all: readonly ProcessStat[] = listProcesses()): Spent {
  const family = familyOf(target.rootPids(), all);
  const databases = new Map<string, ProcessStat[]>();
  const gateway: ProcessStat[] = [];
  for (const stat of family) {
    const name = target.databaseOf(stat);
    if (name === undefined) gateway.push(stat);
    else databases.set(name, [...(databases.get(name) ?? []), stat]);
  }
  const usages = [...databases].map(([name, stats]) => [name, usageOf(stats)] as const);
  return { gateway: usageOf(gateway), databases: Object.fromEntries(usages) };
}

function sample(harness: Harness, target: StartedTarget): Sample {
  const all = listProcesses();
  const cpuOf = (child: ChildProcess): number => usageOf(all.filter((each) => each.pid === child.pid)).cpuMs;
  return {
    ...spentBy(target, all),
    upstreamCpuMs: cpuOf(harness.upstream),
    loadCpuMs: cpuOf(harness.load),
    machineCpuMs: machineBusyMs(),
  };
}

/** Times are differences; sizes are those at the end. */
export function spentBetween(begin: Spent, end: Spent): Spent {
  const databases = Object.entries(end.databases).map(([name, usage]) => {
    const before = begin.databases[name]?.cpuMs ?? 0;
    return [name, { ...usage, cpuMs: usage.cpuMs - before }] as const;
  });
  return {
    gateway: { ...end.gateway, cpuMs: end.gateway.cpuMs - begin.gateway.cpuMs },
    databases: Object.fromEntries(databases),
  };
}

function difference(begin: Sample, end: Sample): Sample {
  return {
    ...spentBetween(begin, end),
    upstreamCpuMs: end.upstreamCpuMs - begin.upstreamCpuMs,
    loadCpuMs: end.loadCpuMs - begin.loadCpuMs,
    machineCpuMs: end.machineCpuMs - begin.machineCpuMs,
  };
}
