import { describe, expect, it } from 'vitest';
import { makeScale, pickLabels } from './scale.ts';

describe('makeScale', () => {
  it('covers the largest value with three to five round ticks', () => {
    expect(makeScale(17.6).ticks).toEqual([0, 5, 10, 15, 20]);
    expect(makeScale(80).ticks).toEqual([0, 20, 40, 60, 80]);
    expect(makeScale(0.003).top).toBe(0.003);
    expect(makeScale(0).ticks).toEqual([0]);
    expect(makeScale(Number.NaN).ticks).toEqual([0]);
    for (let max = 0.000_001; max < 1e12; max *= 1.37) {
      const { top, ticks } = makeScale(max);
      expect(top).toBeGreaterThanOrEqual(max * 0.999_999);
      expect(ticks.length).toBeGreaterThanOrEqual(3);
      expect(ticks.length).toBeLessThanOrEqual(5);
    }
  });
});

describe('pickLabels', () => {
  it('shows the last and keeps to the place', () => {
    expect(pickLabels(30, 5)).toEqual([5, 13, 21, 29]);
    expect(pickLabels(3, 5)).toEqual([0, 1, 2]);
    expect(pickLabels(0, 5)).toEqual([]);
  });
});
