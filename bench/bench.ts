/** One run: targets and harness are started once, and every window is measured with all of them up. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findFreePort } from './child.ts';
import { type Harness, measure, startHarness, stopHarness, type Window } from './harness.ts';
import { type Cell, costOf, type LeftOut } from './report/result.ts';
import { rotate } from './report/statistics.ts';
import type { Scenario, Timing } from './scenario.ts';
import type { StartedTarget, Target } from './target.ts';

/** Books may be kept in batches after the answer, but not much later. */
const SETTLE_TIMEOUT_MS = 10_000;
const SETTLE_POLL_MS = 50;
/** No kind of traffic always follows the same one, or always comes first. */
const ROTATION = 5;
/** Long enough for the collector of the last target to come to rest. */
const PAUSE_MS = 200;

interface Entrant {
  readonly name: string;
  readonly started: StartedTarget;
}

export class Bench {
  readonly #folder = mkdtempSync(join(tmpdir(), 'tollgate-bench-'));
  readonly #entrants: Entrant[] = [];
  readonly leftOut: LeftOut[] = [];
  readonly versions: Record<string, string> = {};
  #harness: Harness | undefined;

  constructor() {
    // A target may run its database as another user, who must be able to pass through.
    chmodSync(this.#folder, 0o755);
  }

  async start(targets: readonly Target[], chosen: readonly Scenario[]): Promise<void> {
    this.#harness = await startHarness(chosen);
    for (const target of targets) await this.#enter(target, this.#harness, chosen);
  }

  async #enter(target: Target, harness: Harness, chosen: readonly Scenario[]): Promise<void> {
    const preparation = await target.prepare();
    if (preparation.kind === 'left-out') {
      this.#leaveOut(target, preparation.reason);
      return;
    }
    this.versions[target.name] = preparation.version;
    const folder = join(this.#folder, target.name);
    mkdirSync(folder);
    try {
      const place = { upstreamPort: harness.upstreamPort, port: await findFreePort(), folder };
      const started = await target.start(place);
      this.#entrants.push({ name: target.name, started });
      await this.#tryOut(started, harness, chosen);
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
  async #tryOut(started: StartedTarget, harness: Harness, chosen: readonly Scenario[]): Promise<void> {
    let calls = (await started.settledCalls?.()) ?? 0;
    for (const scenario of chosen.filter((each) => each.paceMs === 0)) {
      const window = { scenario: { ...scenario, connections: 1 }, warmMs: 0, measureMs: 300 };
      const { load, callsTotal } = await measure(harness, started, window);
      const reason = Object.keys(load.failures)[0];
      if (reason !== undefined) throw new Error(`${scenario.name} fails: ${reason}`);
      calls += callsTotal;
    }
    // Else the books of the first window would show these calls too.
    if (started.settledCalls === undefined) return;
    const { afterMs } = await waitForBooks(started, calls);
    if (afterMs === undefined) throw new Error(`its books did not show ${calls} calls in time`);
  }

  async runCells(chosen: readonly Scenario[], timing: Timing): Promise<readonly Cell[]> {
    const cells: Cell[] = [];
    for (let repeat = 0; repeat < timing.repeats; repeat += 1) {
      const warmMs = repeat === 0 ? timing.warmFirstMs : timing.warmMs;
      for (const [index, scenario] of rotate(chosen, repeat * ROTATION).entries()) {
        for (const entrant of rotate(this.#entrants, repeat + index)) {
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
    if (this.#harness === undefined) throw new Error('the bench has not been started');
    const settledBefore = await entrant.started.settledCalls?.();
    const measured = await measure(this.#harness, entrant.started, window);
    const due = settledBefore === undefined ? undefined : settledBefore + measured.callsTotal;
    const books = await waitForBooks(entrant.started, due);
    const { name, streamed, pair, contentChunks } = window.scenario;
    const cell: Cell = {
      repeat,
      target: entrant.name,
      scenario: name,
      streamed,
      pair,
      contentChunks,
      ...measured,
      settledCalls: settledBefore === undefined ? undefined : (books.settled ?? 0) - settledBefore,
      settledAfterMs: books.afterMs,
    };
    const cost = costOf(cell, cell.gateway.cpuMs).toFixed(3);
    console.error(`repeat ${repeat + 1}  ${name.padEnd(22)}  ${entrant.name.padEnd(9)} ${cost}`);
    if (due !== undefined && books.afterMs === undefined) {
      console.error(`the books of ${entrant.name} are not complete; it said: ${entrant.started.lastWords()}`);
    }
    await delay(PAUSE_MS);
    return cell;
  }

  async stop(): Promise<void> {
    await Promise.allSettled(this.#entrants.splice(0).map((each) => each.started.stop()));
    if (this.#harness !== undefined) await stopHarness(this.#harness);
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

async function waitForBooks(
  target: StartedTarget,
  due: number | undefined,
): Promise<{ readonly settled: number | undefined; readonly afterMs: number | undefined }> {
  if (due === undefined) return { settled: undefined, afterMs: undefined };
  const begunMs = performance.now();
  let settled: number | undefined;
  while (performance.now() - begunMs < SETTLE_TIMEOUT_MS) {
    settled = await target.settledCalls?.();
    if (settled !== undefined && settled >= due) return { settled, afterMs: performance.now() - begunMs };
    await delay(SETTLE_POLL_MS);
  }
  return { settled, afterMs: undefined };
}
