import { admit } from '../../accounts/admit.ts';
import type { Account } from '../../accounts/contract.ts';
import { MODEL_NAME_LENGTH_MAX, NAME_LENGTH_MAX, REPORTED_TOKENS_MAX } from '../../bounds.ts';
import type { CatalogSnapshot } from '../../catalog/contract.ts';
import {
  chargeableCreditsMicro,
  costMicro,
  LIST_RATE_MICRO,
  type PriceSnapshot,
  takeSnapshot,
} from '../../catalog/price.ts';
import { formatMicro } from '../../kernel/money.ts';
import { PROTOCOLS } from '../../kernel/protocol-name.ts';
import { NO_USAGE, type Usage } from '../../kernel/usage.ts';
import { describePrice, describeReceipt, listPrices } from '../../ledger/receipt.ts';
import { findAccountView } from '../../store/accounts/account-view.ts';
import { knownSubscriptions } from '../accounts/own-account.ts';
import type { Context } from '../context.ts';
import { type Failure, fail } from '../failure.ts';
import { ID, nullable, SHOWN_AMOUNT } from '../fields.ts';
import { EXACT, RATES, RECEIPT, rateNumber, shownRates } from '../logs/log-items.ts';
import { data, type Operation, operation } from '../operation.ts';
import { type Static, type TObject, Type } from '../schema.ts';
import { type Offered, offered, RATE } from './offer.ts';

const GROUP = { surface: 'user', access: 'optional', tag: 'Public', method: 'GET' } as const;
const TEXT = Type.String();
const COUNT = Type.Integer({ minimum: 0 });

const LIST_PRICES = {
  input_price: SHOWN_AMOUNT,
  output_price: SHOWN_AMOUNT,
  cache_input_price: SHOWN_AMOUNT,
  cache_output_price: SHOWN_AMOUNT,
  cache_write_price: SHOWN_AMOUNT,
  image_price: SHOWN_AMOUNT,
  video_price: SHOWN_AMOUNT,
};
const OWN_PRICES = Type.Object(
  {
    input_price: EXACT,
    output_price: EXACT,
    cache_input_price: EXACT,
    cache_output_price: EXACT,
    cache_write_price: EXACT,
    image_price: EXACT,
    video_price: EXACT,
  },
  { description: 'Each price times `factor`: what the caller pays, before rounding.' },
);
const ITEM = Type.Object({
  route_id: ID,
  model_id: TEXT,
  name: TEXT,
  vendor_code: TEXT,
  vendor_name: TEXT,
  vendor_icon: TEXT,
  vendor_rate: RATE,
  credential_rate: RATE,
  rate_multiplier: Type.Number({ minimum: 0, description: '1 is list price.' }),
  factor: Type.String({ ...EXACT, description: 'The product of the six rates.' }),
  batch_rate: Type.Number({ minimum: 0, description: 'A batch costs this percentage of the prices.' }),
  forward_model_id: TEXT,
  priority: Type.Integer({ description: 'Routes with a lower number are tried first.' }),
  protocols: Type.Array(Type.Union(PROTOCOLS.map((name) => Type.Literal(name))), {
    description: 'The protocols of the route. Calls in other protocols are converted.',
  }),
  support_features: Type.Array(
    Type.Union((['text', 'image', 'audio', 'video'] as const).map((name) => Type.Literal(name))),
  ),
  context_window: nullable(COUNT),
  max_output_tokens: nullable(COUNT),
  restriction: Type.Union((['none', 'verification', 'plan'] as const).map((kind) => Type.Literal(kind))),
  required_level: Type.Integer(),
  refusal: nullable(
    Type.String({
      description: 'The error message that a call of the caller would get. Null if the model is admitted.',
    }),
  ),
  billing_modes: Type.Integer({
    minimum: 0,
    maximum: 7,
    description: 'Sum of 1 tokens, 2 images, 4 videos.',
  }),
  ...LIST_PRICES,
  own: OWN_PRICES,
});

