import { CAPABILITY_KEYS } from '../../catalog/capability-keys.ts';
import { CLOUD_KINDS } from '../../catalog/contract.ts';
import { cloudQuestions } from '../../catalog/presets/cloud-questions.ts';
import { AT_LIST_PRICE, inYuan, type Terms } from '../../catalog/presets/in-yuan.ts';
import {
  CURRENCIES,
  PRICE_SOURCES,
  type Preset,
  type PresetModel,
  REASONING,
  SITES,
  STREAM_END,
  STREAM_USAGE,
  TRIED,
} from '../../catalog/presets/preset.ts';
import { vendorPresets } from '../../catalog/presets/presets.ts';
import type { CapabilityOverrides } from '../../kernel/capability.ts';
import { PROTOCOLS, type Protocol } from '../../kernel/protocol-name.ts';
import { CLOUD_SECRETS, shownSecrets } from '../cloud-secrets.ts';
import { nullable, SHOWN_AMOUNT } from '../fields.ts';
import { data, type Operation, operation } from '../operation.ts';
import { OPERATORS } from '../operator.ts';
import { Type } from '../schema.ts';
import { toChoiceSchema } from './catalog-schema.ts';

const HEADERS: Readonly<Record<Protocol, string>> = {
  ...{ chat: 'authorization', responses: 'authorization', images: 'authorization' },
  ...{ messages: 'x-api-key', gemini: 'x-goog-api-key' },
  ...{ embeddings: 'authorization', 'gemini-embeddings': 'x-goog-api-key' },
  ...{ moderations: 'authorization', rerank: 'authorization', completions: 'authorization' },
  speech: 'authorization',
  transcriptions: 'authorization',
  videos: 'authorization',
};

const PROTOCOL = Type.Union(PROTOCOLS.map((name) => Type.Literal(name)));
const PRICE = nullable(SHOWN_AMOUNT);
const PRICES = {
  ...{ input: PRICE, output: PRICE, cache_input: PRICE, cache_output: PRICE, cache_write: PRICE },
  ...{ image: PRICE, video: PRICE },
};
const COUNT = nullable(Type.Integer({ minimum: 1 }));
const CAPABILITIES = nullable(
  Type.Record(Type.Unknown(), { description: 'For every route to it. Keys as in the catalogue file.' }),
);

const QUIRKS = Type.Object({
  refuses: Type.Array(Type.String(), {
    description: 'Fields of a chat request, `developer_role`, or `unknown_fields` for all unknown ones.',
  }),
  stream_usage: toChoiceSchema(STREAM_USAGE),
  stream_end: toChoiceSchema(STREAM_END),
  reasoning: toChoiceSchema(REASONING),
  stream_comments: Type.Boolean(),
});

const LISTED = Type.Object({
  ...{ currency: toChoiceSchema(CURRENCIES), source: toChoiceSchema(PRICE_SOURCES) },
  as_of: Type.String({ description: 'The day of the figure.' }),
  site: nullable(toChoiceSchema(SITES)),
  ...PRICES,
});

const MODEL = Type.Object({
  ...{ model_id: Type.String(), name: Type.String(), features: Type.Array(Type.String()) },
  forward_model_id: Type.String({ description: 'The vendor’s name of the model.' }),
  protocols: nullable(Type.Array(PROTOCOL, { description: 'Null: those of the address that make text.' })),
  prices: Type.Object(PRICES, {
    description: 'In yuan, by `rate` and `margin`. Null: no figure is known, or no rate for its currency.',
  }),
  list_prices: nullable(LISTED),
  ...{ context_window: COUNT, max_output_tokens: COUNT },
});

const CLOUD = Type.Object(
  {
    kind: toChoiceSchema(CLOUD_KINDS),
    fields: Type.Array(
      Type.Object({
        ...{ name: Type.String(), required: Type.Boolean(), example: Type.String() },
        of: toChoiceSchema(['address', 'cloud']),
      }),
    ),
    secrets: CLOUD_SECRETS,
  },
  { description: 'What a cloud needs beside its models. Null: an address and a key.' },
);

const PRESET = Type.Object({
  ...{ code: Type.String(), name: Type.String(), icon: Type.String() },
  addresses: Type.Array(
    Type.Object({
      protocols: Type.Array(PROTOCOL),
      base_url: Type.String(),
      auth_header: Type.String({ description: 'The header that carries the key.' }),
      site: nullable(toChoiceSchema(SITES)),
      when: nullable(
        Type.String({
          description: 'Of a cloud: only with this field, or this value of it (`field=value`).',
        }),
      ),
    }),
    { description: 'A vendor of the catalogue has one of them. That of a cloud may have fields in braces.' },
  ),
  cloud: nullable(CLOUD),
  keys_url: nullable(Type.String({ description: 'Where the vendor’s keys are made.' })),
  needs_key: Type.Boolean({ description: 'False: any text serves as the secret.' }),
  tried: Type.Union(
    TRIED.map((name) => Type.Literal(name)),
    {
      description: 'Against what it was seen to work. Only `vendor` and `recordings` are the vendor itself.',
    },
  ),
  quirks: QUIRKS,
  capabilities: CAPABILITIES,
  notes: Type.Array(Type.String()),
  models: Type.Array(MODEL, { description: 'Often not all of them.' }),
});

