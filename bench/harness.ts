/** The benchmark's own two processes, and one measured window of one target under one kind of traffic. */
import { type ChildProcess, fork } from 'node:child_process';
import { on } from 'node:events';
import { join } from 'node:path';
import { stopChild } from './child.ts';
import { DIALECTS } from './convert/dialect.ts';
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
import type { Scenario } from './scenario.ts';
import type { StartedTarget } from './target.ts';

export interface Harness {
  readonly upstreamPort: number;
  readonly upstream: ChildProcess;
  readonly load: ChildProcess;
}

export interface Measured {
  readonly load: LoadResult;
  /** All calls the target saw in this order, warm-up and drain included. */
  readonly callsTotal: number;
  readonly gateway: Usage;
  readonly database: Usage | undefined;
  readonly upstreamCpuMs: number;
  readonly loadCpuMs: number;
  /** What the whole machine was busy with in the window, our own processes included. */
  readonly machineCpuMs: number;
}

/** Beyond this a load generator that says nothing is broken. */
const SILENCE_MAX_MS = 60_000;
const DRAIN_MS = 6_000;

export async function startHarness(scenarios: readonly Scenario[]): Promise<Harness> {
  const [fast, short, paced] = (['stream-fast', 'stream-short', 'stream-paced'] as const).map((name) =>
    scenarios.find((each) => each.name === name),
  );
  const chunks = [fast, short, paced].map((scenario) => scenario?.contentChunks ?? 0);
  const numbers = [...chunks, paced?.paceMs ?? 20];
  const upstream = fork(join(import.meta.dirname, 'upstream.ts'), numbers.map(String));
  const load = fork(join(import.meta.dirname, 'load.ts'));
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
}

type Sample = Omit<Measured, 'load' | 'callsTotal'>;

/** Sends an order to the load generator and reads the clocks at both ends of its window. */
export async function measure(harness: Harness, target: StartedTarget, window: Window): Promise<Measured> {
  const { port, headers } = target;
  const { pair, model } = window.scenario;
  const path = pair === undefined ? target.path : DIALECTS[pair.client].path(model);
  const order: LoadOrder = { host: '127.0.0.1', path, port, headers, drainMs: DRAIN_MS, ...window };
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
      return { load: report.result, callsTotal: report.callsTotal, ...spent };
    }
  }
  throw new Error('the load generator measured nothing');
}

function sample(harness: Harness, target: StartedTarget): Sample {
  const all = listProcesses();
  const family = familyOf(target.rootPids(), all);
  const databases = family.filter((each) => target.isDatabase(each));
  const cpuOf = (child: ChildProcess): number => usageOf(byPid(all, child.pid)).cpuMs;
  return {
    gateway: usageOf(family.filter((each) => !target.isDatabase(each))),
    database: databases.length === 0 ? undefined : usageOf(databases),
    upstreamCpuMs: cpuOf(harness.upstream),
    loadCpuMs: cpuOf(harness.load),
    machineCpuMs: machineBusyMs(),
  };
}

function byPid(all: readonly ProcessStat[], pid: number | undefined): readonly ProcessStat[] {
  return all.filter((each) => each.pid === pid);
}

function difference(begin: Sample, end: Sample): Sample {
  return {
    gateway: { ...end.gateway, cpuMs: end.gateway.cpuMs - begin.gateway.cpuMs },
    database: end.database && {
      ...end.database,
      cpuMs: end.database.cpuMs - (begin.database?.cpuMs ?? 0),
    },
    upstreamCpuMs: end.upstreamCpuMs - begin.upstreamCpuMs,
    loadCpuMs: end.loadCpuMs - begin.loadCpuMs,
    machineCpuMs: end.machineCpuMs - begin.machineCpuMs,
  };
}
