import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/sequence.ts';

/** Files of pure code: no server, no socket, nothing that outlives a test. They share their processes. */
const PURE = ['kernel', 'protocol', 'catalog', 'gateway'].map((folder) => `src/${folder}/**/*.test.ts`);

// Unit tests stand beside the code they test; system tests live in test/.
export default defineConfig({
  test: {
    // A test that hangs is found all the same; a busy machine is no failure.
    testTimeout: 120_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 30_000 } },
    // Many files wait more than they compute: one more than the two cores of the machine that runs them all.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    dangerouslyIgnoreUnhandledErrors: false,
    projects: [
      {
        extends: true,
        test: {
          name: 'system',
          include: ['src/**/*.test.ts', 'sim/**/*.test.ts', 'bench/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: ['**/node_modules/**', ...PURE],
          globalSetup: 'test/support/suite.ts',
        },
      },
      { extends: true, test: { name: 'pure', include: PURE, isolate: false } },
    ],
  },
});
