import { expect, test } from 'vitest';
import { CATALOG_TEXT, storedCatalog } from '../../test/support/catalog.ts';
import { batchPrice, takeSnapshot } from './price.ts';
import { createReprice } from './reprice.ts';
import { resolveCatalog } from './resolve.ts';

const stored = storedCatalog(CATALOG_TEXT);
const catalog = resolveCatalog(stored);
const model = catalog.models.get('gpt');
const route = model?.routes.find(({ credential }) => credential.name === 'spare');

function pastCall() {
  if (model === undefined || route === undefined) throw new Error('the catalogue has the route');
  const price = takeSnapshot(route, { catalog, model, userRateMicro: 77_000_000n, nodeName: 'local' });
  return { model: 'gpt', routeId: route.id, price };
}

test('a call has the same price in the same catalogue', () => {
  const call = pastCall();
  expect(createReprice(stored)(call)).toEqual({ kind: 'price', price: call.price, isRouteOpen: true });
});

test('a call keeps the rates of its account and node, and has the others of the catalogue', () => {
  const call = pastCall();
  const text = CATALOG_TEXT.replace('system_rate: 90', 'system_rate: 91').replace('rate: 101', 'rate: 1');
  const made = createReprice(storedCatalog(text.replace('rate: 80', 'rate: 81')))(call);
  const rates = { ...call.price.rates, systemMicro: 91_000_000n, credentialMicro: 81_000_000n };
  expect(made).toMatchObject({ price: { rates, prices: call.price.prices } });
});

test('a batch has the rate of batches that the model has now, and no other call has one', () => {
  const call = pastCall();
  const batch = { ...call, price: batchPrice(call.price, 25_000_000n) };
  const name = 'model_id: gpt\n';
  expect(CATALOG_TEXT).toContain(name);
  const text = CATALOG_TEXT.replace(name, `${name}    batch_rate: 50\n`);
  const reprice = createReprice(storedCatalog(text));
  expect(reprice(batch)).toMatchObject({ price: batchPrice(call.price, 50_000_000n) });
  expect(reprice(call)).toMatchObject({ price: call.price });
});

test('a route that is gone keeps its rates, and a model that is gone is not offered', () => {
  const call = pastCall();
  const reprice = createReprice(stored);
  expect(reprice({ ...call, routeId: 4711 })).toEqual({
    kind: 'price',
    price: call.price,
    isRouteOpen: false,
  });
  expect(reprice({ ...call, model: 'no' })).toEqual({ kind: 'not-offered' });
});
