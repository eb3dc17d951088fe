import { expect, test } from 'vitest';
import { codeFiles, treeOf } from './house/tree.ts';
import { nearestTests } from './near.ts';

const FILES = codeFiles(
  treeOf({
    'src/gate/memory.ts': 'export const gate = 1;',
    'src/gate/memory.test.ts': "import { gate } from './memory.ts';",
    'src/gate/slots.ts': 'export const slots = 1;',
    'test/race/money.test.ts': "import { gate } from '../../src/gate/memory.ts';",
    'test/race/slots.test.ts': "import { slots } from '../../src/gate/slots.ts';",
  }),
);

test('a changed file is tested by the tests of its own part that import it', () => {
  expect(nearestTests(['src/gate/memory.ts'], FILES)).toEqual(['src/gate/memory.test.ts']);
});

test('a file that no test of its part imports is tested by the others', () => {
  expect(nearestTests(['src/gate/slots.ts'], FILES)).toEqual(['test/race/slots.test.ts']);
});

test('a changed test is run once, and a deleted or non-code file is not', () => {
  const changed = ['src/gate/memory.test.ts', 'src/gate/memory.ts', 'src/gate/gone.test.ts', 'README.md'];
  expect(nearestTests(changed, FILES)).toEqual(['src/gate/memory.test.ts']);
});
