import { describe, expect, it } from 'vitest';
import { ratioOf, rotate, spreadOf } from './statistics.ts';

describe('spreadOf', () => {
  it('gives the middle value, or the mean of the two in the middle', () => {
    expect(spreadOf([9, 1, 2])).toEqual({ median: 2, min: 1, max: 9 });
    expect(spreadOf([10, 9, 1, 2])).toEqual({ median: 5.5, min: 1, max: 10 });
  });

  it('leaves out a window without answers, whose cost is no number', () => {
    expect(spreadOf([3, Number.POSITIVE_INFINITY, Number.NaN])).toEqual({ median: 3, min: 3, max: 3 });
    expect(spreadOf([Number.NaN])).toBeUndefined();
  });
});

describe('ratioOf', () => {
  it('compares within the same repeat, so a slow spell of the machine falls out', () => {
    const own = new Map([
      [0, 2],
      [1, 20],
      [2, 4],
    ]);
    const bare = new Map([
      [0, 1],
      [1, 10],
    ]);
    expect(ratioOf(own, bare)).toEqual({ median: 2, min: 2, max: 2 });
  });
});

describe('rotate', () => {
  it('begins the list at another place and keeps every item', () => {
    expect(rotate(['a', 'b', 'c'], 4)).toEqual(['b', 'c', 'a']);
    expect(rotate([], 3)).toEqual([]);
  });
});
