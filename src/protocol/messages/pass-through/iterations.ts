import type { LentBytes } from '../../../kernel/encoding/lent-bytes.ts';
import { COMMA } from '../../bytes/ascii.ts';
import { reportedFigure } from '../../bytes/number.ts';
import { compilePaths } from '../../bytes/paths.ts';
import { isWord, Skimmer, skipSpace } from '../../bytes/skim.ts';
import type { Figures } from '../../meter/usage-report.ts';

const TREE = compilePaths({
  type: 'type',
  input: 'input_tokens',
  output: 'output_tokens',
  cacheRead: 'cache_read_input_tokens',
  cacheWrite: 'cache_creation_input_tokens',
});
const { slots } = TREE;
const skimmer = new Skimmer(TREE);
/** Runs that the vendor bills but does not include in the totals beside them. */
const OUTSIDE_TOTALS = ['"compaction"', '"advisor_message"'] as const;

/**
 * `usage.iterations` (beta) lists the runs behind one answer. The totals include only the `message` runs. The
 * vendor also bills compactions and advisors, which would otherwise be free here.
 */
export function addIterations(figures: Figures, iterations: LentBytes): Figures {
  let sum = figures;
  let at = skipSpace(iterations, 1, iterations.length);
  for (;;) {
    const after = skimmer.run(iterations, at, iterations.length);
    if (after < 0) return sum;
    if (isOutsideTotals(iterations)) sum = addRun(sum, iterations);
    at = skipSpace(iterations, after, iterations.length);
    if (iterations[at] === COMMA) at++;
  }
}

function isOutsideTotals(bytes: LentBytes): boolean {
  const start = skimmer.starts[slots.type] as number;
  const end = skimmer.ends[slots.type] as number;
  return OUTSIDE_TOTALS.some((type) => isWord(bytes, start, end, type));
}

function addRun(sum: Figures, bytes: LentBytes): Figures {
  const more = (figure: number | undefined, slot: number): number | undefined =>
    figure === undefined ? undefined : figure + (reportedFigure(bytes, skimmer, slot) ?? 0);
  return {
    ...sum,
    input: more(sum.input, slots.input),
    output: more(sum.output, slots.output),
    cacheRead: more(sum.cacheRead, slots.cacheRead),
    cacheWrite: more(sum.cacheWrite, slots.cacheWrite),
  };
}
