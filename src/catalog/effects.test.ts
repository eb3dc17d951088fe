import { expect, test } from 'vitest';
import { CATALOG_TEXT, storedCatalog } from '../../test/support/catalog.ts';
import { findEffects } from './effects.ts';

const before = storedCatalog(CATALOG_TEXT);
const effectsOf = (text: string) => findEffects(before, storedCatalog(text), []);

test('an unchanged catalogue has no effects', () => {
  expect(effectsOf(CATALOG_TEXT)).toEqual({ shares: [], prices: [], rates: [], limits: [] });
});

test('routes share the calls of their priority by weight', () => {
  const [share] = effectsOf(CATALOG_TEXT.replace('priority: 20', 'priority: 10')).shares;
  const told = (routes: readonly { credential: string; priority: number; share: number }[]) =>
    routes.map((each) => [each.credential, each.priority, each.share]);
  if (share === undefined) throw new Error('no effect');
  expect(share.modelId).toBe('gpt');
  expect(told(share.before)).toEqual([
    ['main', 10, 10_000],
    ['spare', 20, 10_000],
  ]);
  expect(told(share.after)).toEqual([
    ['spare', 10, 2_500],
    ['main', 10, 7_500],
  ]);
});

test('weights say nothing of a model that prefers its fastest or cheapest route', () => {
  const shared = CATALOG_TEXT.replace('priority: 20', 'priority: 10');
  for (const routing of ['latency', 'cost']) {
    expect(
      effectsOf(shared.replace('model_id: gpt', `model_id: gpt\n    routing: ${routing}`)).shares,
    ).toEqual([]);
  }
  expect(effectsOf(shared.replace('model_id: gpt', 'model_id: gpt\n    routing: cache')).shares.length).toBe(
    1,
  );
});

test('a price that falls back to another one changes with it', () => {
  const { prices } = effectsOf(CATALOG_TEXT.replace('output: "30.123456"', 'output: "33"'));
  expect(prices).toEqual([
    { modelId: 'gpt', price: 'output', before: '30.123456', after: '33' },
    { modelId: 'gpt', price: 'cache_output', before: '30.123456', after: '33' },
  ]);
});

test('limits are told by dimension and window', () => {
  const text = CATALOG_TEXT.replace('concurrency: 5', 'concurrency: 8').replace(
    'limit: "12.5"',
    'limit: "13"',
  );
  expect(effectsOf(text.replace('seconds: 60, limit: 10', 'seconds: 61, limit: 10')).limits).toEqual([
    { policyId: 1, name: 'default', limit: 'concurrency', seconds: null, before: '5', after: '8' },
    { policyId: 1, name: 'default', limit: 'requests', seconds: 60, before: '10', after: null },
    { policyId: 1, name: 'default', limit: 'requests', seconds: 61, before: null, after: '10' },
    { policyId: 2, name: 'pro', limit: 'amount', seconds: 3600, before: '12.5', after: '13' },
  ]);
});
