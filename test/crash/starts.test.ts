import { availableParallelism } from 'node:os';
import { expect, test } from 'vitest';
import { describeStarts, slowestMs, stolenMs } from './starts.ts';

const STARTS = [
  { readyMs: 900, stolenMs: 10 },
  { readyMs: 2100, stolenMs: 700 },
  { readyMs: 1000, stolenMs: 0 },
];

test('the slowest of many starts counts, with the share that the host took', () => {
  const own = 2100 - 700 / availableParallelism();
  expect(slowestMs(STARTS)).toBe(Math.round(own));
  expect(describeStarts(STARTS)).toBe(
    `2100 ms (median 1000, the host took 700 of the slowest, without it ${Math.round(own)} at most)`,
  );
});

test('a server without a start was never slow', () => {
  expect(slowestMs([])).toBe(0);
  expect(describeStarts([])).toBe('never');
});

test('the share of the host only grows', () => {
  const before = stolenMs();
  expect(before).toBeGreaterThanOrEqual(0);
  expect(stolenMs()).toBeGreaterThanOrEqual(before);
});
