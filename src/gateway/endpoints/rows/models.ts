import type { EndpointRow } from '../row.ts';
import { MODEL, PREFIXES } from './shared.ts';

const OPENAI = { tag: 'Models', of: 'OpenAI' } as const;
const GOOGLE = { tag: 'Models', of: 'Google', note: PREFIXES } as const;
const BELOW = ['/v1/v1beta/models', '/v1alpha/models'] as const;

const RANKED = {
  tag: 'Rerank',
  of: 'Cohere',
  body: { model: MODEL, query: { type: 'string' }, documents: { type: 'array', items: { type: 'string' } } },
  example: { model: 'rerank-v3.5', query: 'Where do boats land?', documents: ['At the pier', 'In the air'] },
} as const;

/** Lists of models, and what models judge. */
export const MODEL_ROWS = {
  listModelsOfKey: {
    method: 'GET',
    path: '/v1/models',
    errors: 'by-client',
    isUnlimited: true,
    alsoHead: true,
    document: {
      ...OPENAI,
      title: 'List models',
      note:
        'Clients of Anthropic and Google, identified by their headers, get the format of their vendor. ' +
        '`supported_endpoints` of a model has the paths that it can be called at.',
    },
  },
  getModelOfKey: {
    method: 'GET',
    path: '/v1/models/{model}',
    errors: 'by-client',
    isUnlimited: true,
    alsoHead: true,
    document: { ...OPENAI, title: 'Get a model' },
  },
  listModelsForGoogle: {
    method: 'GET',
    path: '/v1beta/models',
    errors: 'gemini',
    isUnlimited: true,
    alsoBelow: BELOW,
    alsoHead: true,
    document: {
      ...GOOGLE,
      title: 'List models for clients of Google',
      query: { pageSize: 'Number of models.', pageToken: 'The `nextPageToken` of the page before.' },
    },
  },
  getModelForGoogle: {
    method: 'GET',
    path: '/v1beta/models/{model}',
    errors: 'gemini',
    isUnlimited: true,
    alsoBelow: BELOW,
    alsoHead: true,
    document: { ...GOOGLE, title: 'Get a model for clients of Google' },
  },
  createModeration: {
    method: 'POST',
    path: '/v1/moderations',
    call: { protocol: 'moderations' },
    document: {
      tag: 'Moderations',
      of: 'OpenAI',
      title: 'Create a moderation',
      note: 'Free of charge if the model has no price.',
      optional: 'model',
      body: {
        model: MODEL,
        input: { type: ['string', 'array'], description: 'Texts, or texts and images.' },
      },
      example: { model: 'omni-moderation-latest', input: 'Hello' },
    },
  },
  rerank: {
    method: 'POST',
    path: '/v1/rerank',
    call: { protocol: 'rerank' },
    document: { ...RANKED, title: 'Rank documents' },
  },
  rerankForCohere: {
    method: 'POST',
    path: '/v2/rerank',
    call: { protocol: 'rerank' },
    document: { ...RANKED, title: 'Rank documents for clients of Cohere' },
  },
} as const satisfies Readonly<Record<string, EndpointRow>>;
