import { expect, test } from 'vitest';
import { effectivePrice, mapPriceFields, namePrices, readPrices } from './price-fields.ts';

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
  expect(namePrices({ before: '', behind: '_price' }, (each) => effectivePrice(prices, each))).toEqual({
    input_price: 7n,
    output_price: 0n,
    cache_input_price: 7n,
    cache_output_price: 0n,
    cache_write_price: 7n,
    image_price: 0n,
    video_price: 0n,
  });
});

test('a price that is set to 0 does not fall back', () => {
  const prices = readPrices(({ name }) => (name === 'cache_input' ? 0n : 9n));
  expect(mapPriceFields((each) => effectivePrice(prices, each)).cacheInputMicro).toBe(0n);
});
