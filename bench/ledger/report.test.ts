import { expect, test } from 'vitest';
import { type Cell, proofOf, renderRows, rowsOf } from './report.ts';
import type { Cost } from './settle.ts';

const cost = (tollgateUs: number, databaseUs: number): Cost => ({ tollgateUs, databaseUs, clockUs: 500 });

const cells: readonly Cell[] = [
  { name: 'few', batch: 25, against: undefined, costs: [cost(40, 60), cost(80, 120)] },
  { name: 'many', batch: 25, against: 'few', costs: [cost(50, 70), cost(100, 140)] },
  { name: 'few', batch: 1_000, against: undefined, costs: [cost(10, 10), cost(10, 10)] },
  { name: 'many', batch: 1_000, against: 'few', costs: [cost(20, 20), cost(13, 13)] },
];

test('a size is compared with its small one of the same batch, repeat by repeat', () => {
  const [few, many, , full] = rowsOf(cells);
  expect(few?.ratio).toBeUndefined();
  // Twice as slow in the second repeat, both of them: the ratio does not see it.
  expect(many?.ratio).toEqual({ median: 1.2, min: 1.2, max: 1.2 });
  expect(full?.ratio).toEqual({ median: 1.65, min: 1.3, max: 2 });
});

test('the table says which sizes keep the promise', () => {
  const lines = renderRows(rowsOf(cells)).split('\n');
  expect(lines.slice(2).map((line) => /(yes|NO)/.exec(line)?.[1])).toEqual([
    undefined,
    'yes',
    undefined,
    'NO',
  ]);
});

test('the proof names what was compared, and fails when one size costs more than it may', () => {
  const { lines, isFlat } = proofOf(rowsOf(cells));
  expect(isFlat).toBe(false);
  expect(lines).toHaveLength(2);
  expect(lines[0]).toBe(
    'proof | cost of settling | many, 25 calls at once | 1.20 times the cost of the small one, at most 1.3',
  );
  expect(proofOf(rowsOf(cells.slice(0, 2))).isFlat).toBe(true);
});
