import { REPORTED_TOKENS_MAX } from '../../bounds.ts';
import type { Figures } from '../figures.ts';

/** Bytes of `usage.iterations` that we are willing to parse. */
const ITERATIONS_BYTES_MAX = 256 * 1024;
/** Iterations the vendor bills and leaves out of the totals beside them. */
const OUTSIDE_TOTALS: ReadonlySet<unknown> = new Set(['compaction', 'advisor_message']);

/**
 * `usage.iterations` (beta) lists the runs behind one answer. The totals hold the `message` runs only; what a
 * compaction or an advisor consumed is billed by the vendor and would otherwise be free.
 */
export function addIterations(figures: Figures, iterations: Buffer): Figures {
  if (iterations.length > ITERATIONS_BYTES_MAX) return figures;
  let sum = figures;
  for (const iteration of parseList(iterations)) {
    if (!OUTSIDE_TOTALS.has(iteration.type)) continue;
    sum = {
      ...sum,
      input: add(sum.input, iteration.input_tokens),
      output: add(sum.output, iteration.output_tokens),
      cacheRead: add(sum.cacheRead, iteration.cache_read_input_tokens),
      cacheWrite: add(sum.cacheWrite, iteration.cache_creation_input_tokens),
    };
  }
  return sum;
}

function add(figure: number | undefined, more: unknown): number | undefined {
  if (figure === undefined || typeof more !== 'number') return figure;
  return Number.isSafeInteger(more) && more >= 0 && more <= REPORTED_TOKENS_MAX ? figure + more : figure;
}

function parseList(bytes: Buffer): readonly Readonly<Record<string, unknown>>[] {
  try {
    const list: unknown = JSON.parse(bytes.toString());
    if (!Array.isArray(list)) return [];
    return list.filter((entry) => typeof entry === 'object' && entry !== null);
  } catch {
    return [];
  }
}
