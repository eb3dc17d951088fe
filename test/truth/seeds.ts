const SEEDS_MAX = 1_000;

/** Runs of every cell: one before each commit, more when `TEST_SEEDS` says so. */
export const seeds = Math.min(SEEDS_MAX, Math.max(1, Math.trunc(Number(process.env.TEST_SEEDS ?? 1)) || 1));
