import { describe, expect, it } from 'vitest';
import { storedCatalog } from '../../../test/support/catalog.ts';
import { parseCatalog } from '../file/file.ts';
import type { Figure } from './figure.ts';
import { importPrices, importText } from './price-import.ts';

const stored = storedCatalog(`
vendors:
  - { code: openai, protocols: [chat], base_url: "http://openai" }
  - { code: mine, protocols: [chat], base_url: "http://mine" }
credentials:
  - { name: main, vendor: openai, secret: one }
  - { name: own, vendor: mine, secret: two }
models:
  - model_id: large
    name: The large one
    prices: { input: "3", output: "9", cache_output: "8" }
    routes:
      - { vendor: mine, credential: own, forward_model_id: big, priority: 200 }
      - { vendor: openai, credential: main, forward_model_id: gpt-9, priority: 100 }
  - { model_id: small, prices: { input: "1", output: "2" }, routes: [{ vendor: mine, credential: own }] }
  - { model_id: bare, prices: { input: "1", output: "2" } }
`);

const figure = (provider: string | undefined, model: string, input: string, output: string): Figure => ({
  ...{ provider, model, currency: 'USD', isTiered: false },
  amounts: { input, output, cache_input: '0.1' },
});
const FIGURES = [
  figure('openai', 'gpt-9', '1', '4'),
  figure('openai', 'gpt-10', '2', '8'),
  figure('mine', 'big', '2', '3'),
  figure('elsewhere', 'other', '1', '1'),
];
const AT = { rate: '7', margin: '1.5' };
const importAll = (figures: readonly Figure[], terms = AT, models?: readonly string[]) =>
  importPrices(stored, { figures, terms, models: models && new Set(models) });

describe('prices of a file', () => {
  it('become those of the models by the route that is tried first, and the rest stays', () => {
    const made = importAll(FIGURES);
    expect(made.priced).toMatchObject([
      {
        model: {
          ...{ modelId: 'large', name: 'The large one' },
          prices: {
            ...{ inputMicro: 10_500_000n, outputMicro: 42_000_000n, cacheInputMicro: 1_050_000n },
            ...{ cacheOutputMicro: 8_000_000n, cacheWriteMicro: undefined },
          },
        },
        route: { vendorCode: 'openai' },
      },
    ]);
    expect(made.unpriced).toEqual(['small', 'bare']);
  });

  it('are a part of a catalogue that changes prices only', () => {
    const text = importText(stored, importAll(FIGURES));
    const read = parseCatalog(text, {}, stored);
    if (read.kind !== 'catalog') throw new Error('it is valid');
    const [model] = read.document.models;
    expect(read.document).toMatchObject({ vendors: [], credentials: [], systemRateMicro: undefined });
    expect(model).toMatchObject({ name: 'The large one', prices: { inputMicro: 10_500_000n } });
    // It does not speak of routes, so they stay.
    expect(model?.routes).toBeUndefined();
    expect(importText(stored, importAll([]))).toBe('models: []\n');
  });

  it('name a price that becomes 0, because what a file does not name stays', () => {
    expect(importText(stored, importAll([figure('openai', 'gpt-9', '0', '4')]))).toBe(
      'models:\n  - model_id: large\n' +
        '    prices: { input: "0", output: "42", cache_input: "1.05", cache_output: "8" }\n',
    );
  });

  it('are those of the models themselves in a file of ours, also without a route', () => {
    const made = importAll([
      figure(undefined, 'bare', '1', '2'),
      { ...figure(undefined, 'large', '20', '60'), currency: 'CNY' },
      figure(undefined, 'new', '1', '1'),
    ]);
    expect(made.priced.map(({ model, route }) => [model.modelId, model.prices.inputMicro, route])).toEqual([
      ['large', 30_000_000n, undefined],
      ['bare', 10_500_000n, undefined],
    ]);
    expect(made.unknown.map((each) => each.figure.model)).toEqual(['new']);
  });

  it('reach only the models that are named', () => {
    const made = importAll(FIGURES, AT, ['small']);
    expect([made.priced, made.unpriced]).toEqual([[], ['small']]);
  });

  it('need a rate', () => {
    expect(
      importPrices(stored, { figures: FIGURES, terms: { rate: undefined, margin: '1' }, models: undefined }),
    ).toMatchObject({ priced: [], below: [] });
  });
});

describe('what a file has and the catalogue has not', () => {
  it('is told for the vendors of the catalogue', () => {
    const { unknown } = importAll(FIGURES);
    expect(unknown.map(({ vendorCode, figure: { model } }) => [vendorCode, model])).toEqual([
      ['openai', 'gpt-10'],
    ]);
  });
});

describe('a price below what a vendor asks', () => {
  it('is told for every route, whether the file changes the model or not', () => {
    const told = (models?: readonly string[]) =>
      importAll(FIGURES, AT, models).below.map(({ modelId, route, price, own, asked }) => [
        ...[modelId, route.vendorCode, price, own, asked],
      ]);
    expect(told()).toEqual([['large', 'mine', 'input', '10.5', '14']]);
    expect(told([])).toEqual([
      ['large', 'mine', 'input', '3', '14'],
      ['large', 'mine', 'output', '9', '21'],
      ['large', 'openai', 'input', '3', '7'],
      ['large', 'openai', 'output', '9', '28'],
    ]);
  });

  it('is told by the known list prices where the file has no figure', () => {
    const known = storedCatalog(`
vendors: [{ code: deepseek, protocols: [chat], base_url: "http://deepseek" }]
credentials: [{ name: main, vendor: deepseek, secret: one }]
models:
  - model_id: cheap
    prices: { input: "3", output: "6" }
    routes: [{ vendor: deepseek, credential: main, forward_model_id: deepseek-v4-pro }]
`);
    const { below } = importPrices(known, { figures: [], terms: AT, models: undefined });
    expect(below.map(({ price, own, asked }) => [price, own, asked])).toEqual([
      ['input', '3', '3.045'],
      ['output', '6', '6.09'],
    ]);
  });
});
