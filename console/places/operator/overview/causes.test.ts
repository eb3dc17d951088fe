import { expect, test } from 'vitest';
import { causesOf, causesOverTime } from './causes.ts';

const traffic = (failed: number) => ({ failed });
const sumOf = (causes: ReturnType<typeof causesOf>) => causes.reduce((sum, { calls }) => sum + calls, 0);

test('the causes add up to the failed calls', () => {
  const errors = [
    { status: 429, calls: 9 },
    { status: 499, calls: 4 },
    { status: 502, calls: 6 },
  ];
  expect(causesOf({ traffic: traffic(18), errors })).toEqual([
    { status: 429, calls: 9 },
    { status: 502, calls: 6 },
    { status: 200, calls: 3 },
  ]);
  expect(causesOf({ traffic: traffic(2), errors: [] })).toEqual([{ status: 200, calls: 2 }]);
  expect(causesOf({ traffic: traffic(0), errors: [{ status: 499, calls: 4 }] })).toEqual([]);
});

test('more causes than there is room for are told together', () => {
  const errors = [400, 401, 402, 403, 404, 408, 413, 429].map((status) => ({ status, calls: 2 }));
  const causes = causesOf({ traffic: traffic(16), errors });
  expect(causes).toHaveLength(7);
  expect(causes.at(-1)).toEqual({ status: 'other', calls: 4 });
  expect(sumOf(causes)).toBe(16);
});

test('over time they add up to the failed calls of each point, without clients that left', () => {
  const traffic = [{ failed: 3 }, { failed: 0 }, { failed: 4 }];
  const errors = [
    { status: 499, points: [5, 0, 0] },
    { status: 429, points: [1, 0, 1] },
    { status: 529, points: [0, 0, 3] },
  ];
  expect(causesOverTime({ traffic, errors })).toEqual([
    { status: 529, points: [0, 0, 3] },
    { status: 429, points: [1, 0, 1] },
    { status: 200, points: [2, 0, 0] },
  ]);
  expect(causesOverTime({ traffic: [{ failed: 0 }], errors: [] })).toEqual([]);
});
