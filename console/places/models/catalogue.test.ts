import { expect, test } from 'vitest';
import { factorOf, isShown, type Model, playgroundSearch, sorted } from './catalogue.ts';
import { readModelsSearch } from './search.ts';

test.each([
  [100, '1'],
  [87.5, '0.875'],
  [5, '0.05'],
  [0.5, '0.005'],
  [102, '1.02'],
  [0, '0'],
])('the rate %d is the factor %s', (rate, factor) => {
  expect(factorOf(rate)).toBe(factor);
});

const made = (id: string, input: string, more: object = {}): Model => {
  const own = { input_price: input, output_price: '1', cache_input_price: '1' };
  const first = {
    ...{ own, ...own, refusal: null, vendor_code: 'openai', billing_modes: 1, context_window: null },
    ...{ support_features: ['text'], protocols: ['chat'], ...more },
  };
  const speed = { used: 0, tokensPerSecond: null, firstTokenMs: null };
  return { id, name: id, first, routes: [first], ...speed } as unknown as Model;
};

test('filters and orders of the address are applied, and nonsense is dropped', () => {
  const all = [made('a', '5'), made('b', '21', { refusal: 'no' }), made('c', '0', { billing_modes: 2 })];
  const found = (given: Record<string, unknown>) => {
    const search = readModelsSearch(given);
    return sorted(
      all.filter((each) => isShown(each, search)),
      search,
    ).map(({ id }) => id);
  };
  expect(found({})).toEqual(['a', 'b', 'c']);
  expect(found({ sort: 'input' })).toEqual(['b', 'a', 'c']);
  expect(found({ sort: 'input', dir: 'up' })).toEqual(['a', 'b', 'c']);
  expect(found({ price: '20' })).toEqual(['a']);
  expect(found({ callable: 'true' })).toEqual(['a', 'c']);
  expect(found({ q: 'B' })).toEqual(['b']);
  const read = readModelsSearch({ sort: 'x', price: 7, takes: 'smell', dir: 'left', q: '' });
  expect(read).toMatchObject({
    sort: undefined,
    price: undefined,
    takes: undefined,
    dir: undefined,
    q: undefined,
  });
});

test('the playground opens for what it can make, and for nothing else', () => {
  const opens = (...protocols: string[]) => playgroundSearch(made('a', '1', { protocols }));
  expect(opens('chat', 'images')).toEqual({ model: 'a' });
  expect(opens('images')).toEqual({ model: 'a', protocol: 'images' });
  for (const other of ['videos', 'embeddings', 'rerank', 'speech']) expect(opens(other)).toBeUndefined();
});
