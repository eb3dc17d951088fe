import type { Model } from '../../catalog/contract.ts';
import { isEmbeddingProtocol } from '../admit/route-protocols.ts';
import { endpointsOf } from './model-endpoints.ts';

/** The vendor whose list format the client expects. */
export type ListStyle = 'openai' | 'anthropic' | 'google';

/** The default page sizes of Anthropic and Google, and the largest page size of both. */
const ANTHROPIC_PAGE = 20;
const GOOGLE_PAGE = 50;
const PAGE_MAX = 1_000;

/** Anthropic documents the epoch for an unknown date. */
const UNKNOWN_DATE_MS = 0;

/** One model as an entry of the list. It has the same form when it is requested alone. */
export function describeModel(style: ListStyle, model: Model): object {
  if (style === 'openai') return openaiModel(model);
  return style === 'anthropic' ? anthropicModel(model) : googleModel(model);
}

/**
 * A list of models, ordered by id. A page is named by the id before it, so it is correct even if the
 * catalogue has changed since the previous page.
 */
export function listModels(style: ListStyle, models: readonly Model[], query: URLSearchParams): object {
  if (style === 'openai') return { object: 'list', data: models.map(openaiModel) };
  return style === 'anthropic' ? anthropicPage(models, query) : googlePage(models, query);
}

function openaiModel(model: Model): object {
  const { modelId, routes, createdAtMs = UNKNOWN_DATE_MS } = model;
  return {
    id: modelId,
    object: 'model',
    created: Math.floor(createdAtMs / 1_000),
    owned_by: routes.find(({ status }) => status === 'enabled')?.vendor.code ?? '',
    supported_endpoints: endpointsOf(model),
  };
}

/** Unknown values are null, as in the vendor's own list. */
function anthropicModel(model: Model): object {
  const { modelId, name, contextWindow, maxOutputTokens, createdAtMs = UNKNOWN_DATE_MS } = model;
  return {
    type: 'model',
    id: modelId,
    display_name: name,
    created_at: new Date(createdAtMs).toISOString().replace(/\.\d+/, ''),
    max_input_tokens: contextWindow ?? null,
    max_tokens: maxOutputTokens ?? null,
    capabilities: null,
    lifecycle: 'active',
    line: null,
    deprecated_at: null,
    retires_at: null,
  };
}

function googleModel({ modelId, name, contextWindow, maxOutputTokens, routes }: Model): object {
  return {
    name: `models/${modelId}`,
    displayName: name,
    ...(contextWindow === undefined ? {} : { inputTokenLimit: contextWindow }),
    ...(maxOutputTokens === undefined ? {} : { outputTokenLimit: maxOutputTokens }),
    supportedGenerationMethods: routes.every(({ protocols }) => protocols.every(isEmbeddingProtocol))
      ? ['embedContent', 'batchEmbedContents']
      : ['generateContent', 'streamGenerateContent', 'countTokens'],
  };
}

function anthropicPage(models: readonly Model[], query: URLSearchParams): object {
  const size = pageSize(query.get('limit'), ANTHROPIC_PAGE);
  const before = query.get('before_id');
  const after = query.get('after_id') ?? '';
  const rest = models.filter(({ modelId }) => (before === null ? modelId > after : modelId < before));
  const page = before === null ? rest.slice(0, size) : rest.slice(-size);
  return {
    data: page.map(anthropicModel),
    has_more: rest.length > page.length,
    first_id: page[0]?.modelId ?? null,
    last_id: page.at(-1)?.modelId ?? null,
  };
}

function googlePage(models: readonly Model[], query: URLSearchParams): object {
  const size = pageSize(query.get('pageSize') ?? query.get('page_size'), GOOGLE_PAGE);
  const token = query.get('pageToken') ?? query.get('page_token') ?? '';
  const after = Buffer.from(token, 'base64url').toString('utf8');
  const rest = models.filter(({ modelId }) => modelId > after);
  const page = rest.slice(0, size);
  const last = page.at(-1);
  const nextPageToken = Buffer.from(last?.modelId ?? '').toString('base64url');
  return { models: page.map(googleModel), ...(rest.length > page.length ? { nextPageToken } : {}) };
}

/**
 * An invalid size means the default, and a size above the maximum means the maximum: no request fails here.
 */
function pageSize(asked: string | null, usual: number): number {
  const size = Number(asked ?? '');
  if (!Number.isInteger(size) || size <= 0) return usual;
  return Math.min(size, PAGE_MAX);
}
