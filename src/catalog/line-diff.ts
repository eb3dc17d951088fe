import { DIFF_CELLS_MAX, DIFF_CONTEXT_LINES } from '../operations/bounds.ts';
import type { TextBlock } from './file/catalog-text.ts';

/** A line of a comparison, with its number in each of the two texts that has it. */
export interface DiffLine {
  readonly kind: 'same' | 'removed' | 'added';
  readonly before: number | null;
  readonly after: number | null;
  readonly text: string;
}

/** What differs in one block. Lines that are the same are left out, but for a few around a change. */
export interface Hunk {
  readonly where: string;
  readonly lines: readonly DiffLine[];
}

interface Placed {
  readonly lines: readonly string[];
  /** The number of its first line. */
  readonly start: number;
}

const NO_LINES: Placed = { lines: [], start: 0 };

/** Compares two texts block by block, so that the work grows with what changed. */
export function diffBlocks(before: readonly TextBlock[], after: readonly TextBlock[]): readonly Hunk[] {
  const [old, fresh] = [place(before), place(after)];
  return inOrder([...old.keys()], [...fresh.keys()]).flatMap((where) => {
    const [one, other] = [old.get(where) ?? NO_LINES, fresh.get(where) ?? NO_LINES];
    const lines = diffLines(one, other);
    return lines.some(({ kind }) => kind !== 'same') ? [{ where, lines: aroundChanges(lines) }] : [];
  });
}

function place(blocks: readonly TextBlock[]): ReadonlyMap<string, Placed> {
  let start = 1;
  const placed = new Map<string, Placed>();
  for (const { where, lines } of blocks) {
    placed.set(where, { lines, start });
    start += lines.length;
  }
  return placed;
}

/** Both orders are kept: what only the first has stands before what follows it there. */
function inOrder(before: readonly string[], after: readonly string[]): readonly string[] {
  const [old, fresh] = [new Set(before), new Set(after)];
  const order: string[] = [];
  let next = 0;
  for (const where of after) {
    if (old.has(where)) {
      for (; before[next] !== where && next < before.length; next++) {
        const gone = before[next];
        if (gone !== undefined && !fresh.has(gone)) order.push(gone);
      }
      next++;
    }
    order.push(where);
  }
  return [...order, ...before.slice(next).filter((where) => !fresh.has(where))];
}

function diffLines(before: Placed, after: Placed): readonly DiffLine[] {
  const { lines: old } = before;
  const { lines: fresh } = after;
  const found: DiffLine[] = [];
  const common = commonTails(old, fresh);
  let [one, other] = [0, 0];
  while (one < old.length || other < fresh.length) {
    const isSame = one < old.length && other < fresh.length && old[one] === fresh[other];
    if (isSame) {
      found.push(line('same', [before.start + one, after.start + other], old[one]));
      one++;
      other++;
    } else if (
      one < old.length &&
      (other === fresh.length || common(one + 1, other) >= common(one, other + 1))
    ) {
      found.push(line('removed', [before.start + one, null], old[one]));
      one++;
    } else {
      found.push(line('added', [null, after.start + other], fresh[other]));
      other++;
    }
  }
  return found;
}

function line(
  kind: DiffLine['kind'],
  [before, after]: readonly [number | null, number | null],
  text = '',
): DiffLine {
  return { kind, before, after, text };
}

/** The number of lines that both have in common from two places on. A block that is too long has none. */
function commonTails(
  old: readonly string[],
  fresh: readonly string[],
): (one: number, other: number) => number {
  const width = fresh.length + 1;
  if ((old.length + 1) * width > DIFF_CELLS_MAX) return () => 0;
  const cells = new Uint16Array((old.length + 1) * width);
  for (let one = old.length - 1; one >= 0; one--) {
    for (let other = fresh.length - 1; other >= 0; other--) {
      const [down, right] = [cells[(one + 1) * width + other] ?? 0, cells[one * width + other + 1] ?? 0];
      const both = 1 + (cells[(one + 1) * width + other + 1] ?? 0);
      cells[one * width + other] = old[one] === fresh[other] ? both : Math.max(down, right);
    }
  }
  return (one, other) => cells[one * width + other] ?? 0;
}

function aroundChanges(lines: readonly DiffLine[]): readonly DiffLine[] {
  const changed = lines.flatMap(({ kind }, at) => (kind === 'same' ? [] : [at]));
  const near = new Set<number>();
  for (const at of changed) {
    for (let step = -DIFF_CONTEXT_LINES; step <= DIFF_CONTEXT_LINES; step++) near.add(at + step);
  }
  return lines.filter((_line, at) => near.has(at));
}