const EXAMPLE_PRICES = {
  ...{ input_price: '10', output_price: '30', cache_input_price: '1', cache_output_price: '30' },
  ...{ cache_write_price: '12.5', image_price: '0', video_price: '0' },
};
const PRICE_EXAMPLE = {
  ...{ route_id: 1, model_id: 'gpt-5', name: 'GPT-5', priority: 10, protocols: ['responses', 'chat'] },
  ...{ vendor_code: 'openai', vendor_name: 'OpenAI', vendor_icon: 'openai', forward_model_id: 'gpt-5' },
  ...{ vendor_rate: 100, credential_rate: 100, rate_multiplier: 1, factor: '1', batch_rate: 50 },
  ...{ support_features: ['text', 'image'], context_window: 400_000, max_output_tokens: 128_000 },
  ...{ restriction: 'none', required_level: 0, refusal: null, billing_modes: 1 },
  ...{ ...EXAMPLE_PRICES, own: EXAMPLE_PRICES },
};
const QUOTE_EXAMPLE = {
  ...{ route_id: 1, priority: 10, vendor_code: 'openai' },
  rates: {
    ...{ rate_multiplier: 1, system_rate: 100, user_rate: 100, vendor_rate: 100 },
    ...{ credential_rate: 100, node_rate: 100 },
  },
  lines: [
    { item: 'input_tokens', quantity: 1000, price: '10', per: 1_000_000, amount: '0.01' },
    { item: 'output_tokens', quantity: 500, price: '30', per: 1_000_000, amount: '0.015' },
  ],
  ...{ list_amount: '0.025', product: '0.025', cut: '0', amount: '0.025', amount_credits: '25' },
  ...{ credits_per_yuan: 1000, credits: '25' },
};

const WHERE = {
  model: Type.Optional(
    Type.String({ minLength: 1, maxLength: MODEL_NAME_LENGTH_MAX, description: 'Only this model.' }),
  ),
  node: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: NAME_LENGTH_MAX,
      description: 'Use the rate of this node. Default: the node that answers.',
    }),
  ),
};
const WHERE_QUERY = Type.Object(WHERE);

const pricing = operation({
  ...GROUP,
  name: 'public.pricing',
  id: 'listPrices',
  path: '/pricing',
  title: 'List prices',
  summary: 'Prices in yuan per million tokens or per item, all rates, and what the caller pays.',
  query: WHERE_QUERY,
  data: Type.Object({
    system_rate: RATE,
    user_rate: RATE,
    node: TEXT,
    node_rate: RATE,
    models: Type.Array(ITEM),
  }),
  example: {
    data: { system_rate: 100, user_rate: 100, node: 'local', node_rate: 100, models: [PRICE_EXAMPLE] },
  },
  handle: async ({ query }, context) => {
    const audit = await priceContext(query, context);
    if ('kind' in audit) return audit;
    const { catalog, nodeName, userRateMicro } = audit;
    const node = catalog.nodes.find(({ name }) => name === nodeName);
    return data({
      system_rate: rateNumber(catalog.systemRateMicro),
      user_rate: rateNumber(userRateMicro),
      node: nodeName,
      node_rate: rateNumber(node?.rateMicro ?? LIST_RATE_MICRO),
      models: audit.routes.map((one) =>
        shownPrice(one, audit, admit(one.model, audit.standing, context.clock.now())?.message),
      ),
    });
  },
});

/** Everything that a price depends on, for this caller. */
interface PriceAuditContext {
  readonly catalog: CatalogSnapshot;
  readonly nodeName: string;
  readonly userRateMicro: bigint;
  readonly standing: ModelAccess;
  readonly routes: readonly Offered[];
}

/** The levels that decide whether an account may call a model. */
type ModelAccess = Pick<Account, 'userType' | 'subscriptions'>;

const NOBODY: ModelAccess = { userType: 0, subscriptions: [] };

async function priceContext(
  { model, node }: Static<typeof WHERE_QUERY>,
  context: Context,
): Promise<PriceAuditContext | Failure> {
  const { caller, database } = context;
  const own = context.config.nodeName;
  const catalog = context.catalog();
  if (node !== undefined && node !== own && !catalog.nodes.some(({ name }) => name === node)) {
    return fail('badParameter', 'node is not a node of the catalogue');
  }
  const account = caller === undefined ? undefined : await findAccountView(database, caller.accountId);
  return {
    catalog,
    nodeName: node ?? own,
    userRateMicro: account?.userRateMicro ?? LIST_RATE_MICRO,
    standing:
      account === undefined
        ? NOBODY
        : { userType: account.userType, subscriptions: knownSubscriptions(account, catalog) },
    routes: offered(catalog).filter((one) => model === undefined || one.model.modelId === model),
  };
}

function takeOfferedSnapshot({ route, model }: Offered, audit: PriceAuditContext): PriceSnapshot {
  return takeSnapshot(route, { ...audit, model });
}

