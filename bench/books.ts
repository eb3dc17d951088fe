/** When the work of a window is over: the books are complete, and nothing runs any more. */
import { setTimeout as delay } from 'node:timers/promises';
import { type Spent, spentBy } from './harness.ts';
import { totalMs } from './report/result.ts';
import type { StartedTarget } from './target.ts';

/** Books may be kept in batches after the answer, but not much later. */
const BOOKS_TIMEOUT_MS = 20_000;
/** Books that have not grown for so long are as complete as they get. */
const BOOKS_STILL_MS = 5_000;
const BOOKS_POLL_MS = 50;
const REST_TIMEOUT_MS = 15_000;
const REST_POLL_MS = 200;
/** A tenth of a core: timers and housekeeping. */
const REST_CPU_MS = 20;

export interface Books {
  readonly settled: number | undefined;
  /** Nothing when they never showed every call. */
  readonly afterMs: number | undefined;
}

export async function waitForBooks(target: StartedTarget, due: number | undefined): Promise<Books> {
  if (due === undefined || target.settledCalls === undefined)
    return { settled: undefined, afterMs: undefined };
  const begunMs = performance.now();
  let grownMs = begunMs;
  let settled = 0;
  for (let nowMs = begunMs; nowMs - begunMs < BOOKS_TIMEOUT_MS; nowMs = performance.now()) {
    const last = settled;
    settled = await target.settledCalls();
    if (settled >= due) return { settled, afterMs: performance.now() - begunMs };
    if (settled > last) grownMs = nowMs;
    if (nowMs - grownMs > BOOKS_STILL_MS) break;
    await delay(BOOKS_POLL_MS);
  }
  return { settled, afterMs: undefined };
}

/** Work put off is work too: answers what was spent when target and databases have come to rest. */
export async function waitForRest(target: StartedTarget): Promise<Spent> {
  const begunMs = performance.now();
  let last = spentBy(target);
  while (performance.now() - begunMs < REST_TIMEOUT_MS) {
    await delay(REST_POLL_MS);
    const now = spentBy(target);
    if (totalMs(now) - totalMs(last) <= REST_CPU_MS) return now;
    last = now;
  }
  return last;
}
