import { expect, test } from 'vitest';
import { drawsOn, SMALL, VARIANTS, type Variant } from './plan.ts';
import { type Cell, proofOf, renderRows, rowsOf } from './report.ts';
import type { Cost } from './settle.ts';

const cost = (tollgateUs: number, databaseUs: number): Cost => ({ tollgateUs, databaseUs, clockUs: 500 });
const few = { name: 'few', callers: 10, against: [] };
const many = { name: 'many', callers: 500, against: ['few'] };

const cells: readonly Cell[] = [
  { ...few, batch: 10, draw: 'apart', costs: [cost(40, 60), cost(80, 120)] },
  { ...many, batch: 10, draw: 'apart', costs: [cost(50, 70), cost(100, 140)] },
  { ...few, batch: 25, draw: 'random', costs: [cost(10, 10), cost(10, 10)] },
  { ...many, callers: 10, batch: 25, draw: 'random', costs: [cost(20, 20), cost(13, 13)] },
];
const otherWork: readonly Cell[] = [
  { ...few, batch: 1_000, draw: 'random', costs: [cost(10, 10)] },
  { ...many, batch: 1_000, draw: 'random', costs: [cost(10, 10)] },
];

/** The last column of the table. */
const verdicts = (rows: readonly Cell[]): readonly (string | undefined)[] =>
  renderRows(rowsOf(rows))
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .slice(2)
    .map((line) => line.split('|').at(-2)?.trim());

test('a size is compared with its small one of the same draw, repeat by repeat', () => {
  const [small, large, , random] = rowsOf(cells);
  expect(small?.ratio).toBeUndefined();
  // Twice as slow in the second repeat, both of them: the ratio does not see it.
  expect(large).toMatchObject({ beside: 'few', ratio: { median: 1.2, min: 1.2, max: 1.2 } });
  expect(random).toMatchObject({ beside: 'few', ratio: { median: 1.65, min: 1.3, max: 2 } });
  expect(rowsOf(cells.slice(1, 3)).map(({ beside }) => beside)).toEqual([undefined, undefined]);
});

test('the table says which sizes keep the promise, and where the figures do not decide', () => {
  expect(verdicts([...cells, ...otherWork])).toEqual(['', 'yes', '', 'NO', '', 'other work']);
  expect(renderRows(rowsOf(otherWork))).toContain('few, which share rows');
});

test('the proof names what was compared, and fails when one size costs more than it may', () => {
  const { lines, isFlat } = proofOf(rowsOf(cells));
  expect(isFlat).toBe(false);
  expect(lines).toEqual([
    'proof | cost of settling | many: 10 calls of 10 accounts at once | ' +
      '1.20 times the cost with few; at most 1.3',
    'proof | cost of settling | many: 25 random calls at once | 1.65 times the cost with few; at most 1.3',
  ]);
  expect(proofOf(rowsOf(cells.slice(0, 2))).isFlat).toBe(true);
});

test('other work proves nothing, however little it costs', () => {
  expect(proofOf(rowsOf(otherWork))).toEqual({ lines: [], isFlat: false });
  const judged = proofOf(rowsOf(cells));
  expect(proofOf(rowsOf([...cells, ...otherWork]))).toEqual(judged);
});

/** All at the same cost: whatever is judged keeps the promise. */
function comparisonsOf(variants: readonly Variant[]): readonly string[] {
  const measured = drawsOn(variants).flat();
  return rowsOf(measured.map((each) => ({ ...each, costs: [cost(1, 1)] }))).map(
    ({ name, batch, draw, beside = '', verdict = '' }) => [name, batch, draw, beside, verdict].join(' | '),
  );
}

test('verdicts are given where both do the same work, and everything is shown', () => {
  expect(comparisonsOf(VARIANTS)).toEqual([
    '1 000 rows, 1 000 accounts | 10 | apart |  | ',
    '10 million rows | 10 | apart | 1 000 rows, 1 000 accounts | yes',
    '10 accounts | 10 | apart |  | ',
    '100 000 accounts | 10 | apart | 10 accounts | yes',
    '100 000 accounts, 10 call | 10 | apart | 10 accounts | yes',
    '1 000 rows, 1 000 accounts | 25 | apart |  | ',
    '10 million rows | 25 | apart | 1 000 rows, 1 000 accounts | yes',
    '100 000 accounts | 25 | apart | 1 000 rows, 1 000 accounts | yes',
    '1 000 rows, 1 000 accounts | 1000 | apart |  | ',
    '10 million rows | 1000 | apart | 1 000 rows, 1 000 accounts | yes',
    '100 000 accounts | 1000 | apart | 1 000 rows, 1 000 accounts | yes',
    '1 000 rows, 1 000 accounts | 25 | random |  | ',
    '10 million rows | 25 | random | 1 000 rows, 1 000 accounts | yes',
    '10 accounts | 25 | random |  | ',
    '100 000 accounts | 25 | random | 10 accounts | other work',
    '100 000 accounts, 10 call | 25 | random | 10 accounts | yes',
    '1 000 rows, 1 000 accounts | 1000 | random |  | ',
    '10 million rows | 1000 | random | 1 000 rows, 1 000 accounts | yes',
    '10 accounts | 1000 | random |  | ',
    '100 000 accounts | 1000 | random | 10 accounts | other work',
    '100 000 accounts, 10 call | 1000 | random | 10 accounts | yes',
  ]);
  const large = (line: string): string =>
    line.replace('200 000 rows', '10 million rows').replace(/^5 000 accounts/, '100 000 accounts');
  expect(comparisonsOf(SMALL).map(large)).toEqual(comparisonsOf(VARIANTS));
});
