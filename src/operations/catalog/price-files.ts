import { CATALOG_FILE_BYTES_MAX, CATALOG_LIST_MAX, MODEL_NAME_LENGTH_MAX } from '../../bounds.ts';
import { AT_LIST_PRICE } from '../../catalog/presets/in-yuan.ts';
import { CURRENCIES } from '../../catalog/presets/preset.ts';
import { mapPriceFields, type PriceName } from '../../catalog/price-fields.ts';
import { PRICE_FORMATS } from '../../catalog/price-file/figure.ts';
import { readPriceFile } from '../../catalog/price-file/price-file.ts';
import {
  type BelowCost,
  importPrices,
  importText,
  type PricedModel,
  type PriceImport,
} from '../../catalog/price-file/price-import.ts';
import { formatMicro } from '../../kernel/money.ts';
import { readStoredCatalog } from '../../store/catalog/apply.ts';
import { UNKNOWN_MODELS_MAX } from '../bounds.ts';
import { fail } from '../failure.ts';
import { nullable, SHOWN_AMOUNT } from '../fields.ts';
import { data, type Operation, operation } from '../operation.ts';
import { OPERATORS } from '../operator.ts';
import { Type } from '../schema.ts';
import { VERSION, wrongFile } from './catalog-file.ts';
import { toChoiceSchema } from './catalog-schema.ts';
import { DECIMAL } from './vendor-presets.ts';

const TEXT = Type.String();
const COUNT = Type.Integer({ minimum: 0 });
const AMOUNT = nullable(SHOWN_AMOUNT);
const LISTED = nullable(Type.String({ description: 'As the file has it, for a million tokens.' }));
const CURRENCY = toChoiceSchema(CURRENCIES);
const WHERE = { vendor: nullable(TEXT), forward_model_id: nullable(TEXT) };

const PRICED = Type.Object({
  ...{ model_id: TEXT, ...WHERE, currency: CURRENCY },
  list: Type.Object({ input: LISTED, output: LISTED, cache_input: LISTED, cache_write: LISTED }),
  prices: Type.Object(
    { input: AMOUNT, output: AMOUNT, cache_input: AMOUNT, cache_write: AMOUNT },
    { description: 'The new prices of the model, in yuan. Null: it has none of its own.' },
  ),
  tiered: Type.Boolean({ description: 'The vendor asks more for long prompts.' }),
});

const UNKNOWN = Type.Object({
  ...{ vendor: nullable(TEXT), model_id: TEXT, currency: CURRENCY },
  ...{ input: LISTED, output: LISTED },
});

const BELOW = Type.Object({
  ...{ model_id: TEXT, vendor: TEXT, forward_model_id: TEXT, price: TEXT },
  own: Type.String({ ...SHOWN_AMOUNT, description: 'The price of the model, before any rate.' }),
  asked: Type.String({ ...SHOWN_AMOUNT, description: 'What the vendor asks, in yuan.' }),
});

const YAML_EXAMPLE = 'models:\n  - model_id: gpt-5.4\n    prices: { input: "21.6", output: "129.6" }\n';

