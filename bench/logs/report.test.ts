import { expect, test } from 'vitest';
import { type Cell, renderRows, rowsOf } from './report.ts';

const cell = (question: string, database: string, ...processorUs: readonly number[]): Cell => ({
  question,
  database,
  costs: processorUs.map((us) => ({ processorUs: us, clockUs: us })),
});
const cells = [
  cell('page', 'few', 100, 200),
  cell('page', 'many', 150, 300),
  cell('sum', 'few', 100, 100),
  cell('sum', 'many', 201, 260),
];

test('a query of the large database is compared with the same query of the small one, repeat by repeat', () => {
  const [page, sum] = rowsOf(cells, 'many');
  expect(page?.ratios.get('few')).toEqual({ median: 1.5, min: 1.5, max: 1.5 });
  expect(sum?.ratios.get('few')?.median).toBeCloseTo(2.305);
});

test('the table says which queries cost the same in both databases', () => {
  const lines = renderRows(rowsOf(cells, 'many'), 'few', []).split('\n');
  expect(lines.slice(2).map((line) => /(yes|NO)/.exec(line)?.[1])).toEqual(['yes', 'NO']);
});
