import { expect, test } from 'vitest';
import { percentOf } from './percent-of.ts';

test('a factor is shown as a rate in per cent, to the last digit', () => {
  const cases = { '1': '100', '1.35': '135', '0.9': '90', '0.005': '0.5', '12.34567': '1234.567', '0': '0' };
  for (const [factor, rate] of Object.entries(cases)) expect(percentOf(factor)).toBe(rate);
  for (const wrong of ['', 'x', '1.', '-1', '1e3']) expect(percentOf(wrong)).toBeUndefined();
});
