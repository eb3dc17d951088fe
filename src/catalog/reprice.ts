import type { StoredCatalog, StoredRoute } from './document.ts';
import { batchPrice, type PriceSnapshot } from './price.ts';

/** What a past call is priced by in another catalogue. */
export type Reprice =
  | { readonly kind: 'price'; readonly price: PriceSnapshot; readonly isRouteOpen: boolean }
  /** The catalogue does not offer the model. */
  | { readonly kind: 'not-offered' };

export interface PastCall {
  readonly model: string;
  readonly routeId: number | undefined;
  readonly price: PriceSnapshot;
}

/**
 * Prices of the model and rates of the route that served the call, as the catalogue has them. What is not in
 * a catalogue stays: the rates of the account and of the node. A route that the catalogue does not have keeps
 * its rates, too.
 */
export function createReprice(catalog: StoredCatalog): (call: PastCall) => Reprice {
  const routes = new Map<number, StoredRoute>();
  for (const model of catalog.models.values()) for (const route of model.routes) routes.set(route.id, route);
  const known = new WeakMap<PriceSnapshot, Map<string, Reprice>>();
  return (call) => {
    const ofPrice = known.get(call.price) ?? new Map<string, Reprice>();
    known.set(call.price, ofPrice);
    const key = `${call.routeId ?? ''} ${call.model}`;
    let made = ofPrice.get(key);
    if (made === undefined) {
      const route = call.routeId === undefined ? undefined : routes.get(call.routeId);
      made = reprice(call, catalog, route);
      ofPrice.set(key, made);
    }
    return made;
  };
}

function reprice({ model: modelId, price }: PastCall, catalog: StoredCatalog, route?: StoredRoute): Reprice {
  const model = catalog.models.get(modelId);
  if (model === undefined || model.status === 'disabled') return { kind: 'not-offered' };
  const credential = route && catalog.credentials.get(route.credentialName);
  const vendor = route && catalog.vendors.get(route.vendorCode);
  const { rates } = price;
  const now: PriceSnapshot = {
    prices: model.prices,
    rates: {
      ...rates,
      rateMultiplierMicro: route?.rateMultiplierMicro ?? rates.rateMultiplierMicro,
      systemMicro: catalog.systemRateMicro,
      vendorMicro: vendor?.rateMicro ?? rates.vendorMicro,
      credentialMicro: credential?.rateMicro ?? rates.credentialMicro,
    },
  };
  return {
    kind: 'price',
    isRouteOpen: route?.status === 'enabled' && credential?.status === 'enabled',
    price: rates.batchMicro === undefined ? now : batchPrice(now, model.batchRateMicro),
  };
}
