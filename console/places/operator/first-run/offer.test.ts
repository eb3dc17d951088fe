import { expect, test } from 'vitest';
import { catalogueOf, isComplete, itemOf, type OfferRow, rowsOf, type StoredKey } from './offer.ts';

const KEY: StoredKey = {
  ...{ vendor: 'own', preset: 'own', name: 'own-main', protocols: ['chat', 'images', 'videos'] },
  ...{ model: 'm"1', listed: [] },
};

test('a vendor without known models offers the one that was tested, once its prices are typed', () => {
  const [row] = rowsOf(undefined, KEY) as readonly [OfferRow];
  expect(row).toMatchObject({ model: 'm"1', isOffered: true });
  expect(isComplete(row)).toBe(false);
  const priced = { ...row, input: '2.5', output: '10', rate: '0.95' };
  expect(isComplete(priced)).toBe(true);
  for (const wrong of ['', '-1', '1e3', '1,5', 'x', '1.1234567'])
    expect(isComplete({ ...priced, input: wrong })).toBe(false);
  const file = catalogueOf(KEY, [priced, { ...row, model: 'left out', isOffered: false }]);
  expect(file).toContain('model_id: "m\\"1"');
  expect(file).toContain('"protocols": ["chat"]');
  expect(file).toContain('"rate_multiplier": "0.95"');
  expect(file).not.toContain('left out');
});

test('a model of videos has a price for each, and one of a cloud its name there', () => {
  const [row] = rowsOf(undefined, KEY) as readonly [OfferRow];
  const video = { ...row, protocols: ['videos'] as const, video: '2.5', forward: 'far' };
  expect(itemOf(video)).toBe('video');
  expect(isComplete(video)).toBe(true);
  const file = catalogueOf(KEY, [video]);
  expect(file).toContain('prices: { "video": "2.5" }');
  expect(file).toContain('billing_modes: 4');
  expect(file).toContain('"forward_model_id": "far"');
});

test('a model of pictures has a price for each and the route of pictures', () => {
  const [row] = rowsOf(undefined, KEY) as readonly [OfferRow];
  const file = catalogueOf(KEY, [{ ...row, image: '0.5' }]);
  expect(file).toContain('prices: { "image": "0.5" }');
  expect(file).toContain('"protocols": ["images"]');
});