function shownPrice(one: Offered, audit: PriceAuditContext, refusal: string | undefined): object {
  const { model, route } = one;
  const price = takeOfferedSnapshot(one, audit);
  const list = Object.entries(listPrices(price)).map(([name, priceMicro]) => [name, formatMicro(priceMicro)]);
  return {
    route_id: route.id,
    model_id: model.modelId,
    name: model.name,
    vendor_code: route.vendor.code,
    vendor_name: route.vendor.name,
    vendor_icon: route.vendor.icon,
    vendor_rate: rateNumber(route.vendor.rateMicro),
    credential_rate: rateNumber(route.credential.rateMicro),
    rate_multiplier: rateNumber(route.rateMultiplierMicro),
    batch_rate: rateNumber(model.batchRateMicro),
    forward_model_id: route.forwardModelId,
    priority: route.priority,
    protocols: route.protocols,
    support_features: model.supportFeatures,
    context_window: model.contextWindow ?? null,
    max_output_tokens: model.maxOutputTokens ?? null,
    restriction: model.restriction.kind,
    required_level: model.restriction.level,
    refusal: refusal ?? null,
    billing_modes: model.billingModes,
    ...Object.fromEntries(list),
    ...describePrice(price),
  };
}

const TOKENS = Type.Optional(Type.Integer({ minimum: 0, maximum: REPORTED_TOKENS_MAX, default: 0 }));
const ITEMS = Type.Optional(Type.Integer({ minimum: 0, maximum: 10_000, default: 0 }));
const { lines, list_amount, product, cut, amount, amount_credits, credits_per_yuan } = RECEIPT.properties;
const QUOTE_FIELDS = { lines, list_amount, product, cut, amount, amount_credits, credits_per_yuan };
const QUOTE = Type.Object({
  route_id: ID,
  priority: ITEM.properties.priority,
  vendor_code: TEXT,
  rates: RATES,
  ...QUOTE_FIELDS,
  credits: Type.String({ ...EXACT, description: 'The charge in Credits. 0 below one Credit.' }),
});

const quote = operation({
  ...GROUP,
  name: 'public.quote',
  id: 'quoteCall',
  path: '/pricing/quote',
  title: 'Quote a call',
  summary: 'The cost of a call with this usage on each route, line by line.',
  query: Type.Object({
    ...WHERE,
    ...{ input_tokens: TOKENS, cache_read_tokens: TOKENS, cache_write_tokens: TOKENS },
    ...{ output_tokens: TOKENS, images: ITEMS, videos: ITEMS },
  }),
  data: Type.Array(QUOTE),
  fails: ['notFound'],
  example: { data: [QUOTE_EXAMPLE] },
  handle: async ({ query }, context) => {
    const audit = await priceContext(query, context);
    if ('kind' in audit) return audit;
    if (query.model !== undefined && audit.routes.length === 0) {
      return fail('notFound', 'The model is not on offer');
    }
    const usage: Usage = {
      ...NO_USAGE,
      inputFresh: query.input_tokens ?? 0,
      cacheRead: query.cache_read_tokens ?? 0,
      cacheWrite: query.cache_write_tokens ?? 0,
      outputText: query.output_tokens ?? 0,
      images: query.images ?? 0,
      videos: query.videos ?? 0,
    };
    const { creditsPerYuan } = context.config;
    return data(audit.routes.map((one) => shownQuote(one, audit, { usage, creditsPerYuan })));
  },
});

/** The part of the receipt of such a call that is about its price. */
function shownQuote(
  one: Offered,
  audit: PriceAuditContext,
  { usage, creditsPerYuan }: { readonly usage: Usage; readonly creditsPerYuan: number },
): object {
  const price = takeOfferedSnapshot(one, audit);
  const chargeMicro = chargeableCreditsMicro(costMicro(usage, price), creditsPerYuan);
  const receipt = describeReceipt({
    ...{ callId: '', modelUsed: one.model.modelId, modelAsked: one.model.modelId, payer: 'credits' },
    ...{ estimated: true, freeReason: null, attempts: [], entries: [], usage, price, creditsPerYuan },
    ...{ chargeMicro, creditsMicro: chargeMicro, heldMicro: 0n, exchangedMicro: 0n, shortfallMicro: 0n },
  });
  return {
    route_id: one.route.id,
    priority: one.route.priority,
    vendor_code: one.route.vendor.code,
    rates: shownRates(price.rates),
    ...pick(receipt, QUOTE_FIELDS),
    credits: receipt.charge,
  };
}

function pick(from: object, fields: TObject['properties']): object {
  return Object.fromEntries(Object.entries(from).filter(([name]) => Object.hasOwn(fields, name)));
}

/** Prices (rule I-60), and exactly what a call would be charged (rule I-61). */
export const pricingOperations: readonly Operation[] = [pricing, quote];
