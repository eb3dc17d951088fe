import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PROOF_FOLDERS } from '../../vitest.config.ts';
import { projectRoot, readTree } from '../house/tree.ts';
import { countTests, readLines, tableOf } from './lines.ts';
import { PROOFS, PROPERTY_TESTS } from './proofs.ts';

const tree = readTree();
const tests = tree.filter(({ path }) => path.endsWith('.test.ts'));
const isOf = (path: string): boolean =>
  PROOFS.some((proof) => proof.tests.some((begin) => path.startsWith(begin)));

test('every proof has its own tests, and every size is read by a test', () => {
  for (const { name, tests: files, script, environment } of PROOFS) {
    for (const begin of files) {
      expect(
        tests.filter(({ path }) => path.startsWith(begin)),
        `${name}: ${begin}`,
      ).not.toEqual([]);
    }
    for (const path of script ?? []) expect(tree.map((file) => file.path)).toContain(path);
    for (const variable of Object.keys(environment)) {
      const reading = tree.filter(
        ({ path, text }) => !path.startsWith('test/prove') && text.includes(variable),
      );
      expect(reading.length, `${name}: ${variable}`).toBeGreaterThan(0);
    }
  }
});

test('every proof is in a folder that CI runs at the small size, or of properties that npm test has', () => {
  const outside = PROOFS.flatMap((proof) => proof.tests).filter((begin) => {
    return PROOF_FOLDERS.every((folder) => !begin.startsWith(folder.slice(0, -1)));
  });
  expect(outside.filter((path) => !PROPERTY_TESTS.includes(path))).toEqual([]);
  expect(PROPERTY_TESTS).toContain('src/gate/redis/gate.test.ts');
  expect(PROPERTY_TESTS).toContain('src/kernel/encoding/json-members.test.ts');
  for (const folder of PROOF_FOLDERS) expect(tests.some(({ path }) => path.startsWith(folder))).toBe(true);
});

test('every test that prints a proof belongs to a proof', () => {
  const saying = tests.filter(
    ({ path, text }) => !path.startsWith('test/prove') && text.includes('`proof | '),
  );
  expect(saying.length).toBeGreaterThan(5);
  expect(saying.map(({ path }) => path).filter((path) => !isOf(path))).toEqual([]);
});

test('proof lines are found among other output, and printed as a table', () => {
  const lines = readLines(
    'stdout | a.test.ts > b\nproof | slots, memory | 2000 calls | 0 in use, | 1\nproof | no\n',
  );
  expect(lines).toEqual([{ name: 'slots, memory', size: '2000 calls', result: '0 in use, | 1' }]);
  const table = tableOf([
    { proof: 'slots', outcome: 'proved', seconds: 3, lines: [...lines, ...lines] },
    { proof: 'crash', outcome: 'late', seconds: 4, lines: [] },
  ]);
  expect(table.split('\n').slice(2)).toEqual([
    '| slots | proved | 3 s | slots, memory | 2000 calls | 0 in use, | 1 |',
    '| | | | slots, memory | 2000 calls | 0 in use, | 1 |',
    '| crash | late | 4 s | | | |',
  ]);
});

test('the result of a proof that prints nothing is the count of its tests', () => {
  const output = ' Test Files  68 passed (68)\n      Tests  1 failed | 1349 passed (1350)\n';
  expect(countTests(output)).toEqual([
    { name: 'tests', size: '1350 tests', result: '1 failed | 1349 passed' },
  ]);
  expect(countTests('no tests')).toEqual([]);
});

test('a proof that does not exist is refused by name', () => {
  const args = [join('test', 'prove', 'run.ts'), '--only', 'perpetual-motion'];
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: projectRoot, encoding: 'utf8' });
  expect(status).toBe(1);
  expect(stderr).toContain('there is no proof "perpetual-motion"');
});
