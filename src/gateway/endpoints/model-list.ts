import type { Model } from '../../catalog/contract.ts';

/** Whose list of models a client expects. */
export type ListStyle = 'openai' | 'anthropic' | 'google';

/** Anthropic's and Google's page sizes when none is asked for, and the largest that both of them give. */
const ANTHROPIC_PAGE = 20;
const GOOGLE_PAGE = 50;
const PAGE_MAX = 1_000;

/** The catalogue has no dates of models. Anthropic documents the epoch for a date that is not known. */
const CREATED_SECONDS = 0;
const CREATED_AT = '1970-01-01T00:00:00Z';

/** One model as an entry of such a list, which is also how it is shown alone. */
export function describeModel(style: ListStyle, model: Model): object {
  if (style === 'openai') return openaiModel(model);
  return style === 'anthropic' ? anthropicModel(model) : googleModel(model);
}

/**
 * A list of models. They come in the order of their ids, and pages are named by the id they follow: so a page
 * is right also when the catalogue changed since the one before it.
 */
export function listModels(style: ListStyle, models: readonly Model[], query: URLSearchParams): object {
  if (style === 'openai') return { object: 'list', data: models.map(openaiModel) };
  return style === 'anthropic' ? anthropicPage(models, query) : googlePage(models, query);
}

function openaiModel({ modelId, routes }: Model): object {
  const owner = routes.find(({ status }) => status === 'enabled')?.vendor.code ?? '';
  return { id: modelId, object: 'model', created: CREATED_SECONDS, owned_by: owner };
}

/** What we do not know of a model is null, as the vendor has it for models of its own. */
function anthropicModel({ modelId, name, contextWindow, maxOutputTokens }: Model): object {
  return {
    type: 'model',
    id: modelId,
    display_name: name,
    created_at: CREATED_AT,
    max_input_tokens: contextWindow ?? null,
    max_tokens: maxOutputTokens ?? null,
    capabilities: null,
    lifecycle: 'active',
    line: null,
    deprecated_at: null,
    retires_at: null,
  };
}

function googleModel({ modelId, name, contextWindow, maxOutputTokens }: Model): object {
  return {
    name: `models/${modelId}`,
    displayName: name,
    ...(contextWindow === undefined ? {} : { inputTokenLimit: contextWindow }),
    ...(maxOutputTokens === undefined ? {} : { outputTokenLimit: maxOutputTokens }),
    supportedGenerationMethods: ['generateContent', 'streamGenerateContent', 'countTokens'],
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

/** A size that is none is the usual one, and one beyond the bound is the bound: nobody has to fail here. */
function pageSize(asked: string | null, usual: number): number {
  const size = Number(asked ?? '');
  if (!Number.isInteger(size) || size <= 0) return usual;
  return Math.min(size, PAGE_MAX);
}
