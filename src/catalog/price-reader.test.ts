import { expect, test } from 'vitest';
import { Misfit } from '../kernel/encoding/reader.ts';
import { readPrice } from './price-reader.ts';

const rates = {
  rateMultiplierMicro: '1000000',
  systemMicro: '100000000',
  userMicro: '80000000',
  vendorMicro: '100000000',
  credentialMicro: '100000000',
  nodeMicro: '100000000',
};
const set = { inputMicro: '7', outputMicro: '28', imageMicro: '0', videoMicro: '0' };

test('a price that is not set may be absent, as in the database, or null, as in the journal', () => {
  const unset = { cacheInputMicro: undefined, cacheOutputMicro: undefined, cacheWriteMicro: undefined };
  const prices = { inputMicro: 7n, outputMicro: 28n, imageMicro: 0n, videoMicro: 0n, ...unset };
  const inJournal = { ...set, cacheInputMicro: null, cacheOutputMicro: null, cacheWriteMicro: null };
  for (const stored of [set, inJournal]) {
    expect(readPrice({ prices: stored, rates })).toMatchObject({ prices, rates: { userMicro: 80_000_000n } });
  }
});

test('what is missing or wrong is named', () => {
  const digits = 'a whole number as a text';
  expect(readPrice({ prices: {}, rates })).toEqual(new Misfit(digits, 'prices.inputMicro'));
  expect(readPrice({ prices: { ...set, cacheWriteMicro: 5 }, rates })).toEqual(
    new Misfit(digits, 'prices.cacheWriteMicro'),
  );
  expect(readPrice({ prices: set, rates: { ...rates, userMicro: '0.5' } })).toEqual(
    new Misfit(digits, 'rates.userMicro'),
  );
});
