import { assert } from '../kernel/assert.ts';
import type { CapabilityOverrides } from '../kernel/capability.ts';
import type { CatalogSnapshot, Credential, Model, Route, Vendor } from './contract.ts';
import type { StoredCatalog, StoredModel, StoredRoute } from './document.ts';

/** Names become the objects they name, once, so that no call ever looks anything up. */
export function resolveCatalog(stored: StoredCatalog): CatalogSnapshot {
  const models = new Map<string, Model>();
  for (const [modelId, model] of stored.models) models.set(modelId, resolveModel(model, stored));
  return {
    version: stored.version,
    systemRateMicro: stored.systemRateMicro,
    defaults: stored.defaults,
    verificationGrants: stored.verificationGrants,
    vendors: stored.vendors,
    credentials: stored.credentials,
    models,
    policies: stored.policies,
    plans: stored.plans,
    nodes: [...stored.nodes.values()],
    announcements: [...stored.announcements.values()],
  };
}

function resolveModel(stored: StoredModel, catalog: StoredCatalog): Model {
  const { capabilities, ...model } = stored;
  const routes = model.routes.map((route) => {
    const credential = catalog.credentials.get(route.credentialName);
    const vendor = catalog.vendors.get(route.vendorCode);
    assert(credential !== undefined && vendor !== undefined, 'a route has its vendor and credential');
    assert(credential.vendorCode === vendor.code, 'a key never meets the address of a stranger');
    const overrides = mergeOverrides(longestAnswer(model.maxOutputTokens), capabilities, route.capabilities);
    return resolveRoute(model.modelId, { ...route, capabilities: overrides }, { vendor, credential });
  });
  // The lowest priority number is tried first; of equal ones the oldest.
  routes.sort((one, other) => one.priority - other.priority || one.id - other.id);
  return { ...model, routes };
}

function resolveRoute(
  modelId: string,
  route: StoredRoute,
  { vendor, credential }: { vendor: Vendor; credential: Credential },
): Route {
  // A vendor may have lost a protocol since the route was written.
  const protocols = route.protocols?.filter((protocol) => vendor.protocols.includes(protocol));
  return {
    id: route.id,
    modelId,
    vendor,
    credential,
    forwardModelId: route.forwardModelId,
    protocols: protocols ?? vendor.protocols,
    priority: route.priority,
    weight: route.weight,
    rateMultiplierMicro: route.rateMultiplierMicro,
    status: route.status,
    capabilities: route.capabilities,
  };
}

/** The limit of the offer also applies to converted calls, if a vendor requires one. */
function longestAnswer(maxOutputTokens: number | undefined): CapabilityOverrides | undefined {
  return maxOutputTokens === undefined ? undefined : { maxOutputTokens };
}

/** Later ones win. Frozen, because others remember by its identity what they found for it. */
function mergeOverrides(...overrides: (CapabilityOverrides | undefined)[]): CapabilityOverrides | undefined {
  if (overrides.every((one) => one === undefined)) return undefined;
  return Object.freeze(Object.assign({}, ...overrides) as CapabilityOverrides);
}
