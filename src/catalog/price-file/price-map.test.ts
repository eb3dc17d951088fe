import { describe, expect, it } from 'vitest';
import { perMillion, readPriceMap } from './price-map.ts';

const chat = (entry: object) => ({ litellm_provider: 'one', mode: 'chat', ...entry });

describe('a price for one token', () => {
  it.each([
    [4.35e-7, '0.435'],
    [2.8e-9, '0.0028'],
    [0.000005, '5'],
    [1.5e-5, '15'],
    [0.0006, '600'],
    [3, '3000000'],
    [0, '0'],
    [-1, undefined],
    ['5', undefined],
    [Number.NaN, undefined],
  ])('%s is %s for a million', (cost, amount) => {
    expect(perMillion(cost)).toBe(amount);
  });
});

describe('the public price map', () => {
  it('names a model without its provider, once', () => {
    const entry = chat({ input_cost_per_token: 1e-6, output_cost_per_token: 2e-6 });
    const figures = readPriceMap({ 'one/m': entry, m: { ...entry, input_cost_per_token: 9e-6 }, n: entry });
    expect(figures.map(({ provider, model, amounts }) => [provider, model, amounts.input])).toEqual([
      ['one', 'm', '1'],
      ['one', 'n', '1'],
    ]);
  });

  it('has prices of tokens and their cache, and the first of several tiers', () => {
    const figures = readPriceMap({
      cached: chat({
        ...{ input_cost_per_token: 5e-6, output_cost_per_token: 2.5e-5 },
        ...{ cache_read_input_token_cost: 5e-7, cache_creation_input_token_cost: 6.25e-6 },
        input_cost_per_token_above_200k_tokens: 1e-5,
      }),
      tiered: chat({
        tiered_pricing: [{ input_cost_per_token: 4e-7, output_cost_per_token: 1.6e-6, range: [0, 256_000] }],
      }),
    });
    expect(figures).toMatchObject([
      {
        amounts: { input: '5', output: '25', cache_input: '0.5', cache_write: '6.25' },
        ...{ isTiered: true, currency: 'USD' },
      },
      { amounts: { input: '0.4', output: '1.6' }, isTiered: true },
    ]);
  });

  it('leaves out what has no price for tokens, and a price of 0, which nobody knew', () => {
    const costs = { input_cost_per_token: 1e-6, output_cost_per_token: 1e-6 };
    const figures = readPriceMap({
      sample_spec: { litellm_provider: 'one of them', ...costs },
      free: chat({ input_cost_per_token: 0, output_cost_per_token: 0 }),
      picture: { ...chat(costs), mode: 'image_generation' },
      half: chat({ input_cost_per_token: 1e-6 }),
      nobody: { mode: 'chat', ...costs },
      list: [],
      cached: chat({ ...costs, cache_creation_input_token_cost: 0 }),
      vectors: { ...chat({ ...costs, output_cost_per_token: 0 }), mode: 'embedding' },
    });
    expect(figures.map(({ model, amounts }) => [model, amounts])).toEqual([
      ['cached', { input: '1', output: '1' }],
      ['vectors', { input: '1', output: '0' }],
    ]);
  });
});
