/** Times by chance, from a seed; and what came of many of them. */
import type { Random } from '../../../src/kernel/random.ts';

/** The time until the next of events that come independently of each other, `ratePerMs` of them. */
export function exponential(random: Random, ratePerMs: number): number {
  return -Math.log(1 - random.unit()) / ratePerMs;
}

/** Most near the median, few very late: `spread` is the standard deviation of the logarithm. */
export function logNormal(random: Random, medianMs: number, spread: number): number {
  const normal = Math.sqrt(-2 * Math.log(1 - random.unit())) * Math.cos(2 * Math.PI * random.unit());
  return medianMs * Math.exp(spread * normal);
}

export interface Times {
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly mean: number;
}

export function timesOf(values: readonly number[]): Times {
  const sorted = Float64Array.from(values).sort();
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  const sum = sorted.reduce((total, value) => total + value, 0);
  return { p50: at(0.5), p90: at(0.9), p99: at(0.99), mean: sorted.length === 0 ? 0 : sum / sorted.length };
}