const read = operation({
  ...OPERATORS,
  name: 'catalog.readPrices',
  id: 'readFileOfPrices',
  method: 'POST',
  path: '/catalog/prices',
  tag: 'Catalogue',
  title: 'Read a file of prices',
  summary:
    'What a file of prices, ours or LiteLLM’s public price map, makes of the models of the catalogue. Nothing is changed.',
  body: Type.Object({
    text: Type.String({ maxLength: CATALOG_FILE_BYTES_MAX, description: 'The content of the file.' }),
    rate: Type.Optional({ ...DECIMAL, description: 'Yuan for a dollar. Default: TOLLGATE_YUAN_PER_DOLLAR.' }),
    margin: Type.Optional({ ...DECIMAL, description: 'Factor on list prices. Default: 1.' }),
    models: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: MODEL_NAME_LENGTH_MAX }), {
        maxItems: CATALOG_LIST_MAX,
        description: 'Only these models of the catalogue.',
      }),
    ),
  }),
  data: Type.Object({
    version: VERSION,
    format: toChoiceSchema(PRICE_FORMATS),
    yaml: Type.String({ description: 'The models with their new prices, to compare, price and apply.' }),
    priced: Type.Array(PRICED),
    unpriced: Type.Array(TEXT, { description: 'Models of the catalogue that the file has no price for.' }),
    unknown: Type.Array(UNKNOWN, { description: 'Models of the file that the catalogue has not.' }),
    unknown_total: COUNT,
    below: Type.Array(BELOW, { description: 'Prices that would be below what a vendor asks.' }),
  }),
  example: {
    body: { text: '{"gpt-5.4": {"litellm_provider": "openai"}}', rate: '7.2', margin: '1.2' },
    data: {
      ...{ version: 212, format: 'litellm', yaml: YAML_EXAMPLE, unpriced: ['our-llama'] },
      priced: [
        {
          ...{ model_id: 'gpt-5.4', vendor: 'openai', forward_model_id: 'gpt-5.4', currency: 'USD' },
          list: { input: '2.5', output: '15', cache_input: '0.25', cache_write: null },
          prices: { input: '21.6', output: '129.6', cache_input: '2.16', cache_write: null },
          tiered: true,
        },
      ],
      unknown: [
        { vendor: 'openai', model_id: 'gpt-5.4-nano', currency: 'USD', input: '0.2', output: '1.25' },
      ],
      unknown_total: 1,
      below: [
        {
          ...{ model_id: 'claude-opus-5', vendor: 'anthropic', forward_model_id: 'claude-opus-5' },
          ...{ price: 'input', own: '30', asked: '36' },
        },
      ],
    },
  },
  handle: async ({ body }, context) => {
    const file = readPriceFile(body.text);
    if (file.kind === 'invalid') return wrongFile(file.problems, 'text');
    const rate = body.rate ?? context.config.yuanPerDollar;
    if (rate === undefined && file.figures.some(({ currency }) => currency === 'USD')) {
      return fail('badParameter', 'rate is required: the file has prices in dollars');
    }
    const stored = await readStoredCatalog(context);
    const absent = body.models?.find((model) => !stored.models.has(model));
    if (absent !== undefined) return fail('badParameter', `models: there is no model ${absent}`);
    const made = importPrices(stored, {
      ...{ figures: file.figures, terms: { rate, margin: body.margin ?? AT_LIST_PRICE } },
      models: body.models && new Set(body.models),
    });
    return data({
      ...{ version: stored.version, format: file.format, yaml: importText(stored, made) },
      ...shownImport(made),
    });
  },
});

function shownImport({ priced, unpriced, unknown, below }: PriceImport): object {
  return {
    ...{ priced: priced.map(shownPriced), unpriced, below: below.map(shownBelow) },
    unknown: unknown.slice(0, UNKNOWN_MODELS_MAX).map(({ vendorCode = null, figure }) => ({
      ...{ vendor: vendorCode, model_id: figure.model, currency: figure.currency },
      ...{ input: figure.amounts.input ?? null, output: figure.amounts.output ?? null },
    })),
    unknown_total: unknown.length,
  };
}

const SHOWN: readonly PriceName[] = ['input', 'output', 'cache_input', 'cache_write'];

function shownPriced({ model, figure, route }: PricedModel): object {
  const { prices } = model;
  const own = Object.values(mapPriceFields(({ field, name }) => [name, prices[field]] as const));
  const yuan = new Map(own);
  return {
    ...{ model_id: model.modelId, vendor: route?.vendorCode ?? null, currency: figure.currency },
    ...{ forward_model_id: route?.forwardModelId ?? null, tiered: figure.isTiered },
    list: Object.fromEntries(SHOWN.map((name) => [name, figure.amounts[name] ?? null])),
    prices: Object.fromEntries(
      SHOWN.map((name) => {
        const micro = yuan.get(name);
        return [name, micro === undefined ? null : formatMicro(micro)];
      }),
    ),
  };
}

function shownBelow({ modelId, route, ...rest }: BelowCost): object {
  return { model_id: modelId, vendor: route.vendorCode, forward_model_id: route.forwardModelId, ...rest };
}

/** Prices of vendors, read from a file that somebody else keeps. */
export const priceFileOperations: readonly Operation[] = [read];
