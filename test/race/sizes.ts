import { COUNTS } from './catalog.ts';

/** How often each race is run; `npm run prove` asks for more than one, and then for every size of each. */
export const ROUNDS = Math.max(1, Math.trunc(Number(process.env.TEST_RACE_ROUNDS ?? 1)) || 1);
export const LARGE = ROUNDS > 1;

/** So many race for one bound at once. Before each commit: every size for Credits, two for the others. */
export const countsOf = (contest: string): readonly number[] =>
  LARGE || contest === 'Credits' ? COUNTS : [2, 100];

/** What a bound is worth on a busy machine. */
export const PATIENCE_MS = 60_000 * ROUNDS;
