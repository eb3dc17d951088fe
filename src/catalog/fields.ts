import type { Capabilities, CapabilityOverrides } from '../kernel/capability.ts';
import { formatMicro } from '../kernel/money.ts';
import { CAPABILITY_KEYS } from './capability-keys.ts';
import type {
  Announcement,
  CatalogSnapshot,
  GatewayNode,
  Plan,
  Policy,
  PolicyWindow,
  Vendor,
} from './contract.ts';
import type { CredentialEntry, ModelEntry, RouteEntry } from './document.ts';
import { namePrices } from './price-fields.ts';

/**
 * An entry as texts, named as in the file: two entries are equal when all their texts are, and a change is
 * printed with them. Different values never have the same text.
 */
export interface FieldTexts {
  readonly key: string;
  readonly fields: Readonly<Record<string, string>>;
  /** Fields whose values are never shown. */
  readonly secrets: readonly string[];
}

const NONE = 'none';

function texts(
  key: string | number,
  fields: Record<string, string>,
  secrets: readonly string[] = [],
): FieldTexts {
  return { key: String(key), fields, secrets };
}

const micro = (value: bigint | undefined): string => (value === undefined ? NONE : formatMicro(value));
const list = (values: readonly (string | number)[]): string => `[${values.join(', ')}]`;

export function ofSettings(
  settings: Pick<CatalogSnapshot, 'systemRateMicro' | 'defaults' | 'verificationGrants'>,
): FieldTexts {
  const { systemRateMicro, defaults, verificationGrants } = settings;
  return texts('catalog', {
    system_rate: micro(systemRateMicro),
    'defaults.policy': String(defaults.policyId ?? NONE),
    'defaults.user_rate': micro(defaults.userRateMicro),
    'defaults.api_billing': String(defaults.apiBilling),
    'defaults.auto_exchange': String(defaults.autoExchange),
    'verification_grants.personal': micro(verificationGrants.personalMicro),
    'verification_grants.enterprise': micro(verificationGrants.enterpriseMicro),
  });
}

export function ofVendor(vendor: Vendor): FieldTexts {
  return texts(vendor.code, {
    name: vendor.name,
    icon: vendor.icon,
    protocols: list(vendor.protocols),
    base_url: vendor.baseUrl,
    rate: micro(vendor.rateMicro),
    byok: String(vendor.byok),
    custom_base_url: String(vendor.customBaseUrl),
    'cloud.kind': vendor.cloud?.kind ?? NONE,
    'cloud.api_version': vendor.cloud?.apiVersion ?? NONE,
    'cloud.region': vendor.cloud?.region ?? NONE,
    'cloud.project': vendor.cloud?.project ?? NONE,
    'cloud.location': vendor.cloud?.location ?? NONE,
    'cloud.token_url': vendor.cloud?.tokenUrl ?? NONE,
  });
}

export function ofCredential(credential: CredentialEntry): FieldTexts {
  const { limits } = credential;
  const fields = {
    vendor: credential.vendorCode,
    secret: credential.secret,
    base_url: credential.baseUrl ?? NONE,
    rate: micro(credential.rateMicro),
    'limits.concurrency': String(limits.concurrency ?? NONE),
    'limits.rpm': String(limits.rpm ?? NONE),
    'limits.tpm': String(limits.tpm ?? NONE),
    status: credential.status,
  };
  return texts(credential.name, fields, ['secret']);
}

export function ofModel(model: Omit<ModelEntry, 'routes'>): FieldTexts {
  const { prices, restriction } = model;
  return texts(model.modelId, {
    name: model.name,
    status: model.status,
    client_visible: String(model.clientVisible),
    'restriction.kind': restriction.kind,
    'restriction.level': String(restriction.level),
    support_features: list(model.supportFeatures),
    ...namePrices({ before: 'prices.', behind: '' }, ({ field }) => micro(prices[field])),
    billing_modes: String(model.billingModes),
    context_window: String(model.contextWindow ?? NONE),
    max_output_tokens: String(model.maxOutputTokens ?? NONE),
    routing: model.routing,
    batch_rate: micro(model.batchRateMicro),
    ...capabilityTexts(model.capabilities),
  });
}

export function ofRoute(modelId: string, route: RouteEntry): FieldTexts {
  return texts(`${modelId} via ${route.credentialName} as ${route.forwardModelId}`, {
    vendor: route.vendorCode,
    protocols: route.protocols === undefined ? NONE : list(route.protocols),
    priority: String(route.priority),
    weight: String(route.weight),
    rate_multiplier: micro(route.rateMultiplierMicro),
    status: route.status,
    ...capabilityTexts(route.capabilities),
  });
}

/** `none` is a value of thinking, so an unset capability needs another word. */
function capabilityTexts(overrides: CapabilityOverrides = {}): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const [name, key] of Object.entries(CAPABILITY_KEYS)) {
    const value = overrides[name as keyof Capabilities];
    const text = typeof value === 'object' ? list(value) : String(value ?? 'unset');
    fields[`capabilities.${key}`] = text;
  }
  return fields;
}

function windowText({ dimension, seconds, limit }: PolicyWindow): string {
  return `${dimension}/${seconds}s ${dimension === 'amount' ? micro(limit) : limit}`;
}

export function ofPolicy(policy: Policy): FieldTexts {
  return texts(policy.id, {
    name: policy.name,
    concurrency: String(policy.concurrency ?? NONE),
    windows: list(policy.windows.map(windowText)),
    selectable: String(policy.selectable ?? 'unset'),
  });
}

export function ofPlan(plan: Plan): FieldTexts {
  return texts(plan.code, {
    level: String(plan.level),
    name: plan.name,
    price: micro(plan.priceMicro),
    days: String(plan.days),
    policy: String(plan.policyId ?? NONE),
    'covers.models': plan.coversModels === '*' ? '*' : list(plan.coversModels),
    'covers.windows': list(plan.coverageWindows.map((each) => `${each.seconds}s ${micro(each.amountMicro)}`)),
  });
}

export function ofNode(node: GatewayNode): FieldTexts {
  return texts(node.name, { base_url: node.baseUrl, region: node.region, rate: micro(node.rateMicro) });
}

export function ofAnnouncement(announcement: Announcement): FieldTexts {
  const { id, title, body, startsAt, endsAt } = announcement;
  return texts(id, { title, body, starts_at: startsAt, ends_at: endsAt });
}
