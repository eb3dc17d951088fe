import { expect, test } from 'vitest';
import { CATALOG_TEXT, storedCatalog } from '../../test/support/catalog.ts';
import { editCatalog } from './edit.ts';
import { parseCatalog } from './file/file.ts';
import { formatFreed, listFreed } from './freed.ts';

const stored = storedCatalog(CATALOG_TEXT);

function freedBy(yaml: string, extent: 'part' | 'whole' = 'part'): readonly string[] {
  const read = parseCatalog(yaml, {}, stored, extent);
  if (read.kind === 'invalid') return read.problems.map(({ message }) => message);
  return listFreed(stored, editCatalog(read.document, stored, extent, new Set())).map(formatFreed);
}

test.each([
  ['models: [{ model_id: gpt, prices: { input: 0 } }]', ['model gpt: prices.input 10 → 0']],
  ['models: [{ model_id: gpt, prices: { cache_input: null } }]', ['model gpt: prices.cache_input 1 → none']],
  ['models: [{ model_id: gpt, prices: { cache_write: 0 } }]', ['model gpt: prices.cache_write 10 → 0']],
  ['models: [{ model_id: painter, prices: { image: "0.000" } }]', ['model painter: prices.image 0.3 → 0']],
  ['models: [{ model_id: gpt, batch_rate: 0 }]', ['model gpt: batch_rate 100 → 0']],
  [
    'models: [{ model_id: gpt, routes: [{ credential: spare, forward_model_id: gpt-x, rate_multiplier: 0 }] }]',
    ['route gpt via spare as gpt-x: rate_multiplier 1.5 → 0'],
  ],
  ['vendors: [{ code: google, rate: 0 }]', ['vendor google: rate 85.5 → 0']],
  ['credentials: [{ name: spare, rate: 0 }]', ['credential spare: rate 80 → 0']],
  ['nodes: [{ name: local, rate: 0 }]', ['node local: rate 101 → 0']],
  ['plans: [{ code: PRO, price: 0 }]', ['plan PRO: price 199 → 0']],
  ['system_rate: 0', ['settings catalog: system_rate 90 → 0']],
  ['defaults: { user_rate: 0 }', ['settings catalog: defaults.user_rate 95 → 0']],
])('%s frees what was charged', (yaml, freed) => {
  expect(freedBy(yaml)).toEqual(freed);
});

test.each([
  ['a price that is lowered', 'models: [{ model_id: gpt, prices: { input: "0.000001" } }]'],
  ['a price that was 0', 'models: [{ model_id: gpt, prices: { image: 0, video: null } }]'],
  [
    'a price of a cache that costs nothing anyway',
    'models: [{ model_id: painter, prices: { cache_input: 0 } }]',
  ],
  ['a new model', 'models: [{ model_id: gift, prices: { input: 0 } }]'],
  ['a route that is disabled', 'models: [{ model_id: gpt, routes: [] }]'],
])('%s frees nothing', (_name, yaml) => {
  expect(freedBy(yaml)).toEqual([]);
});

test('a whole file frees what its entries leave out, and nothing by an entry that goes', () => {
  expect(freedBy('models: [{ model_id: gpt }]', 'whole')).toEqual([
    'model gpt: prices.input 10 → 0',
    'model gpt: prices.output 30.123456 → 0',
    'model gpt: prices.cache_input 1 → none',
  ]);
});
