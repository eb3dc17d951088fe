import type { Attributes } from '@opentelemetry/api';
import type { Credential, Route } from '../catalog/contract.ts';
import type { Protocol } from '../kernel/protocol-name.ts';
import { inputTokens, outputTokens, type Usage } from '../kernel/usage.ts';
import type { TracedStart } from './contract.ts';

/**
 * The names of OpenTelemetry's conventions for generative AI, as of semantic-conventions-genai in 2026. They
 * are names and figures only: no text of a client or of a model, and no credential.
 */

/** The conventions have no names for moderations and reranking; these are ours. */
const OPERATIONS: Readonly<Record<Protocol, string>> = {
  chat: 'chat',
  responses: 'chat',
  messages: 'chat',
  gemini: 'generate_content',
  images: 'generate_content',
  embeddings: 'embeddings',
  'gemini-embeddings': 'embeddings',
  moderations: 'moderations',
  rerank: 'rerank',
  completions: 'text_completion',
  speech: 'generate_content',
  transcriptions: 'generate_content',
  videos: 'generate_content',
};

export function operationOf(protocol: Protocol): string {
  return OPERATIONS[protocol];
}

/** The paths as templates: generateContent has the client's model in its path. */
export function httpRouteOf({ protocol, edit, action, path }: TracedStart['endpoint']): string {
  if (action === 'batch') return protocol === 'messages' ? '/v1/messages/batches' : '/v1/batches';
  switch (protocol) {
    case 'chat':
      return '/v1/chat/completions';
    case 'responses':
      return action === 'compact' ? '/v1/responses/compact' : '/v1/responses';
    case 'messages':
      return '/v1/messages';
    case 'images':
      if (action === 'variation') return '/v1/images/variations';
      return edit ? '/v1/images/edits' : '/v1/images/generations';
    case 'gemini':
      return `/v1beta/models/{model}:${path?.stream ? 'streamGenerateContent' : 'generateContent'}`;
    case 'embeddings':
    case 'moderations':
    case 'rerank':
    case 'completions':
    case 'videos':
      return `/v1/${protocol}`;
    case 'speech':
      return '/v1/audio/speech';
    case 'transcriptions':
      return action === 'translation' ? '/v1/audio/translations' : '/v1/audio/transcriptions';
    case 'gemini-embeddings':
      return `/v1beta/models/{model}:${path?.batch ? 'batchEmbedContents' : 'embedContent'}`;
  }
}

/** The well-known names of providers, by the hosts of their addresses. */
const PROVIDERS: readonly (readonly [host: RegExp, provider: string])[] = [
  [/(?:^|\.)openai\.azure\.com$/, 'azure.ai.openai'],
  [/(?:^|\.)services\.ai\.azure\.com$/, 'azure.ai.inference'],
  [/(?:^|\.)openai\.com$/, 'openai'],
  [/(?:^|\.)anthropic\.com$/, 'anthropic'],
  [/^generativelanguage\.googleapis\.com$/, 'gcp.gemini'],
  [/aiplatform\.googleapis\.com$/, 'gcp.vertex_ai'],
  [/^bedrock.*\.amazonaws\.com$/, 'aws.bedrock'],
  [/(?:^|\.)deepseek\.com$/, 'deepseek'],
  [/(?:^|\.)groq\.com$/, 'groq'],
  [/(?:^|\.)mistral\.ai$/, 'mistral_ai'],
  [/(?:^|\.)moonshot\.(?:ai|cn)$/, 'moonshot_ai'],
  [/(?:^|\.)x\.ai$/, 'x_ai'],
  [/(?:^|\.)perplexity\.ai$/, 'perplexity'],
  [/(?:^|\.)cohere\.(?:ai|com)$/, 'cohere'],
  [/(?:^|\.)ml\.cloud\.ibm\.com$/, 'ibm.watsonx.ai'],
];

/** The same by codes of vendors, for those behind another address. Any other code stands for itself. */
const CODES: Readonly<Record<string, string>> = {
  google: 'gcp.gemini',
  gemini: 'gcp.gemini',
  vertex: 'gcp.vertex_ai',
  bedrock: 'aws.bedrock',
  azure: 'azure.ai.openai',
  mistral: 'mistral_ai',
  moonshot: 'moonshot_ai',
  xai: 'x_ai',
};

export interface Place {
  readonly address: string;
  readonly port: number;
  readonly provider: string;
}

/** Records of the catalogue are immutable, so what follows from one is valid as long as the record. */
const places = new WeakMap<Credential, Place>();

/** Who is asked, and where. Nothing but host and port is taken from the address. */
export function placeOf({ credential, vendor }: Route): Place {
  const known = places.get(credential);
  if (known !== undefined) return known;
  const { protocol, hostname, port } = new URL(credential.baseUrl ?? vendor.baseUrl);
  const standard = protocol === 'http:' ? 80 : 443;
  const place = {
    address: hostname,
    port: port === '' ? standard : Number(port),
    provider: PROVIDERS.find(([host]) => host.test(hostname))?.[1] ?? CODES[vendor.code] ?? vendor.code,
  };
  places.set(credential, place);
  return place;
}

/** The attributes that spans and metrics of an attempt share. */
export function attemptAttributes(route: Route, protocol: Protocol): Attributes {
  const { provider, address, port } = placeOf(route);
  return {
    'gen_ai.operation.name': operationOf(protocol),
    'gen_ai.provider.name': provider,
    'gen_ai.request.model': route.forwardModelId,
    'server.address': address,
    'server.port': port,
  };
}

/** Input includes the cache, and output the reasoning, as the conventions want it. */
export function usageAttributes(usage: Usage): Attributes {
  return {
    'gen_ai.usage.input_tokens': inputTokens(usage),
    'gen_ai.usage.output_tokens': outputTokens(usage),
    'gen_ai.usage.cache_read.input_tokens': usage.cacheRead,
    'gen_ai.usage.cache_creation.input_tokens': usage.cacheWrite,
    'gen_ai.usage.reasoning.output_tokens': usage.outputReasoning,
  };
}

/** What went wrong with an attempt; `undefined` if nothing did, or if the client left. */
export function attemptError(outcome: string): string | undefined {
  return outcome === 'ok' || outcome === 'cut-by-client' ? undefined : outcome;
}

/** The vendor's status, if its head arrived and said one. */
export function attemptStatus(outcome: string): number | undefined {
  if (outcome === 'ok') return 200;
  return /^[1-5]\d\d$/.test(outcome) ? Number(outcome) : undefined;
}