export const DECIMAL = Type.String({ pattern: '^\\d{1,6}(\\.\\d{1,6})?$', form: 'a decimal such as 7.2' });
const NO_PRICES = {
  ...{ input: null, output: null, cache_input: null, cache_output: null, cache_write: null },
  ...{ image: null, video: null },
};

function shownPreset(preset: Preset, terms: Terms): object {
  const { code, name, addresses, capabilities, quirks } = preset;
  return {
    ...{ code, name, icon: code, keys_url: preset.keysUrl ?? null, needs_key: preset.needsKey },
    addresses: addresses.map(({ protocols, baseUrl, site = null, when = null }) => ({
      ...{ protocols, base_url: baseUrl, auth_header: HEADERS[protocols[0] ?? 'chat'], site, when },
    })),
    cloud: shownCloud(preset),
    ...{ tried: preset.tried, notes: preset.notes },
    quirks: {
      ...{ refuses: quirks.refuses, stream_usage: quirks.streamUsage, stream_end: quirks.streamEnd },
      ...{ reasoning: quirks.reasoning, stream_comments: quirks.streamComments },
    },
    capabilities: capabilities === undefined ? null : shownCapabilities(capabilities),
    models: preset.models.map((model) => shownModel(model, terms)),
  };
}

function shownCloud(preset: Preset): object | null {
  const questions = cloudQuestions(preset);
  if (questions === undefined) return null;
  return {
    kind: questions.kind,
    fields: questions.fields.map(({ isRequired, ...field }) => ({ ...field, required: isRequired })),
    secrets: shownSecrets(questions.secrets),
  };
}

function shownCapabilities(capabilities: CapabilityOverrides): object {
  const entries = Object.entries(capabilities);
  return Object.fromEntries(
    entries.map(([key, value]) => [CAPABILITY_KEYS[key as keyof CapabilityOverrides], value]),
  );
}

function shownModel(model: PresetModel, terms: Terms): object {
  const { id, name, features, prices: list, ...limits } = model;
  const figure = list && { currency: list.currency, source: list.source, as_of: list.asOf };
  return {
    ...{ model_id: id, name, features, prices: inYuan(list, terms) ?? NO_PRICES },
    ...{ forward_model_id: model.forward ?? id, protocols: model.protocols ?? null },
    list_prices:
      list === undefined ? null : { ...figure, site: list.site ?? null, ...NO_PRICES, ...list.amounts },
    ...{ context_window: limits.contextWindow ?? null, max_output_tokens: limits.maxOutputTokens ?? null },
  };
}

const EXAMPLE = {
  ...{ code: 'deepseek', name: 'DeepSeek', icon: 'deepseek', tried: 'recordings', notes: [] },
  addresses: [
    {
      ...{ protocols: ['chat'], base_url: 'https://api.deepseek.com/v1' },
      ...{ auth_header: 'authorization', site: null, when: null },
    },
  ],
  ...{ keys_url: 'https://platform.deepseek.com/api_keys', needs_key: true, capabilities: null },
  cloud: null,
  quirks: {
    ...{ refuses: ['developer_role'], stream_usage: 'always', stream_end: 'done' },
    ...{ reasoning: 'reasoning_content', stream_comments: true },
  },
  models: [
    {
      ...{ model_id: 'deepseek-v4-flash', name: 'DeepSeek V4 Flash', features: ['text'] },
      ...{ forward_model_id: 'deepseek-v4-flash', protocols: null },
      prices: { ...NO_PRICES, input: '1.008', output: '2.016', cache_input: '0.02016' },
      list_prices: {
        ...{ currency: 'USD', source: 'price-map', as_of: '2026-08-05', site: null },
        ...{ ...NO_PRICES, input: '0.14', output: '0.28', cache_input: '0.0028' },
      },
      ...{ context_window: 1_000_000, max_output_tokens: null },
    },
  ],
};

const presets = operation({
  ...OPERATORS,
  name: 'vendors.presets',
  id: 'listVendorPresets',
  method: 'GET',
  path: '/vendor-presets',
  tag: 'Catalogue',
  title: 'List vendor presets',
  summary: 'Well-known vendors: addresses, quirks, models and list prices, to fill in a form.',
  query: Type.Object({
    rate: Type.Optional({ ...DECIMAL, description: 'Yuan for a dollar. Default: TOLLGATE_YUAN_PER_DOLLAR.' }),
    margin: Type.Optional({ ...DECIMAL, description: 'Factor on list prices. Default: 1.' }),
  }),
  data: Type.Array(PRESET),
  example: { data: [EXAMPLE] },
  handle: ({ query }, { config }) => {
    const terms = { rate: query.rate ?? config.yuanPerDollar, margin: query.margin ?? AT_LIST_PRICE };
    return Promise.resolve(data(vendorPresets().map((preset) => shownPreset(preset, terms))));
  },
});

export const presetOperations: readonly Operation[] = [presets];
