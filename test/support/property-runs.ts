/**
 * How properties are run. `npm test` runs each with one fixed seed and a fixed number of runs, so that a run
 * says the same every time. The proofs draw a seed, print it, and run each property many more times.
 */
const { TEST_SEED: seed, TEST_RUNS: times } = process.env;

export const SEED: number = seed === undefined ? 1 : Number(seed);
/** How many times its usual number of runs each property runs. */
const TIMES: number = times === undefined ? 1 : Number(times);
export const isProof: boolean = TIMES > 1;

/** As many runs as a property usually has, or as many more as the proofs ask for. */
export const runs = (usual: number): number => usual * TIMES;
