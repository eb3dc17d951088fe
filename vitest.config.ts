import { defineConfig } from 'vitest/config';
import LongestFirst from './test/support/suite/longest-first.ts';

/**
 * Folders of tests that kill, race, flood or go through whole matrices. `npm test` leaves them out;
 * `npm run prove -- --small` runs all of them, and CI runs both.
 */
export const PROOF_FOLDERS: readonly string[] = [
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
  'reference-page',
  'release',
  'sabotage',
  'sdk',
  'secrets',
  'slots',
  'soak',
  'store',
  'tenants',
  'truth',
  'upgrade',
  'watching',
].map((name) => `test/${name}/`);

/** Test files that get a process of their own, and why. All others share processes. */
export const ALONE: Readonly<Record<string, string>> = {
  'src/ledger/journal/segment-files.test.ts': 'it replaces a module of Node',
};

const PROOFS = PROOF_FOLDERS.map((folder) => `${folder}**/*.test.ts`);
/** Pages in a real browser, against one server that all of them share. */
const CONSOLE = 'test/console/**/*.test.ts';
/** Those that go through every page, cut the server off, or tell the longest stories. */
const CONSOLE_PROOFS = 'test/console/proofs/*.test.ts';
const NOT_OURS = '**/node_modules/**';

/** Proofs start hundreds of programs. */
const PROGRAMS = 'test/support/suite/program.ts';
const FILES = {
  globalSetup: 'test/support/suite/suite.ts',
  setupFiles: [
    'test/support/suite/own-folder.ts',
    'test/support/suite/lent-reads.ts',
    'test/support/suite/properties.ts',
  ],
};

const PAGES = {
  globalSetup: 'test/console/support/suite.ts',
  setupFiles: ['test/console/support/begin-browser.ts', ...FILES.setupFiles],
  // Pages wait for the server and for each other; the tests of a file run side by side.
  sequence: { concurrent: true },
  maxConcurrency: 3,
  // Each look at a page costs it some of the time that it is waited for.
  expect: { poll: { timeout: 60_000, interval: 100 } },
  // A browser has moments of its own. Nothing else is tried twice: a race in the books must be seen.
  retry: 1,
};

// Unit tests stand beside the code they test; system tests live in test/.
export default defineConfig({
  test: {
    // A test that hangs is found all the same; a busy machine is no failure.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    // Many files wait more than they compute: twice the two cores of the machine that runs them all.
    maxWorkers: 4,
    reporters: ['default', 'test/support/suite/reporter.ts'],
    // Files share processes, because loading the code again costs more than most of them take. Each ends what
    // it starts and undoes what it changes.
    isolate: false,
    // Node loads the sources itself, as it does in production.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // Proofs run in a random order.
    ...(process.argv.includes('--sequence.shuffle.files') ? {} : { sequence: { sequencer: LongestFirst } }),
    projects: [
      {
        extends: true,
        test: {
          name: 'alone',
          include: Object.keys(ALONE),
          isolate: true,
          experimental: { viteModuleRunner: false, nodeLoader: true },
          ...FILES,
        },
      },
      { extends: true, test: { name: 'console', include: [CONSOLE], exclude: [CONSOLE_PROOFS], ...PAGES } },
      { extends: true, test: { name: 'console-proofs', include: [CONSOLE_PROOFS], ...PAGES } },
      {
        extends: true,
        test: { name: 'proofs', include: PROOFS, ...FILES, globalSetup: [FILES.globalSetup, PROGRAMS] },
      },
      {
        extends: true,
        test: {
          name: 'shared',
          include: ['**/*.test.ts'],
          exclude: [NOT_OURS, ...Object.keys(ALONE), ...PROOFS, CONSOLE],
          ...FILES,
        },
      },
    ],
  },
});
