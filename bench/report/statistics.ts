/** The arithmetic of the report. */

export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

export function spreadOf(values: readonly number[]): Spread | undefined {
  const sorted = [...values].filter(Number.isFinite).sort((left, right) => left - right);
  const min = sorted[0];
  const max = sorted[sorted.length - 1];
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.floor((sorted.length - 1) / 2)];
  if (min === undefined || max === undefined || upper === undefined || lower === undefined) return undefined;
  return { median: (lower + upper) / 2, min, max };
}

/**
 * How many times `values` is of `reference`, repeat by repeat: both were measured within a minute of each
 * other, so a slow spell of the machine falls out. Repeats in which one is missing are left out.
 */
export function ratioOf(
  values: ReadonlyMap<number, number>,
  reference: ReadonlyMap<number, number>,
): Spread | undefined {
  const ratios: number[] = [];
  for (const [repeat, value] of values) {
    const other = reference.get(repeat);
    if (other !== undefined && other > 0) ratios.push(value / other);
  }
  return spreadOf(ratios);
}

/** The list begun at another place, so that no target always follows the same neighbour. */
export function rotate<Item>(items: readonly Item[], by: number): readonly Item[] {
  if (items.length === 0) return items;
  const start = by % items.length;
  return [...items.slice(start), ...items.slice(0, start)];
}
