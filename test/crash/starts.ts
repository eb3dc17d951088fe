import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

/** One start of a server, from its process to ready. */
export interface Start {
  readonly readyMs: number;
  /** What the host of this machine gave to others meanwhile, of all processors together. */
  readonly stolenMs: number;
}

/** Linux tells processor time to programs in hundredths of a second. */
const TICK_MS = 10;
const STOLEN_FIELD = 8;

/** Since the machine began; 0 where nobody tells. */
export function stolenMs(): number {
  try {
    const [all = ''] = readFileSync('/proc/stat', 'utf8').split('\n', 1);
    return Number(all.split(/ +/)[STOLEN_FIELD] ?? 0) * TICK_MS;
  } catch {
    return 0;
  }
}

/**
 * Without what the host took: while it gives all processors to others, nobody starts. Spread over all of them
 * it is the least that a start lost by it.
 */
function ownMs({ readyMs, stolenMs }: Start): number {
  return Math.max(0, Math.round(readyMs - stolenMs / availableParallelism()));
}

export function slowestMs(starts: readonly Start[]): number {
  return Math.max(0, ...starts.map(ownMs));
}

/** For people: a single late start of a hundred is another thing than a hundred slow ones. */
export function describeStarts(starts: readonly Start[]): string {
  const sorted = [...starts].sort((one, other) => one.readyMs - other.readyMs);
  const slowest = sorted.at(-1);
  const middle = sorted[Math.floor(sorted.length / 2)];
  if (slowest === undefined || middle === undefined) return 'never';
  const host = `the host took ${slowest.stolenMs} of the slowest, without it ${slowestMs(starts)} at most`;
  return `${slowest.readyMs} ms (median ${middle.readyMs}, ${host})`;
}
