import { NAME_LENGTH_MAX, ROUTES_PER_MODEL_MAX } from '../../bounds.ts';
import { type Prices, type Restriction, ROUTINGS } from '../contract.ts';
import type { ModelEntry, RouteEntry } from '../document.ts';
import { mapPriceFields, readPrices } from '../price-fields.ts';
import {
  boolean,
  choice,
  decimal,
  type Fields,
  integer,
  list,
  object,
  optional,
  type Reader,
  report,
  required,
  text,
} from './reader.ts';
import { capabilitiesShape } from './shape-capability.ts';
import { protocols } from './shape-party.ts';
import {
  amount,
  code,
  INTEGER_MAX,
  LIST_RATE,
  modelId,
  name,
  RATE_MAX,
  rate,
  status,
  vendorModelId,
} from './shape-value.ts';

/** Verification up to 2 (rule S-9), plans up to 3 (rule S-10); 0 lets everybody pass (rule S-19). */
const LEVEL_MAX = { none: 3, verification: 2, plan: 3 } as const;
const ANYONE: Restriction = { kind: 'none', level: 0 };

const rawRestriction = object<Restriction>({
  kind: required('kind', choice('none', 'verification', 'plan')),
  level: optional('level', integer(-1_000, 1_000), 0),
});

const restrictionShape: Reader<Restriction> = (place) => {
  const restriction = rawRestriction(place);
  const levelMax = LEVEL_MAX[restriction.kind];
  if (restriction.level > levelMax)
    report(place, `a level of kind ${restriction.kind} is at most ${levelMax}`);
  return restriction;
};

const pricesShape: Reader<Prices> = object<Prices>(
  mapPriceFields(({ name, fallback }) =>
    optional<bigint | undefined>(name, amount, fallback === undefined ? 0n : undefined),
  ) as Fields<Prices>,
);

const FREE: Prices = readPrices(() => undefined);

const rawRoute = object({
  vendorCode: required('vendor', code),
  credentialName: required('credential', text({ lengthMax: NAME_LENGTH_MAX })),
  forwardModelId: optional<string | undefined>('forward_model_id', vendorModelId, undefined),
  protocols: optional<RouteEntry['protocols']>('protocols', protocols, undefined),
  priority: optional('priority', integer(-1_000_000, 1_000_000), 100),
  weight: optional('weight', integer(1, 1_000_000), 1),
  rateMultiplierMicro: optional('rate_multiplier', decimal(RATE_MAX), 1_000_000n),
  status: optional('status', status, 'enabled'),
  capabilities: optional<RouteEntry['capabilities']>('capabilities', capabilitiesShape, undefined),
});

const rawModel = object({
  modelId: required('model_id', modelId),
  name: optional<string | undefined>('name', name, undefined),
  status: optional('status', status, 'enabled'),
  clientVisible: optional('client_visible', boolean, true),
  restriction: optional('restriction', restrictionShape, ANYONE),
  supportFeatures: optional('support_features', list(choice('text', 'image', 'audio', 'video'), 4), ['text']),
  prices: optional('prices', pricesShape, FREE),
  billingModes: optional<number | undefined>('billing_modes', integer(1, 7), undefined),
  contextWindow: optional<number | undefined>('context_window', integer(1, INTEGER_MAX), undefined),
  maxOutputTokens: optional<number | undefined>('max_output_tokens', integer(1, INTEGER_MAX), undefined),
  routing: optional('routing', choice(...ROUTINGS), 'weight'),
  batchRateMicro: optional('batch_rate', rate, LIST_RATE),
  capabilities: optional<ModelEntry['capabilities']>('capabilities', capabilitiesShape, undefined),
  routes: optional<readonly ReturnType<typeof rawRoute>[] | undefined>(
    'routes',
    list(rawRoute, ROUTES_PER_MODEL_MAX),
    undefined,
  ),
});

export const modelShape: Reader<ModelEntry> = (place) => {
  const model = rawModel(place);
  return {
    ...model,
    name: model.name ?? model.modelId,
    billingModes: model.billingModes ?? toBillingModes(model.prices),
    // A vendor with the same name for its model needs no second one.
    routes: model.routes?.map((route) => ({
      ...route,
      forwardModelId: route.forwardModelId ?? model.modelId,
    })),
  };
};

/** Rule S-5: 1 tokens, 2 per image, 4 per video; what has a price is a mode. */
function toBillingModes(prices: Prices): number {
  const images = prices.imageMicro > 0n ? 2 : 0;
  const videos = prices.videoMicro > 0n ? 4 : 0;
  const tokens = prices.inputMicro > 0n || prices.outputMicro > 0n || images + videos === 0 ? 1 : 0;
  return tokens + images + videos;
}
