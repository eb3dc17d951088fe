/** One part of a run: targets and harness start once, and all of them are up in every window. */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { waitForBooks, waitForRest } from './books.ts';
import { findFreePort } from './child.ts';
import { type Cores, moveToCore } from './cores.ts';
import {
  type Harness,
  measure,
  type Spent,
  spentBetween,
  spentBy,
  startHarness,
  stopHarness,
  type Window,
} from './harness.ts';
import { LARGE_BODIES, LARGE_BODY_MS, sendLargeBodies } from './loop/large-bodies.ts';
import type { LoopReading } from './loop/probe.ts';
import {
  type Cell,
  costOf,
  type LeftOut,
  type LoopPoint,
  type MemoryPoint,
  type Part,
} from './report/result.ts';
import { rotate } from './report/statistics.ts';
import { type Scenario, slowStreams, type Timing } from './scenario.ts';
import type { StartedTarget, Target } from './target.ts';

/** No kind of traffic always follows the same one, or always comes first. */
const ROTATION = 5;
/** A rate that leaves a target less room than this is beyond it: its queue would only grow. */
const CAPACITY_SHARE = 0.9;
/** So long may a target take until all slow streams have begun. */
const OPEN_MS = 60_000;
const LOOP_SHARE = 0.8;
/** Large bodies take about as much again. */
const LOOP_SHARE_BESIDE = 0.4;
const LOOP_READ_MS = 5_000;

interface Entrant {
  readonly name: string;
  readonly started: StartedTarget;
  /** Calls of small JSON that it answers in a second when it does nothing else. */
  callsPerSecond: number;
}

export class Bench {
  readonly #folder = mkdtempSync(join(tmpdir(), 'tollgate-bench-'));
  readonly #entrants: Entrant[] = [];
  readonly #cores: Cores;
  readonly #part: Part;
  readonly leftOut: LeftOut[] = [];
  readonly versions: Record<string, string> = {};
  #harness: Harness | undefined;

  constructor(part: Part, cores: Cores) {
    this.#part = part;
    this.#cores = cores;
    // A target may run its database as another user, who must be able to pass through.
    chmodSync(this.#folder, 0o755);
    moveToCore(cores.harness, [process.pid]);
  }

  async start(targets: readonly Target[], chosen: readonly Scenario[]): Promise<void> {
    this.#harness = await startHarness(chosen, this.#cores.harness);
    process.env.BENCH_LOOP_FOLDER = this.#folder;
    for (const target of targets) await this.#enter(target, chosen);
  }

  async #enter(target: Target, chosen: readonly Scenario[]): Promise<void> {
    const preparation = await target.prepare();
    if (preparation.kind === 'left-out') {
      this.#leaveOut(target, preparation.reason);
      return;
    }
    const folder = join(this.#folder, target.name);
    mkdirSync(folder);
    try {
      const { upstreamPort } = this.#running();
      const nodeFlags =
        this.#part === 'loop' ? [`--import=${join(import.meta.dirname, 'loop', 'probe.ts')}`] : [];
      const core = this.#cores.target;
      const started = await target.start({
        upstreamPort,
        port: await findFreePort(),
        folder,
        core,
        nodeFlags,
      });
      this.#entrants.push({ name: target.name, started, callsPerSecond: Number.POSITIVE_INFINITY });
      await this.#tryOut(started, chosen);
      this.versions[target.name] = preparation.version;
    } catch (error) {
      const failed = this.#entrants.findIndex((each) => each.name === target.name);
      if (failed >= 0) await this.#entrants.splice(failed, 1)[0]?.started.stop();
      this.#leaveOut(target, error instanceof Error ? error.message : String(error));
    }
  }

  #leaveOut(target: Target, words: string): void {
    const reason = words.replaceAll(/\s+/g, ' ');
    this.leftOut.push({ target: target.name, reason });
    console.error(`left out: ${target.name}: ${reason}`);
  }

