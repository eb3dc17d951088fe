import type { Account } from '../../accounts/contract.ts';
import type { Credential, Model, Route, Vendor } from '../../catalog/contract.ts';

const NONE: readonly Route[] = Object.freeze([]);

/**
 * The first key is the account's list of credentials: the same object until a credential changes, even when
 * the account's money changes. The second key is the model: the same object until the catalogue changes.
 */
const known = new WeakMap<readonly Credential[], WeakMap<Model, readonly Route[]>>();

/**
 * The routes of a model that the account's own credentials (BYOK) can serve. These are the catalogue's routes
 * with the account's credential instead of the platform's. The state of the platform's credential does not
 * matter. Key and address come from the account's record alone.
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
      // Routes that differ only in the platform's credential are the same route here.
      const key = JSON.stringify([credential.id, route.forwardModelId, route.protocols]);
      if (!routes.has(key)) routes.set(key, Object.freeze({ ...route, credential }));
    }
  }
  return Object.freeze([...routes.values()]);
}

function canCarry({ status, vendor }: Route, credential: Credential): boolean {
  return status === 'enabled' && mayUse(vendor, credential);
}

/** Whether a credential of an account may be used with this vendor. */
export function mayUse(vendor: Vendor, credential: Credential): boolean {
  if (credential.status !== 'enabled') return false;
  if (!vendor.byok || vendor.code !== credential.vendorCode) return false;
  // A key that a user stored for a custom address is sent to no other address, not even the vendor's own.
  return credential.baseUrl === undefined || vendor.customBaseUrl;
}
