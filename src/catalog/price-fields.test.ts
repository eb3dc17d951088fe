import { expect, test } from 'vitest';
import { effectivePrices, readPrices } from './price-fields.ts';

test('prices that are absent are unset where they fall back to another, else 0', () => {
  const prices = readPrices(({ name }) => (name === 'input' ? 7n : undefined));
  expect(prices).toEqual({
    inputMicro: 7n,
    outputMicro: 0n,
    cacheInputMicro: undefined,
    cacheOutputMicro: undefined,
    cacheWriteMicro: undefined,
    imageMicro: 0n,
    videoMicro: 0n,
  });
  expect(effectivePrices(prices)).toEqual({
    inputMicro: 7n,
    outputMicro: 0n,
    cacheInputMicro: 7n,
    cacheOutputMicro: 0n,
    cacheWriteMicro: 7n,
    imageMicro: 0n,
    videoMicro: 0n,
  });
});

test('a price that is set to 0 does not fall back', () => {
  const prices = readPrices(({ name }) => (name === 'cache_input' ? 0n : 9n));
  expect(effectivePrices(prices).cacheInputMicro).toBe(0n);
});
