import { assert } from '../kernel/assert.ts';
import { parseMicro } from '../kernel/money.ts';
import type { Plan, Policy, Prices, Vendor } from './contract.ts';
import type { CatalogFile, CredentialEntry, KnownCatalog, ModelEntry } from './document.ts';
import { AT_LIST_PRICE, inYuan } from './presets/in-yuan.ts';
import { type Preset, type PresetModel, TEXT_PROTOCOLS } from './presets/preset.ts';
import { presetsWithVariable } from './presets/presets.ts';
import { readPrices } from './price-fields.ts';

/**
 * The catalogue of a start with nothing but vendor keys in the environment (rule S-2). It only adds: a
 * vendor, plan or model that is there already is the operator's, and only a changed key is taken over.
 */
export function defaultCatalog(
  environment: Readonly<Record<string, string | undefined>>,
  known: KnownCatalog,
): CatalogFile {
  const isFirst = known.vendors.size === 0;
  const all = listOffers();
  const offers = all.flatMap((offer) => {
    const secret = environment[offer.variable]?.trim() ?? '';
    return secret === '' ? [] : [{ ...offer, secret }];
  });
  const withKey = new Set(offers.map((offer) => offer.vendor));
  return {
    systemRateMicro: undefined,
    defaults: isFirst
      ? { policyId: 1, userRateMicro: LIST_RATE, apiBilling: true, autoExchange: false }
      : undefined,
    verificationGrants: isFirst ? { personalMicro: yuan('1000'), enterpriseMicro: yuan('5000') } : undefined,
    // Users may add BYOK credentials also for a vendor without a key of the platform.
    vendors: all
      .map((offer) => offer.vendor)
      .filter((vendor) => !known.vendors.has(vendor.code) && (isFirst || withKey.has(vendor))),
    credentials: offers.map((offer) => toCredentialEntry(offer, known)),
    models: offers
      .filter((offer) => !known.credentials.has(credentialName(offer.vendor)))
      .flatMap((offer) => offer.models.map((row) => toModelEntry(offer.vendor, row)))
      .filter((model) => !known.models.has(model.modelId)),
    policies: isFirst ? POLICIES : [],
    plans: isFirst ? PLANS : [],
    nodes: [],
    announcements: [],
    accounts: [],
  };
}

interface Offer {
  readonly variable: string;
  readonly vendor: Vendor;
  readonly models: readonly PresetModel[];
}

const LIST_RATE = yuan('100');

function yuan(text: string): bigint {
  const micro = parseMicro(text);
  assert(micro !== undefined, 'a price of the default catalogue is a decimal');
  return micro;
}

/** About what a dollar costs. Whoever sells sets prices of their own. */
const YUAN_PER_DOLLAR = '7.2';
/** OpenAI asks for its pictures by the token, the catalogue charges them by the piece. */
const PICTURE_PRICES: Readonly<Record<string, bigint>> = { 'gpt-image-2': yuan('0.5') };

/** The vendors with a variable of their own, and those of their models that have a price. */
function listOffers(): readonly Offer[] {
  return presetsWithVariable().flatMap((preset) => {
    const { variable, models } = preset;
    if (variable === undefined) return [];
    const isSold = ({ id, isOffered }: PresetModel): boolean =>
      isOffered || Object.hasOwn(PICTURE_PRICES, id);
    return [{ variable, vendor: toVendor(preset), models: models.filter(isSold) }];
  });
}

function toVendor({ code, name, addresses: [first] }: Preset): Vendor {
  assert(first !== undefined, 'a preset has an address');
  const { protocols, baseUrl } = first;
  const rest = { rateMicro: LIST_RATE, byok: true, customBaseUrl: false };
  return { code, name, icon: code, protocols, baseUrl, ...rest };
}

const MINUTE = 60;
const FIVE_HOURS = 5 * 3_600;
const WEEK = 7 * 86_400;

function policy(
  id: number,
  name: string,
  [concurrency, requests, tokens]: readonly [number, number, number],
): Policy {
  return {
    id,
    name,
    concurrency,
    windows: [
      { dimension: 'requests', seconds: MINUTE, limit: BigInt(requests) },
      { dimension: 'tokens', seconds: MINUTE, limit: BigInt(tokens) },
    ],
  };
}

const POLICIES: readonly Policy[] = [
  policy(1, 'default', [20, 600, 1_000_000]),
  policy(2, 'plus', [30, 900, 2_000_000]),
  policy(3, 'pro', [50, 1_800, 4_000_000]),
  policy(4, 'promax', [100, 3_600, 10_000_000]),
];

function plan(level: number, code: string, [price, burst, week]: readonly [string, string, string]): Plan {
  return {
    code,
    level,
    name: code,
    priceMicro: yuan(price),
    days: 30,
    policyId: level + 1,
    coversModels: '*',
    coverageWindows: [
      { seconds: FIVE_HOURS, amountMicro: yuan(burst) },
      { seconds: WEEK, amountMicro: yuan(week) },
    ],
  };
}

const PLANS: readonly Plan[] = [
  plan(1, 'PLUS', ['99', '20', '150']),
  plan(2, 'PRO', ['199', '50', '400']),
  plan(3, 'PROMAX', ['999', '300', '2400']),
];

function credentialName(offer: Vendor): string {
  return `${offer.code}-environment`;
}

function toCredentialEntry(offer: { vendor: Vendor; secret: string }, known: KnownCatalog): CredentialEntry {
  const name = credentialName(offer.vendor);
  const stored = known.credentials.get(name);
  if (stored !== undefined) {
    const { id: _id, ownerAccountId: _owner, ...entry } = stored;
    return { ...entry, secret: offer.secret };
  }
  return {
    name,
    vendorCode: offer.vendor.code,
    secret: offer.secret,
    baseUrl: undefined,
    rateMicro: LIST_RATE,
    limits: {},
    status: 'enabled',
  };
}

function listPrices({ id, prices: list }: PresetModel): Prices {
  const prices = inYuan(list, { rate: YUAN_PER_DOLLAR, margin: AT_LIST_PRICE });
  return readPrices(({ name }) => {
    const text = prices?.[name] ?? undefined;
    return text === undefined ? (name === 'image' ? PICTURE_PRICES[id] : undefined) : yuan(text);
  });
}

function toModelEntry(offered: Vendor, model: PresetModel): ModelEntry {
  const isImage = Object.hasOwn(PICTURE_PRICES, model.id);
  const own = model.protocols ?? TEXT_PROTOCOLS;
  const routeProtocols = offered.protocols.filter((protocol) => own.includes(protocol));
  return {
    modelId: model.id,
    name: model.name,
    status: 'enabled',
    clientVisible: true,
    restriction: { kind: 'none', level: 0 },
    supportFeatures: model.features,
    prices: listPrices(model),
    billingModes: isImage ? 2 : 1,
    contextWindow: model.contextWindow,
    maxOutputTokens: model.maxOutputTokens,
    routing: 'weight',
    batchRateMicro: LIST_RATE,
    capabilities: undefined,
    routes: [
      {
        vendorCode: offered.code,
        credentialName: credentialName(offered),
        forwardModelId: model.forward ?? model.id,
        protocols: routeProtocols,
        priority: 100,
        weight: 1,
        rateMultiplierMicro: 1_000_000n,
        status: 'enabled',
        capabilities: undefined,
      },
    ],
  };
}
