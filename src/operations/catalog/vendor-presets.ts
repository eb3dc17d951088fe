import { type ModelRow, OFFERS } from '../../catalog/default.ts';
import { PROTOCOLS, type Protocol } from '../../kernel/protocol-name.ts';
import { nullable, SHOWN_AMOUNT } from '../fields.ts';
import { data, type Operation, operation } from '../operation.ts';
import { OPERATORS } from '../operator.ts';
import { Type } from '../schema.ts';

interface Address {
  readonly protocols: readonly Protocol[];
  readonly base_url: string;
}

interface Preset {
  readonly code: string;
  readonly name: string;
  readonly addresses: readonly Address[];
  /** Where its keys are made. */
  readonly keys_url: string | null;
  readonly needs_key: boolean;
}

/** Vendors that the default catalogue has not. A vendor has one address, so some are to be made twice. */
const OTHERS: readonly Preset[] = [
  preset('deepseek', 'DeepSeek', 'https://platform.deepseek.com/api_keys', [
    { protocols: ['chat'], base_url: 'https://api.deepseek.com/v1' },
    { protocols: ['messages'], base_url: 'https://api.deepseek.com/anthropic' },
  ]),
  preset('openrouter', 'OpenRouter', 'https://openrouter.ai/settings/keys', [
    { protocols: ['chat'], base_url: 'https://openrouter.ai/api/v1' },
  ]),
  preset('alibaba', 'Alibaba Model Studio', 'https://bailian.console.aliyun.com/?tab=model#/api-key', [
    { protocols: ['chat'], base_url: 'https://dashscope.aliyuncs.com/compatible-mode/v1' },
  ]),
  preset('moonshot', 'Moonshot', 'https://platform.moonshot.cn/console/api-keys', [
    { protocols: ['chat'], base_url: 'https://api.moonshot.cn/v1' },
    { protocols: ['messages'], base_url: 'https://api.moonshot.cn/anthropic' },
  ]),
  preset('zhipu', 'Zhipu', 'https://open.bigmodel.cn/usercenter/apikeys', [
    { protocols: ['chat'], base_url: 'https://open.bigmodel.cn/api/paas/v4' },
    { protocols: ['messages'], base_url: 'https://open.bigmodel.cn/api/anthropic' },
  ]),
  {
    ...preset('ollama', 'Ollama', null, [{ protocols: ['chat'], base_url: 'http://127.0.0.1:11434/v1' }]),
    needs_key: false,
  },
];

const KEYS: Readonly<Record<string, string>> = {
  openai: 'https://platform.openai.com/api-keys',
  anthropic: 'https://console.anthropic.com/settings/keys',
  google: 'https://aistudio.google.com/apikey',
};

function preset(code: string, name: string, keysUrl: string | null, addresses: readonly Address[]): Preset {
  return { code, name, addresses, keys_url: keysUrl, needs_key: true };
}

const HEADERS: Readonly<Record<Protocol, string>> = {
  ...{ chat: 'authorization', responses: 'authorization', images: 'authorization' },
  ...{ messages: 'x-api-key', gemini: 'x-goog-api-key' },
  ...{ embeddings: 'authorization', 'gemini-embeddings': 'x-goog-api-key' },
};

const PROTOCOL = Type.Union(PROTOCOLS.map((name) => Type.Literal(name)));
const PRICE = nullable(SHOWN_AMOUNT);
const PRESET = Type.Object({
  ...{ code: Type.String(), name: Type.String(), icon: Type.String() },
  addresses: Type.Array(
    Type.Object({
      protocols: Type.Array(PROTOCOL),
      base_url: Type.String(),
      auth_header: Type.String({ description: 'The header that carries the key.' }),
    }),
    { description: 'A vendor of the catalogue has one of them.' },
  ),
  keys_url: nullable(Type.String({ description: 'Where the vendor’s keys are made.' })),
  needs_key: Type.Boolean({ description: 'False: any text serves as the secret.' }),
  models: Type.Array(
    Type.Object({
      ...{ model_id: Type.String(), name: Type.String() },
      prices: Type.Object({
        input: PRICE,
        output: PRICE,
        cache_input: PRICE,
        cache_write: PRICE,
        image: PRICE,
      }),
      ...{ context_window: nullable(Type.Integer()), max_output_tokens: nullable(Type.Integer()) },
    }),
    { description: 'Those of the default catalogue, in yuan per million tokens. Often empty.' },
  ),
});

const PRESETS: readonly object[] = [
  ...OFFERS.map(({ vendor, models }) => ({
    ...{ code: vendor.code, name: vendor.name, keys_url: KEYS[vendor.code] ?? null, needs_key: true },
    addresses: [{ protocols: vendor.protocols, base_url: vendor.baseUrl }],
    models: models.map(shownModel),
  })),
  ...OTHERS.map((each) => ({ ...each, models: [] })),
].map((each) => ({
  ...each,
  icon: each.code,
  addresses: each.addresses.map((address) => ({
    ...address,
    auth_header: HEADERS[address.protocols[0] ?? 'chat'],
  })),
}));

function shownModel({ modelId, name, contextWindow, maxOutputTokens, ...prices }: ModelRow): object {
  const { input = null, output = null, cache_input = null, cache_write = null, image = null } = prices;
  return {
    ...{ model_id: modelId, name, prices: { input, output, cache_input, cache_write, image } },
    ...{ context_window: contextWindow ?? null, max_output_tokens: maxOutputTokens ?? null },
  };
}

const presets = operation({
  ...OPERATORS,
  name: 'vendors.presets',
  method: 'GET',
  path: '/vendor-presets',
  tag: 'Catalogue',
  title: 'List vendor presets',
  summary: 'Well-known vendors with their addresses and protocols, to fill in a form.',
  data: Type.Array(PRESET),
  example: {
    data: [
      {
        ...{ code: 'deepseek', name: 'DeepSeek', icon: 'deepseek' },
        addresses: [
          { protocols: ['chat'], base_url: 'https://api.deepseek.com/v1', auth_header: 'authorization' },
        ],
        ...{ keys_url: 'https://platform.deepseek.com/api_keys', needs_key: true, models: [] },
      },
    ],
  },
  handle: () => Promise.resolve(data(PRESETS)),
});

export const presetOperations: readonly Operation[] = [presets];
