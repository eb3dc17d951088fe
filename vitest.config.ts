import { relative } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The files that take longest, measured on two cores, so that none of them begins when all others are done.
 * Those that mostly wait stand between those that compute.
 */
export const FIRST: readonly string[] = [
  'test/release/container.test.ts',
  'test/upgrade/schema.test.ts',
  'test/front/front.test.ts',
  'test/reference-page/reference-page.test.ts',
  'src/store/embedded/server.test.ts',
  'src/gate/redis/gate.test.ts',
  'test/platform/login/setup.test.ts',
  'src/ledger/crash.test.ts',
  'test/crash/kill.test.ts',
  'test/slots/memory.test.ts',
  'test/release/package.test.ts',
  'test/cli/cli.test.ts',
  'test/upgrade/upgrade.test.ts',
  'test/fuzz/platform.test.ts',
  'test/crash/database-away.test.ts',
  'test/sabotage/sabotage.test.ts',
  'test/crash/kill-redis.test.ts',
  'test/slots/redis.test.ts',
  'test/guessing/guessing.test.ts',
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

/**
 * Unit tests, and those of the source tree, share their processes, because loading the code anew costs more
 * than most of them take. Each file ends what it starts and undoes what it changes in its process.
 */
const UNIT_TESTS = ['src/**', 'sim/**', 'bench/**', 'console/**', 'release', 'test', 'test/house'].map(
  (folder) => `${folder}/*.test.ts`,
);
/** Unit tests with a process of their own: they start servers and programs, or replace modules of Node. */
const ALONE = [
  ...['app', 'cli', 'gate/redis', 'store/embedded'].map((folder) => `src/${folder}/**/*.test.ts`),
  ...['crash', 'journal/segment-files'].map((name) => `src/ledger/${name}.test.ts`),
];

/**
 * Folders of tests that kill, race, flood or go through whole matrices. `npm test` leaves them out;
 * `npm run prove -- --small` runs all of them, and CI runs both.
 */
export const PROOF_FOLDERS: readonly string[] = [
  ...[
    'allocations',
    'ambiguity',
    'cli',
    'console-speed',
    'convert',
    'crash',
    'faults',
    'front',
    'fuzz',
    'guessing',
    'model',
    'race',
    'sabotage',
    'sdk',
  ],
  ...[
    'reference-page',
    'release',
    'secrets',
    'slots',
    'soak',
    'store',
    'tenants',
    'truth',
    'upgrade',
    'watching',
  ],
].map((name) => `test/${name}/`);
const PROOFS = PROOF_FOLDERS.map((folder) => `${folder}**/*.test.ts`);

/** Pages in a real browser, against one server that all of them share. */
const CONSOLE = 'test/console/**/*.test.ts';
/** Those that go through every page, cut the server off, or tell the longest stories. */
const CONSOLE_PROOFS = 'test/console/proofs/*.test.ts';

const SERVERS = {
  globalSetup: 'test/support/suite/suite.ts',
  setupFiles: ['test/support/suite/own-folder.ts', 'test/support/suite/lent-reads.ts'],
};

const PAGES = {
  globalSetup: 'test/console/support/suite.ts',
  setupFiles: ['test/console/support/begin-browser.ts', ...SERVERS.setupFiles],
  // Pages wait for the server and for each other; the tests of a file run side by side.
  sequence: { concurrent: true },
  maxConcurrency: 3,
  // Each look at a page costs it some of the time that it is waited for.
  expect: { poll: { timeout: 60_000, interval: 100 } },
  // A browser has moments of its own. Nothing else is tried twice: a race in the books must be seen.
  retry: 1,
  // They share the server and the browser, and change nothing in their process.
  isolate: false,
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
    // What a run has translated, the next one reads: the proofs after the tests, and each project.
    fsModuleCache: true,
    sequence: { sequencer: LongestFirst },
    dangerouslyIgnoreUnhandledErrors: false,
    projects: [
      {
        extends: true,
        test: {
          name: 'system',
          include: [...ALONE, 'test/**/*.test.ts'],
          exclude: ['**/node_modules/**', 'test/*.test.ts', 'test/house/*.test.ts', ...PROOFS, CONSOLE],
          ...SERVERS,
        },
      },
      { extends: true, test: { name: 'console', include: [CONSOLE], exclude: [CONSOLE_PROOFS], ...PAGES } },
      { extends: true, test: { name: 'console-proofs', include: [CONSOLE_PROOFS], ...PAGES } },
      { extends: true, test: { name: 'proofs', include: PROOFS, ...SERVERS } },
      {
        extends: true,
        test: {
          name: 'unit',
          include: UNIT_TESTS,
          exclude: ['**/node_modules/**', ...ALONE],
          isolate: false,
          ...SERVERS,
        },
      },
    ],
  },
});
