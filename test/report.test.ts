import { expect, test } from 'vitest';
import { groupSkipped, linesOf, type Report } from './report.ts';

const EMPTY: Report = {
  tests: 3,
  files: 2,
  failures: [],
  skippedTests: 0,
  skipped: [],
  retried: [],
  times: [],
};
const redis = { name: 'Redis', isMet: false, how: 'apt-get install redis-server' };
const curl = { name: 'curl', isMet: false, how: 'apt-get install curl' };

test('the slowest files are named, the slowest first, and no more than twenty', () => {
  const times = Array.from({ length: 25 }, (_, index) => ({ file: `${index}.test.ts`, ms: 9_000 - index }));
  const lines = linesOf({ ...EMPTY, files: 25, times });
  expect(lines).toHaveLength(22);
  expect(lines.slice(1, 3)).toEqual(['The 20 slowest of 25 files:', '   9.0 s  0.test.ts']);
});

test('what was skipped is one line for each thing that is missing, with how to get it', () => {
  const skipped = groupSkipped([[redis], [redis, curl], [redis]]);
  expect(linesOf({ ...EMPTY, skipped }).filter((line) => line.startsWith('Skipped'))).toEqual([
    'Skipped 3, without Redis: apt-get install redis-server',
    'Skipped 1, without curl: apt-get install curl',
  ]);
});

test('a failure is named with its reason and the command that runs it alone', () => {
  const failure = { file: 'a/b.test.ts', test: "an account's money", why: 'expected 1 to be 2' };
  expect(linesOf({ ...EMPTY, failures: [failure] }).slice(-3)).toEqual([
    "✗ a/b.test.ts > an account's money",
    '    expected 1 to be 2',
    "    alone: npm test -- a/b.test.ts -t 'an account'\\''s money'",
  ]);
});

test('a file that does not load is named without a test', () => {
  const failure = { file: 'a/b.test.ts', why: 'Cannot find module' };
  expect(linesOf({ ...EMPTY, failures: [failure] }).slice(-1)).toEqual([
    '    alone: npm test -- a/b.test.ts',
  ]);
});

test('of very many failures the first are named, and the others are counted', () => {
  const failures = Array.from({ length: 30 }, (_, index) => ({ file: `${index}.test.ts`, why: 'no' }));
  expect(linesOf({ ...EMPTY, failures }).at(-1)).toBe('… and 10 more failures in the log above');
});

test('tests that passed at the second try are counted, and named with why the first failed', () => {
  const retried = [{ file: 'a.test.ts', test: 'b', why: 'expected 1 to be 2' }];
  expect(linesOf({ ...EMPTY, retried }).slice(-4)).toEqual([
    'Passed at the second try: 1',
    '✗ a.test.ts > b',
    '    expected 1 to be 2',
    "    alone: npm test -- a.test.ts -t 'b'",
  ]);
});
