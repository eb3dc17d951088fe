/**
 * The clock of calls that come at fixed times, as a thread of the load generator: it sleeps until the next
 * call is due and says so. Timers of the event loop have a grain of a millisecond, which is more than most
 * answers take; a loop that does not sleep would take the processor of the upstream.
 */
import { isMainThread, parentPort, workerData } from 'node:worker_threads';

export interface ClockSettings {
  /** On the clock of `performance.timeOrigin + performance.now()`, which threads share. */
  readonly firstDueMs: number;
  readonly everyMs: number;
}

/** A call behind its time by more than this is announced with all the others that are late. */
const BATCH_MAX = 1_000;

function run({ firstDueMs, everyMs }: ClockSettings): void {
  const cell = new Int32Array(new SharedArrayBuffer(4));
  const now = (): number => performance.timeOrigin + performance.now();
  // It ends with its thread, which the load generator ends with the order.
  for (let next = 0; ; ) {
    const waitMs = firstDueMs + next * everyMs - now();
    if (waitMs > 0) Atomics.wait(cell, 0, 0, waitMs);
    const due = Math.min(Math.floor((now() - firstDueMs) / everyMs) + 1 - next, BATCH_MAX);
    if (due <= 0) continue;
    parentPort?.postMessage(due);
    next += due;
  }
}

if (!isMainThread) run(workerData as ClockSettings);
