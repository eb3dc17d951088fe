/** The windows of the cost table: traffic against one deployment, and what its databases counted. */
import { mkdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { waitForBooks, waitForRest } from '../../books.ts';
import { findFreePort } from '../../child.ts';
import type { Cores } from '../../cores.ts';
import {
  type Harness,
  type Measured,
  measure,
  type Spent,
  spentBetween,
  spentBy,
  startHarness,
  stopHarness,
} from '../../harness.ts';
import { totalMs } from '../../report/result.ts';
import { EVENTS_AROUND_CONTENT, pairScenarios, type Scenario, scenarios } from '../../scenario.ts';
import type { StartedTarget } from '../../target.ts';
import { type Deployment, tollgateTarget } from '../../targets/tollgate.ts';
import type { Window } from '../table.ts';
import { type Counters, differenceOf, readCounters } from './counters.ts';

export interface Timing {
  readonly warmFirstMs: number;
  readonly warmMs: number;
  readonly measureMs: number;
  /** PostgreSQL shows what an idle connection counted after ten seconds at the latest. */
  readonly countedMs: number;
}

export interface MeasuredDeployment {
  readonly windows: readonly Window[];
  /** Rows for a call, by table, over all windows. */
  readonly rows: Readonly<Record<string, number>>;
}

const ALL: readonly Scenario[] = [...scenarios('full'), ...pairScenarios()];

/** One deployment under the traffic that is named, in this order. */
export async function measureDeployment(
  deployment: Deployment,
  names: readonly string[],
  on: { readonly folder: string; readonly cores: Cores; readonly timing: Timing },
): Promise<MeasuredDeployment> {
  const chosen = names.map((name) => {
    const found = ALL.find((scenario) => scenario.name === name);
    if (found === undefined) throw new Error(`there is no traffic "${name}"`);
    return found;
  });
  const harness = await startHarness(chosen, on.cores.harness);
  mkdirSync(on.folder);
  try {
    const place = { upstreamPort: harness.upstreamPort, port: await findFreePort(), folder: on.folder };
    const started = await tollgateTarget(deployment).start({ ...place, core: on.cores.target });
    try {
      return await measureAll({ harness, started, timing: on.timing }, chosen);
    } finally {
      await started.stop();
    }
  } finally {
    await stopHarness(harness);
  }
}

interface Stage {
  readonly harness: Harness;
  readonly started: StartedTarget;
  readonly timing: Timing;
}

async function measureAll(stage: Stage, chosen: readonly Scenario[]): Promise<MeasuredDeployment> {
  const { harness, started, timing } = stage;
  const plain = ALL.find(({ name }) => name === 'json-small');
  if (plain === undefined || started.stores === undefined)
    throw new Error('there is traffic, and a database');
  // Every account has called once before anything is measured.
  const { keys } = started;
  if (keys !== undefined) {
    await measure(harness, started, { scenario: plain, warmMs: 0, measureMs: 0, calls: keys.length });
  }
  await measure(harness, started, { scenario: plain, warmMs: timing.warmFirstMs, measureMs: 500 });
  await waitForRest(started);
  await delay(timing.countedMs);
  const before = await readCounters(started.stores);
  const windows: Window[] = [];
  let calls = 0;
  for (const scenario of chosen) {
    const { window, callsTotal } = await measureWindow(stage, scenario);
    windows.push(window);
    calls += callsTotal;
  }
  await delay(timing.countedMs);
  return { windows, rows: rowsOf(differenceOf(before, await readCounters(started.stores)), calls) };
}

async function measureWindow(
  { harness, started, timing }: Stage,
  scenario: Scenario,
): Promise<{ readonly window: Window; readonly callsTotal: number }> {
  const stores = started.stores;
  if (stores === undefined) throw new Error('the deployment has databases of its own');
  const settled = (await started.settledCalls?.()) ?? 0;
  const batches = (await started.settledBatches?.()) ?? 0;
  const counted = await readCounters(stores);
  const spent = spentBy(started);
  const { warmMs, measureMs } = timing;
  const measured = await measure(harness, started, { scenario, warmMs, measureMs });
  const books = await waitForBooks(started, settled + measured.callsTotal);
  const allIn = spentBetween(spent, await waitForRest(started));
  if (books.afterMs === undefined) throw new Error(`the books of ${scenario.name} are not complete`);
  const counters = differenceOf(counted, await readCounters(stores));
  const more = ((await started.settledBatches?.()) ?? 0) - batches;
  console.error(`${scenario.name.padEnd(20)} ${(allIn.gateway.cpuMs / measured.callsTotal).toFixed(3)} ms`);
  return {
    window: windowFrom({ scenario, measured, allIn, counters, batches: more }),
    callsTotal: measured.callsTotal,
  };
}

interface Found {
  readonly scenario: Scenario;
  readonly measured: Measured;
  readonly allIn: Spent;
  readonly counters: Counters;
  readonly batches: number;
}

/** Costs of a call over the whole order, its warm-up and the work put off included; latency of its window. */
export function windowFrom({ scenario, measured, allIn, counters, batches }: Found): Window {
  const { load, callsTotal } = measured;
  const each = (value: number | undefined): number => rounded((value ?? 0) / callsTotal);
  const inWindow = (value: number): number => rounded(value / load.calls);
  const foreignMs = measured.machineCpuMs - totalMs(measured) - measured.upstreamCpuMs - measured.loadCpuMs;
  const tables = Object.entries(counters).filter(([name]) => name.startsWith('bytes '));
  const events = scenario.streamed ? scenario.contentChunks + EVENTS_AROUND_CONTENT : 0;
  return {
    name: scenario.name,
    ratePerSecond: scenario.ratePerSecond ?? 0,
    servedPerSecond: rounded((load.calls / load.durationMs) * 1000),
    calls: callsTotal,
    nodeMs: each(allIn.gateway.cpuMs),
    redisMs: each(allIn.databases.redis?.cpuMs),
    postgresMs: each(allIn.databases.postgres?.cpuMs),
    vendorMs: inWindow(measured.upstreamCpuMs),
    clientMs: inWindow(measured.loadCpuMs),
    trips: each(counters.redisScripts),
    commands: each(counters.redisCommands),
    redisBytesIn: each(counters.redisBytesIn),
    redisBytesOut: each(counters.redisBytesOut),
    batches: each(batches),
    walBytes: each(counters.postgresWalBytes),
    tableBytes: each(tables.reduce((sum, [, bytes]) => sum + bytes, 0)),
    answerBytes: inWindow(load.bytes),
    requestBytes: scenario.requestBytes,
    events,
    p50Ms: rounded(load.latencyMs.p50),
    p90Ms: rounded(load.latencyMs.p90),
    p99Ms: rounded(load.latencyMs.p99),
    othersCores: rounded(Math.max(0, foreignMs) / load.durationMs),
  };
}

/** Rows that were inserted or changed. Tables that no call touches are left out. */
export function rowsOf(counters: Counters, calls: number): Readonly<Record<string, number>> {
  const rows = new Map<string, number>();
  for (const [name, count] of Object.entries(counters)) {
    const table = /^(?:inserted|updated) (.+)$/.exec(name)?.[1];
    if (table !== undefined && count > 0) rows.set(table, (rows.get(table) ?? 0) + count);
  }
  const each = [...rows].map(([table, count]) => [table, rounded(count / calls)] as const);
  return Object.fromEntries(each.filter(([, count]) => count > 0).sort(([, one], [, other]) => other - one));
}

/** Five figures are more than two measurements have in common. */
function rounded(value: number): number {
  return Number(value.toPrecision(5));
}
