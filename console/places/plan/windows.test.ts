import { expect, test } from 'vitest';
import { en } from './texts.en.ts';
import { figure, ratioOf, shortFigure, windowWords } from './windows.ts';

test.each([
  [60, 'a minute'],
  [18_000, '5 hours'],
  [604_800, 'a week'],
  [2_592_000, '30 days'],
  [90, '90 seconds'],
])('a window of %i seconds is %s', (seconds, words) => {
  expect(windowWords(seconds, en)).toBe(words);
});

test('figures keep their digits, and a limit of nothing is used up', () => {
  expect([figure('18.200001', 'amount'), figure('2000000', 'tokens')]).toEqual(['¥18.200001', '2,000,000']);
  expect([shortFigure('1860000', 'tokens', 'en'), shortFigure('412', 'requests', 'en')]).toEqual([
    '1.86 M',
    '412',
  ]);
  expect([ratioOf('5', '10'), ratioOf(null, '10'), ratioOf('0', '0')]).toEqual([0.5, 0, 1]);
});
