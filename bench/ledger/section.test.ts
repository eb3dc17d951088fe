import { expect, test } from 'vitest';
import type { Row } from './report.ts';
import { renderSettling } from './section.ts';

const same = (value: number) => ({ median: value, min: value, max: value });

function row(name: string, draw: Row['draw'], clockUs: number, verdict?: Row['verdict']): Row {
  const spent = { tollgateUs: same(20), databaseUs: same(30), clockUs: same(clockUs) };
  return { name, draw, batch: 1_000, beside: undefined, ratio: verdict && same(1.1), verdict, ...spent };
}

const ROWS = [
  row('10 accounts', 'random', 100),
  row('100 000 accounts', 'apart', 160, 'yes'),
  row('100 000 accounts', 'random', 250),
];

test('calls settled in a second are those of a full batch by the clock', () => {
  const text = renderSettling({ startedAt: '2026-01-02T03:04:05Z', rows: ROWS });
  expect(text).toMatch(/^2026-01-02/);
  expect(text).toMatch(/of ten accounts +\| ≥ 8000 +\| 10000 +\| met/);
  expect(text).toMatch(/as a share of it +\| ≥ 0\.5 +\| 0\.40 +\| missed/);
  expect(text).toMatch(/100,000 accounts +\| ≤ 1\.3 × with 1,000 +\| 1\.10 +\| met/);
});

test('what was not measured is called so', () => {
  expect(renderSettling({ startedAt: '2026-01-02', rows: [] })).toMatch(/of ten accounts .*not measured/);
});
