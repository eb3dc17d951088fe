import type { CapabilityOverrides } from '../../kernel/capability.ts';
import { CLOUD_KINDS } from '../contract.ts';
import {
  address,
  boolean,
  choice,
  integer,
  list,
  object,
  optional,
  type Reader,
  report,
  required,
  text,
} from '../file/reader.ts';
import { capabilitiesShape } from '../file/shape-capability.ts';
import { protocols } from '../file/shape-party.ts';
import { code, INTEGER_MAX, modelId, name } from '../file/shape-value.ts';
import { AMOUNTS, type Amounts, knownAmounts } from './amounts.ts';
import {
  CURRENCIES,
  type ListPrices,
  PRICE_SOURCES,
  type Preset,
  type PresetAddress,
  type PresetModel,
  type Quirks,
  REASONING,
  SITES,
  STREAM_END,
  STREAM_USAGE,
  TRIED,
} from './preset.ts';

const site = choice(...SITES);
const currency = choice(...CURRENCIES);
const source = choice(...PRICE_SOURCES);
const day = text({ lengthMax: 10, pattern: /^\d{4}-\d\d-\d\d$/, shape: 'a day such as 2026-08-05' });

const rawPrices = object<Amounts & { asOf: string | undefined; source: ListPrices['source'] | undefined }>({
  ...AMOUNTS,
  asOf: optional<string | undefined>('as_of', day, undefined),
  source: optional<ListPrices['source'] | undefined>('source', source, undefined),
});

type Figures = Pick<ListPrices, 'currency' | 'asOf' | 'source' | 'site'>;

const figuresShape = object<Figures>({
  currency: required('currency', currency),
  asOf: required('as_of', day),
  source: required('source', source),
  site: optional<ListPrices['site']>('site', site, undefined),
});

const addressShape = object<PresetAddress>({
  protocols: required('protocols', protocols),
  baseUrl: required('base_url', address),
  when: optional<string | undefined>(
    'when',
    text({ lengthMax: 40, pattern: /^[a-z_]+(=[a-z0-9-]+)?$/, shape: 'a field, or a field=value' }),
    undefined,
  ),
  site: optional<PresetAddress['site']>('site', site, undefined),
});

const USUAL: Quirks = {
  ...{ refuses: [], streamUsage: 'asked', streamEnd: 'done', reasoning: 'none', streamComments: false },
};

const quirksShape = object<Quirks>({
  refuses: optional('refuses', list(code, 40), USUAL.refuses),
  streamUsage: optional('stream_usage', choice(...STREAM_USAGE), USUAL.streamUsage),
  streamEnd: optional('stream_end', choice(...STREAM_END), USUAL.streamEnd),
  reasoning: optional('reasoning', choice(...REASONING), USUAL.reasoning),
  streamComments: optional('stream_comments', boolean, USUAL.streamComments),
});

const tokens = integer(1, INTEGER_MAX);

const rawModel = object({
  id: required('id', modelId),
  name: required('name', name),
  forward: optional<string | undefined>('forward', modelId, undefined),
  protocols: optional<PresetModel['protocols']>('protocols', protocols, undefined),
  contextWindow: optional<number | undefined>('context_window', tokens, undefined),
  maxOutputTokens: optional<number | undefined>('max_output_tokens', tokens, undefined),
  features: optional('features', list(choice('text', 'image', 'audio', 'video'), 4), ['text']),
  isOffered: optional('offered', boolean, false),
  prices: optional<ReturnType<typeof rawPrices> | undefined>('prices', rawPrices, undefined),
});

const rawPreset = object({
  code: required('code', code),
  name: required('name', name),
  variable: optional<string | undefined>('variable', code, undefined),
  addresses: required('addresses', list(addressShape, 8)),
  cloud: optional<Preset['cloud']>('cloud', choice(...CLOUD_KINDS), undefined),
  keysUrl: optional<string | undefined>('keys_url', text({ lengthMax: 200 }), undefined),
  needsKey: optional('needs_key', boolean, true),
  tried: required('tried', choice(...TRIED)),
  quirks: optional('quirks', quirksShape, USUAL),
  capabilities: optional<CapabilityOverrides | undefined>('capabilities', capabilitiesShape, undefined),
  notes: optional('notes', list(text({ lengthMax: 200 }), 10), []),
  priceMap: optional<string | undefined>('price_map', code, undefined),
  figures: optional<Figures | undefined>('prices', figuresShape, undefined),
  models: optional('models', list(rawModel), []),
});

/** The file of one vendor. A price without a day and a source is a problem. */
export const presetShape: Reader<Preset> = (place) => {
  const { figures, models, ...preset } = rawPreset(place);
  return {
    ...preset,
    models: models.map((model): PresetModel => {
      if (model.prices === undefined) return { ...model, prices: undefined };
      if (figures === undefined) report(place, `${model.id} has prices, and the file says nothing of them`);
      return { ...model, prices: figures && toListPrices(figures, model.prices) };
    }),
  };
};

function toListPrices(figures: Figures, { asOf, source: read, ...amounts }: ReturnType<typeof rawPrices>) {
  return {
    ...figures,
    asOf: asOf ?? figures.asOf,
    source: read ?? figures.source,
    amounts: knownAmounts(amounts),
  };
}
