import type { Capabilities, CapabilityOverrides } from '../kernel/capability.ts';
import { formatMicro } from '../kernel/money.ts';
import { CAPABILITY_KEYS } from './capability-keys.ts';
import type { Announcement, CatalogSnapshot, GatewayNode, Plan, Policy, Prices, Vendor } from './contract.ts';
import type { CredentialEntry, ModelEntry, RouteEntry } from './document.ts';
import { namePrices } from './price-fields.ts';

/**
 * Entries as the catalogue file writes them, in JSON: the readers of the file take each of them back and make
 * the same entry of it. What is not set is null. Amounts and rates are decimal texts.
 */
export type EntryJson = Readonly<Record<string, unknown>>;

const micro = (value: bigint | undefined): string | null => (value === undefined ? null : formatMicro(value));

export function vendorJson(vendor: Vendor): EntryJson {
  return {
    code: vendor.code,
    name: vendor.name,
    icon: vendor.icon,
    protocols: vendor.protocols,
    base_url: vendor.baseUrl,
    rate: micro(vendor.rateMicro),
    byok: vendor.byok,
    custom_base_url: vendor.customBaseUrl,
    cloud: cloudJson(vendor.cloud),
  };
}

function cloudJson(cloud: Vendor['cloud']): EntryJson | null {
  if (cloud === undefined) return null;
  return {
    kind: cloud.kind,
    api_version: cloud.apiVersion ?? null,
    region: cloud.region ?? null,
    project: cloud.project ?? null,
    location: cloud.location ?? null,
    token_url: cloud.tokenUrl ?? null,
  };
}

/** With its secret. Mask it before showing it (kernel/encoding/mask.ts). */
export function credentialJson(credential: CredentialEntry): EntryJson {
  const { concurrency = null, rpm = null, tpm = null } = credential.limits;
  return {
    name: credential.name,
    vendor: credential.vendorCode,
    secret: credential.secret,
    base_url: credential.baseUrl ?? null,
    rate: micro(credential.rateMicro),
    limits: { concurrency, rpm, tpm },
    status: credential.status,
  };
}

export function modelJson(model: Omit<ModelEntry, 'routes'>): EntryJson {
  return {
    model_id: model.modelId,
    name: model.name,
    status: model.status,
    client_visible: model.clientVisible,
    restriction: { kind: model.restriction.kind, level: model.restriction.level },
    support_features: model.supportFeatures,
    prices: pricesJson(model.prices),
    billing_modes: model.billingModes,
    context_window: model.contextWindow ?? null,
    max_output_tokens: model.maxOutputTokens ?? null,
    routing: model.routing,
    batch_rate: micro(model.batchRateMicro),
    capabilities: capabilitiesJson(model.capabilities),
  };
}

function pricesJson(prices: Prices): EntryJson {
  return namePrices({ before: '', behind: '' }, ({ field }) => micro(prices[field]));
}

function capabilitiesJson(overrides: CapabilityOverrides | undefined): EntryJson | null {
  if (overrides === undefined) return null;
  const said = Object.entries(overrides).map(([name, value]) => [
    CAPABILITY_KEYS[name as keyof Capabilities],
    value,
  ]);
  return Object.fromEntries(said) as EntryJson;
}

export function routeJson(route: RouteEntry): EntryJson {
  return {
    vendor: route.vendorCode,
    credential: route.credentialName,
    forward_model_id: route.forwardModelId,
    protocols: route.protocols ?? null,
    priority: route.priority,
    weight: route.weight,
    rate_multiplier: micro(route.rateMultiplierMicro),
    status: route.status,
    capabilities: capabilitiesJson(route.capabilities),
  };
}

export function policyJson(policy: Policy): EntryJson {
  return {
    id: policy.id,
    name: policy.name,
    concurrency: policy.concurrency ?? null,
    windows: policy.windows.map(({ dimension, seconds, limit }) => ({
      dimension,
      seconds,
      limit: dimension === 'amount' ? micro(limit) : limit.toString(),
    })),
    selectable: policy.selectable ?? null,
  };
}

export function planJson(plan: Plan): EntryJson {
  const windows = plan.coverageWindows.map(({ seconds, amountMicro }) => ({
    seconds,
    amount: micro(amountMicro),
  }));
  return {
    code: plan.code,
    level: plan.level,
    name: plan.name,
    price: micro(plan.priceMicro),
    days: plan.days,
    policy: plan.policyId ?? null,
    covers: { models: plan.coversModels, windows },
  };
}

export function nodeJson(node: GatewayNode): EntryJson {
  return { name: node.name, base_url: node.baseUrl, region: node.region, rate: micro(node.rateMicro) };
}

export function announcementJson(announcement: Announcement): EntryJson {
  const { id, title, body, startsAt, endsAt } = announcement;
  return { id, title, body, starts_at: startsAt, ends_at: endsAt };
}

export function settingsJson(
  settings: Pick<CatalogSnapshot, 'systemRateMicro' | 'defaults' | 'verificationGrants'>,
): EntryJson {
  const { systemRateMicro, defaults, verificationGrants } = settings;
  return {
    system_rate: micro(systemRateMicro),
    defaults: {
      policy: defaults.policyId ?? null,
      user_rate: micro(defaults.userRateMicro),
      api_billing: defaults.apiBilling,
      auto_exchange: defaults.autoExchange,
    },
    verification_grants: {
      personal: micro(verificationGrants.personalMicro),
      enterprise: micro(verificationGrants.enterpriseMicro),
    },
  };
}

/** What a setting is if nothing is said about it: the readers complete it. */
export const UNSET_SETTINGS: EntryJson = { system_rate: '100', defaults: {}, verification_grants: {} };
