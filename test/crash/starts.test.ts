import { availableParallelism } from 'node:os';
import { expect, test } from 'vitest';
import { describeStarts, slowestMs, stolenMs } from './starts.ts';

const STARTS = [
  { readyMs: 900, stolenMs: 10 },
  { readyMs: 2100, stolenMs: 700 },
  { readyMs: 1000, stolenMs: 0 },
];

test('of many starts the slowest counts, and what the host took of it is told', () => {
  const own = 2100 - 700 / availableParallelism();
  expect(slowestMs(STARTS)).toBe(Math.round(own));
  expect(describeStarts(STARTS)).toBe(
    `2100 ms (median 1000, the host took 700 of the slowest, without it ${Math.round(own)} at most)`,
  );
});

test('who never started was never slow', () => {
  expect(slowestMs([])).toBe(0);
  expect(describeStarts([])).toBe('never');
});

test('what the host takes only grows', () => {
  const before = stolenMs();
  expect(before).toBeGreaterThanOrEqual(0);
  expect(stolenMs()).toBeGreaterThanOrEqual(before);
});
