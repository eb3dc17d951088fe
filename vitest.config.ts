import { relative } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The files that take longest, measured on two cores, so that none of them begins when all others are done.
 * Those that mostly wait stand between those that compute.
 */
export const FIRST: readonly string[] = [
  'test/crash/kill.test.ts',
  'test/slots/memory.test.ts',
  'test/cli/cli.test.ts',
  'test/fuzz/platform.test.ts',
  'test/crash/database-away.test.ts',
  'test/sabotage/sabotage.test.ts',
  'test/crash/kill-redis.test.ts',
  'test/slots/redis.test.ts',
  'test/platform/login/guessing.test.ts',
  'test/crash/workers.test.ts',
  'test/model/model.test.ts',
  'test/faults/clients.test.ts',
  'test/crash/lock.test.ts',
  'test/tenants/input.test.ts',
  'test/crash/redis-away.test.ts',
  'test/race/gate-processes.test.ts',
  'test/crash/nodes.test.ts',
  'test/secrets/hunt.test.ts',
  'test/crash/disk-full.test.ts',
  'test/faults/vendors.test.ts',
  'test/crash/windows.test.ts',
  'test/cli/demo.test.ts',
  'test/race/restart.test.ts',
  'test/tenants/matrix.test.ts',
  'test/crash/drain.test.ts',
  'src/gate/redis/gate.test.ts',
  'test/crash/drain-redis.test.ts',
  'test/race/money-processes.test.ts',
];

/** A name that is not in the list stands behind all that are, in the order the runner would take. */
export function rankOf(path: string): number {
  const at = FIRST.indexOf(path);
  return at === -1 ? FIRST.length : at;
}

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => rankOf(relative(import.meta.dirname, moduleId));
    return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other));
  }
}

/** Files of pure code: no server, no socket, nothing that outlives a test. They share their processes. */
const PURE = ['kernel', 'protocol', 'catalog', 'gateway'].map((folder) => `src/${folder}/**/*.test.ts`);

/**
 * Folders of tests that kill, race, flood or go through whole matrices. `npm test` leaves them out;
 * `npm run prove -- --small` runs all of them, and CI runs both.
 */
export const PROOF_FOLDERS: readonly string[] = [
  ...['ambiguity', 'cli', 'convert', 'crash', 'faults', 'fuzz', 'model', 'race', 'sabotage', 'sdk'],
  ...['slots', 'store', 'tenants', 'truth'],
].map((name) => `test/${name}/`);
const PROOFS = PROOF_FOLDERS.map((folder) => `${folder}**/*.test.ts`);

const SERVERS = {
  globalSetup: 'test/support/suite/suite.ts',
  setupFiles: ['test/support/suite/own-folder.ts', 'test/support/suite/lent-reads.ts'],
};

// Unit tests stand beside the code they test; system tests live in test/.
export default defineConfig({
  test: {
    // A test that hangs is found all the same; a busy machine is no failure.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
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
          exclude: ['**/node_modules/**', ...PURE, ...PROOFS],
          ...SERVERS,
        },
      },
      { extends: true, test: { name: 'proofs', include: PROOFS, ...SERVERS } },
      { extends: true, test: { name: 'pure', include: PURE, isolate: false } },
    ],
  },
});
