import fc from 'fast-check';
import { isProof, runs, SEED } from '../property-runs.ts';

/** What fast-check takes where a property says nothing. */
const RUNS = 100;
/** A proof ends a property that takes this long: it has run often enough then. */
const LIMIT_MS = 60_000;

/**
 * Ends between two runs. `interruptAfterTimeLimit` ends within one, which then goes on unheard, beside the
 * tests behind it.
 */
const endAfterLimit: fc.Plugin<unknown> = () => {
  const endMs = performance.now() + LIMIT_MS;
  return {
    decorateRun: (run) => (value) =>
      performance.now() < endMs ? run(value) : new fc.PreconditionFailure(true),
  };
};

const INSTALLED = Symbol.for('tollgate.property-limit');
fc.configureGlobal({ seed: SEED, numRuns: runs(RUNS) });
// Files that share a process share it: once is enough.
if (isProof && !(INSTALLED in process)) {
  Object.assign(process, { [INSTALLED]: true });
  fc.installGlobalPlugin(endAfterLimit);
}