  /** One connection for a moment: a target that cannot pass the traffic is left out before it is timed. */
  async #tryOut(started: StartedTarget, chosen: readonly Scenario[]): Promise<void> {
    let calls = (await started.settledCalls?.()) ?? 0;
    for (const scenario of chosen.filter((each) => each.paceMs === 0 && each.ratePerSecond === undefined)) {
      if (!canDo(started, scenario)) continue;
      const window = { scenario: { ...scenario, connections: 1 }, warmMs: 0, measureMs: 300 };
      calls += await this.#try(started, window);
    }
    const [first] = chosen;
    // Every account has called once before anything is measured.
    if (started.keys !== undefined && first !== undefined) {
      calls += await this.#try(started, {
        scenario: first,
        warmMs: 0,
        measureMs: 0,
        calls: started.keys.length,
      });
    }
    // Else the books of the first window would show these calls too.
    const books = await waitForBooks(started, calls);
    if (calls > 0 && books.settled === 0) throw new Error(`its books show none of ${calls} calls`);
  }

  async #try(started: StartedTarget, window: Window): Promise<number> {
    const { load, callsTotal } = await measure(this.#running(), started, window);
    const reason = Object.keys(load.failures)[0];
    if (reason !== undefined) throw new Error(`${window.scenario.name} fails: ${reason}`);
    return callsTotal;
  }

  async runCells(chosen: readonly Scenario[], timing: Timing): Promise<readonly Cell[]> {
    const cells: Cell[] = [];
    for (let repeat = 0; repeat < timing.repeats; repeat += 1) {
      const warmMs = repeat === 0 ? timing.warmFirstMs : timing.warmMs;
      for (const [index, scenario] of rotate(chosen, repeat * ROTATION).entries()) {
        if (repeat >= (scenario.repeatsMax ?? timing.repeats)) continue;
        for (const entrant of rotate(this.#entrants, repeat + index)) {
          if (!canDo(entrant.started, scenario) || isBeyond(entrant, scenario)) continue;
          // Later on, a ramp of streams is warm-up enough.
          const isRamped = repeat > 0 && scenario.rampMs > 0;
          const window = { scenario, warmMs: isRamped ? 0 : warmMs, measureMs: timing.measureMs };
          cells.push(await this.#runCell(entrant, window, repeat));
        }
      }
    }
    return cells;
  }

  async #runCell(entrant: Entrant, window: Window, repeat: number): Promise<Cell> {
    const { started } = entrant;
    const settledBefore = await started.settledCalls?.();
    const before = spentBy(started);
    const measured = await measure(this.#running(), started, window);
    const due = settledBefore === undefined ? undefined : settledBefore + measured.callsTotal;
    const books = await waitForBooks(started, due);
    const allIn: Spent = spentBetween(before, await waitForRest(started));
    const { name, streamed, pair, contentChunks, connections, ratePerSecond } = window.scenario;
    const cell: Cell = {
      part: this.#part,
      repeat,
      target: entrant.name,
      scenario: name,
      streamed,
      pair,
      contentChunks,
      connections,
      ratePerSecond,
      ...measured,
      allIn,
      settledCalls: settledBefore === undefined ? undefined : (books.settled ?? 0) - settledBefore,
      settledAfterMs: books.afterMs,
    };
    if (name === 'json-small') entrant.callsPerSecond = (cell.load.calls / cell.load.durationMs) * 1000;
    const cost = costOf(cell, cell.gateway.cpuMs).toFixed(3);
    console.error(`repeat ${repeat + 1}  ${name.padEnd(22)}  ${entrant.name.padEnd(14)} ${cost}`);
    if (due !== undefined && books.afterMs === undefined) {
      console.error(`the books of ${entrant.name} are not complete; it said: ${started.lastWords()}`);
    }
    return cell;
  }

  /** What each target holds now, after all the load it had. */
  memoryAfterLoad(): readonly MemoryPoint[] {
    return this.#entrants.map(({ name, started }) => pointOf(name, 'after-load', 0, spentBy(started)));
  }

  /** What each target holds with more and more slow streams open, after a little small JSON. */
  async runMemory(counts: readonly number[], warm: Scenario): Promise<readonly MemoryPoint[]> {
    const points: MemoryPoint[] = [];
    for (const { name, started } of this.#entrants) {
      await measure(this.#running(), started, { scenario: warm, warmMs: 0, measureMs: 3_000 });
      points.push(pointOf(name, 'streams', 0, await waitForRest(started)));
      for (const count of counts) {
        const window = {
          scenario: slowStreams(count),
          warmMs: 1_000,
          measureMs: 2_000,
          openMs: OPEN_MS,
          drainMs: 0,
        };
        const { load, gateway, databases } = await measure(this.#running(), started, window);
        points.push(pointOf(name, 'streams', load.streamsOpen, { gateway, databases }));
        console.error(`memory    ${String(load.streamsOpen).padEnd(22)}  ${name}`);
        await waitForRest(started);
      }
    }
    return points;
  }

  /** How late the event loop is when small JSON takes most of a core, alone and beside large bodies. */
  async runLoop(json: Scenario, timing: Timing): Promise<readonly LoopPoint[]> {
    const points: LoopPoint[] = [];
    for (const { name, started } of this.#entrants) {
      const warm = { ...timing, warmMs: timing.warmFirstMs, scenario: json };
      const { load, gateway } = await measure(this.#running(), started, warm);
      const mostPerSecond = 1000 / (gateway.cpuMs / load.calls);
      await waitForRest(started);
      const alone = { ...timing, scenario: at(json, mostPerSecond * LOOP_SHARE) };
      points.push(await this.#measureLoop(name, started, alone));
      const bodies = sendLargeBodies(started, json.model);
      // The first bodies have arrived when the window begins, and as many arrive in it.
      const beside = { scenario: at(json, mostPerSecond * LOOP_SHARE_BESIDE) };
      const window = { ...beside, warmMs: LARGE_BODY_MS, measureMs: LARGE_BODY_MS };
      const point = await this.#measureLoop(name, started, window);
      points.push({ ...point, bodies: LARGE_BODIES });
      console.error(`          bodies of 20 MiB: ${JSON.stringify(await bodies.stop())}`);
      await waitForRest(started);
    }
    return points;
  }

  async #measureLoop(target: string, started: StartedTarget, window: Window): Promise<LoopPoint> {
    const pid = started.rootPids()[0] ?? 0;
    const { ratePerSecond = 0 } = window.scenario;
    await this.#readLoop(pid);
    const { load, gateway } = await measure(this.#running(), started, window);
    const { p50Ms, p99Ms, maxMs } = await this.#readLoop(pid);
    const calls = `${ratePerSecond} calls/s`.padEnd(22);
    console.error(`loop      ${calls}  ${target.padEnd(14)} ${p99Ms.toFixed(1)} ms`);
    const cores = gateway.cpuMs / load.durationMs;
    return { target, ratePerSecond, bodies: 0, cores, p50Ms, p99Ms, maxMs };
  }

  /** The reading since the last one. */
  async #readLoop(pid: number): Promise<LoopReading> {
    const file = join(this.#folder, `${pid}.json`);
    rmSync(file, { force: true });
    process.kill(pid, 'SIGUSR2');
    const deadlineMs = performance.now() + LOOP_READ_MS;
    while (!existsSync(file)) {
      if (performance.now() > deadlineMs) throw new Error('the probe of the event loop says nothing');
      await delay(20);
    }
    return JSON.parse(readFileSync(file, 'utf8')) as LoopReading;
  }

  #running(): Harness {
    if (this.#harness === undefined) throw new Error('the bench has not been started');
    return this.#harness;
  }

  async stop(): Promise<void> {
    await Promise.allSettled(this.#entrants.splice(0).map((each) => each.started.stop()));
    if (this.#harness !== undefined) await stopHarness(this.#harness);
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function at(json: Scenario, ratePerSecond: number): Scenario {
  return { ...json, ratePerSecond: Math.round(ratePerSecond), connections: 1_024 };
}

/** A target that converts nothing can only pass a vendor's stream to a client of the same protocol. */
function canDo(started: StartedTarget, { pair }: Scenario): boolean {
  return pair === undefined || started.pairsBelow === undefined || pair.client === pair.vendor;
}

function isBeyond(entrant: Entrant, { ratePerSecond = 0 }: Scenario): boolean {
  return ratePerSecond > entrant.callsPerSecond * CAPACITY_SHARE;
}

function pointOf(target: string, kind: MemoryPoint['kind'], streams: number, spent: Spent): MemoryPoint {
  const databases = Object.values(spent.databases).reduce((sum, each) => sum + each.residentBytes, 0);
  return { target, kind, streams, gatewayBytes: spent.gateway.residentBytes, databaseBytes: databases };
}
