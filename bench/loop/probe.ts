/**
 * Loaded into a target that runs on Node, before its code. On SIGUSR2 it writes how late the event loop was
 * since the last such signal, in the folder that BENCH_LOOP_FOLDER names, and begins anew.
 */
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';

export interface LoopReading {
  readonly id: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

/** Each sample is a timer of so many milliseconds; what it takes longer is the delay. */
const RESOLUTION_MS = 2;
const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
const file = join(process.env.BENCH_LOOP_FOLDER ?? '', `${process.pid}.json`);
let id = 0;

function lateMs(nanoseconds: number): number {
  return Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS);
}

delays.enable();
process.on('SIGUSR2', () => {
  id += 1;
  const [p50Ms, p99Ms] = [lateMs(delays.percentile(50)), lateMs(delays.percentile(99))];
  const reading: LoopReading = { id, p50Ms, p99Ms, maxMs: lateMs(delays.max) };
  delays.reset();
  writeFileSync(`${file}.new`, JSON.stringify(reading));
  renameSync(`${file}.new`, file);
});
