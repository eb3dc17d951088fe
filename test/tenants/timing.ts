/** What was measured in pairs that took turns, and what follows from it. */
export interface Compared {
  /** `unclear`: the machine is too noisy for so few pairs to tell. */
  readonly kind: 'same' | 'different' | 'unclear';
  /** How much longer the second one takes: the mean of the middle half of all paired differences. */
  readonly shiftMs: number;
  /** The standard error of that mean. */
  readonly errorMs: number;
  readonly mediansMs: readonly [number, number];
  readonly pairs: number;
}

/** So many standard errors are certain enough: about one in a thousand is beyond them by chance. */
const CERTAIN = 3.3;
/** Of the sorted differences a quarter at each end is left out: that is where a busy machine shows. */
const TRIMMED = 0.25;

/**
 * Whether two ways take the same time. They do when the shift is certainly smaller than `boundMs`, and do not
 * when it is certainly more than half of it: an interval that is too wide for both says so.
 */
export function compare(first: readonly number[], second: readonly number[], boundMs: number): Compared {
  const differences = first.map((each, index) => (second[index] ?? 0) - each);
  const { mean, error } = trimmedMean(differences);
  const sureMs = CERTAIN * error;
  const sizeMs = Math.abs(mean);
  const isSame = sizeMs + sureMs < boundMs;
  const isDifferent = sizeMs > boundMs / 2 && sizeMs - sureMs > boundMs / 4;
  const kind = isSame && !isDifferent ? 'same' : isDifferent ? 'different' : 'unclear';
  const mediansMs = [median(first), median(second)] as const;
  return { kind, shiftMs: mean, errorMs: error, mediansMs, pairs: first.length };
}

/** Its error by the usual rule: the deviation of the winsorized sample, over what is left of it. */
function trimmedMean(values: readonly number[]): { readonly mean: number; readonly error: number } {
  const sorted = values.toSorted((one, other) => one - other);
  const cut = Math.floor(sorted.length * TRIMMED);
  const kept = sorted.slice(cut, sorted.length - cut);
  const [low = 0, high = 0] = [kept[0], kept.at(-1)];
  const winsorized = sorted.map((each) => Math.min(Math.max(each, low), high));
  const share = (1 - 2 * TRIMMED) * Math.sqrt(sorted.length);
  return { mean: meanOf(kept), error: deviation(winsorized) / share };
}

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, each) => sum + each, 0) / values.length;

function deviation(values: readonly number[]): number {
  const mean = meanOf(values);
  return Math.sqrt(values.reduce((sum, each) => sum + (each - mean) ** 2, 0) / (values.length - 1));
}

export function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}

export interface Measurement {
  /** At least so many pairs, and as many again while it is unclear, up to the most. */
  readonly pairs: number;
  readonly pairsMax: number;
  /** From the median of what was measured: what must not be there. */
  boundMs(medianMs: number): number;
  /** How long one request took. The two sides take turns in who is first. */
  take(side: 'first' | 'second', turn: number): Promise<number>;
}

const WARM_UP = 10;

export async function measure({ pairs, pairsMax, boundMs, take }: Measurement): Promise<Compared> {
  const times = { first: [] as number[], second: [] as number[] };
  let compared: Compared | undefined;
  for (let turn = -WARM_UP; turn < pairsMax; turn++) {
    const order = turn % 2 === 0 ? (['first', 'second'] as const) : (['second', 'first'] as const);
    for (const side of order) {
      const tookMs = await take(side, turn);
      if (turn >= 0) times[side].push(tookMs);
    }
    const taken = turn + 1;
    if (taken < pairs || (taken % pairs !== 0 && taken !== pairsMax)) continue;
    compared = compare(times.first, times.second, boundMs(median(times.first)));
    if (compared.kind !== 'unclear') return compared;
  }
  if (compared === undefined) throw new Error('at least one batch is measured');
  return compared;
}

/** For a line that people read. */
export function told({ kind, shiftMs, errorMs, mediansMs, pairs }: Compared): string {
  const [first, second] = mediansMs.map((each) => each.toFixed(2));
  return `${kind}: ${shiftMs.toFixed(3)} ± ${errorMs.toFixed(3)} ms, medians ${first} and ${second}, ${pairs} pairs`;
}
