export interface Scale {
  readonly top: number;
  /** From nothing to the top: three to five values, so three or four grid lines above the base. */
  readonly ticks: readonly number[];
}

const STEPS = [1, 2, 2.5, 5, 10];
const LINES = 4;

/** A round scale from nothing to at least `max`. */
export function makeScale(max: number): Scale {
  if (!(max > 0)) return { top: 1, ticks: [0] };
  const part = max / LINES;
  const power = 10 ** Math.floor(Math.log10(part));
  const step = (STEPS.find((each) => each * power >= part * 0.999_999) ?? 10) * power;
  const lines = Math.ceil((max / step) * 0.999_999);
  const ticks = Array.from({ length: lines + 1 }, (_, index) => Number((index * step).toPrecision(12)));
  return { top: ticks[lines] ?? max, ticks };
}

/** Which of `count` labels an axis with place for `most` shows: evenly apart, the last among them. */
export function pickLabels(count: number, most: number): readonly number[] {
  if (count <= most) return Array.from({ length: count }, (_, index) => index);
  const step = Math.ceil((count - 1) / Math.max(1, most - 1));
  const picked: number[] = [];
  for (let index = count - 1; index >= 0; index -= step) picked.unshift(index);
  return picked;
}
