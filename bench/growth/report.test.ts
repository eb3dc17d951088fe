import { expect, it } from 'vitest';
import { exampleCell } from '../../test/support/bench-results.ts';
import { growthLines, renderGrowth } from './report.ts';

const atOnce = [1, 8, 64].flatMap((connections, index) =>
  [0, 1].map((repeat) =>
    exampleCell('tollgate', repeat, {
      part: 'growth',
      connections,
      scenario: `at-once-${connections}`,
      cpuMs: [300, 100, 150][index] ?? 0,
    }),
  ),
);
const accounts = [10, 1000].map((count) =>
  exampleCell(`tollgate-redis-accounts-${count}`, 0, { part: 'growth', cpuMs: 100 + count / 10 }),
);

it('compares each size with the one where a call is cheapest', () => {
  const lines = growthLines([...atOnce, ...accounts]);
  const shown = lines.map(({ quantity, target, size, ofCheapest }) => [
    quantity,
    target,
    size,
    ofCheapest?.median,
  ]);
  expect(shown).toEqual([
    ['calls at once', 'tollgate', 1, expect.closeTo(3)],
    ['calls at once', 'tollgate', 8, 1],
    ['accounts', 'tollgate-redis', 10, 1],
    ['calls at once', 'tollgate', 64, expect.closeTo(1.5)],
    ['accounts', 'tollgate-redis', 1000, expect.closeTo(1.98)],
  ]);
});

it('shows nothing where nothing grew', () => {
  expect(renderGrowth([exampleCell('tollgate', 0, { cpuMs: 1 })])).toBe('');
});
