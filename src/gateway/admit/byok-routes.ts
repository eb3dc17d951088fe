import type { Account } from '../../accounts/contract.ts';
import type { Credential, Model, Route } from '../../catalog/contract.ts';

const NONE: readonly Route[] = Object.freeze([]);

/**
 * By the list of an account's credentials, which is one object until one of them changes, whatever happens to
 * the account's money; and by the model, which is one object as long as the catalogue is the same.
 */
const known = new WeakMap<readonly Credential[], WeakMap<Model, readonly Route[]>>();

/**
 * The routes of a model that the account's own credentials (BYOK) can serve: the catalogue's, each with the
 * account's credential in the place of the platform's. What the catalogue's credential is like does not
 * matter; key and address come from the account's record alone.
 */
export function byokRoutes({ id, byok }: Account, model: Model): readonly Route[] {
  if (byok.length === 0) return NONE;
  let byModel = known.get(byok);
  if (byModel === undefined) {
    byModel = new WeakMap();
    known.set(byok, byModel);
  }
  let routes = byModel.get(model);
  if (routes === undefined) {
    routes = derive(
      byok.filter(({ ownerAccountId }) => ownerAccountId === id),
      model,
    );
    byModel.set(model, routes);
  }
  return routes;
}

function derive(credentials: readonly Credential[], model: Model): readonly Route[] {
  const routes = new Map<string, Route>();
  for (const route of model.routes) {
    for (const credential of credentials) {
      if (!canCarry(route, credential)) continue;
      // Rows that differ only in the platform's credential are one and the same to this one.
      const key = JSON.stringify([credential.id, route.forwardModelId, route.protocols]);
      if (!routes.has(key)) routes.set(key, Object.freeze({ ...route, credential }));
    }
  }
  return Object.freeze([...routes.values()]);
}

function canCarry({ status, vendor }: Route, credential: Credential): boolean {
  if (status !== 'enabled' || credential.status !== 'enabled') return false;
  if (!vendor.byok || vendor.code !== credential.vendorCode) return false;
  // A key that was stored for an address of the user's own goes nowhere else, not even to the vendor.
  return credential.baseUrl === undefined || vendor.customBaseUrl;
}
