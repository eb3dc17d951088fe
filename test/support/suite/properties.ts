import fc from 'fast-check';
import { isProof, runs, SEED } from '../property-runs.ts';

/** What fast-check takes where a property says nothing. */
const RUNS = 100;
/** A proof ends a property that takes this long: it has run often enough then. */
const LIMIT_MS = 60_000;
const INSTALLED = Symbol.for('tollgate.end-after-limit');

/**
 * Ends a property between two of its runs. `interruptAfterTimeLimit` ends it within one, which then continues
 * unheard beside the next test.
 */
const endAfterLimit: fc.Plugin<unknown> = () => {
  const endMs = performance.now() + LIMIT_MS;
  return {
    decorateRun: (run) => (value) =>
      performance.now() < endMs ? run(value) : new fc.PreconditionFailure(true),
  };
};

fc.configureGlobal({ seed: SEED, numRuns: runs(RUNS) });
// Files share processes, and a plugin stays.
if (isProof && !(INSTALLED in process)) {
  Object.assign(process, { [INSTALLED]: true });
  fc.installGlobalPlugin(endAfterLimit);
}
