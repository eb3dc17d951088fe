import { expect, test } from 'vitest';
import { readAmount } from './amount.ts';

test.each([
  ['100', '100'],
  ['¥ 1,000.50', '1000.50'],
  ['12.', '12'],
  ['0.000001', '0.000001'],
  ['0.0000001', undefined],
  ['1e3', undefined],
  ['-5', undefined],
  ['', undefined],
])('the typed amount %j is %j', (typed, read) => {
  expect(readAmount(typed)).toBe(read);
});
