import { expect, test } from 'vitest';
import { changedPrice, isPrice, readPrice } from './typed-price.ts';

test('a change in percent is exact to six decimals', () => {
  expect(changedPrice('108', '+10%')).toBe('118.8');
  expect(changedPrice('0.1', '+20 %')).toBe('0.12');
  expect(changedPrice('10', '-12.5%')).toBe('8.75');
  expect(changedPrice('10', '−100%')).toBe('0');
  expect(changedPrice('0.000001', '+50%')).toBe('0.000002');
  expect(changedPrice('9007199254740993.1', '+0%')).toBe('9007199254740993.1');
  expect(changedPrice('10', '-101%')).toBeUndefined();
  expect(changedPrice('10', '10%')).toBeUndefined();
});

test('what is typed is a price, a change of the one in force, or not yet either', () => {
  expect(readPrice('1,234.5', '1')).toBe('1234.5');
  expect(readPrice('', '1')).toBeUndefined();
  expect(readPrice('+1', '108')).toEqual({ begun: true });
  expect(readPrice('+10％', '108')).toBe('118.8');
  expect(readPrice('+10%', undefined)).toBe('+10%');
  expect(isPrice('12.1234567')).toBe(false);
  expect(isPrice('.5')).toBe(false);
});
