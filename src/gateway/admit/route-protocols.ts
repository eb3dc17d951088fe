import type { Route } from '../../catalog/contract.ts';
import type { Protocol } from '../../kernel/protocol-name.ts';
import type { RequestFacts } from '../../protocol/dialect.ts';
import type { GeneratingProtocol, TextProtocol } from '../../protocol/hub/protocol.ts';
import type { HubRequest } from '../../protocol/hub/request.ts';

/**
 * The protocols that a client's protocol is converted to, best first. Responses comes before Chat Completions
 * because it carries reasoning.
 */
const PREFERENCE: Readonly<Record<TextProtocol, readonly TextProtocol[]>> = {
  chat: ['responses', 'messages', 'gemini'],
  responses: ['chat', 'messages', 'gemini'],
  messages: ['responses', 'chat', 'gemini'],
  gemini: ['responses', 'chat', 'messages'],
};

export function isTextProtocol(protocol: Protocol): protocol is TextProtocol {
  return Object.hasOwn(PREFERENCE, protocol);
}

export function isGeneratingProtocol(protocol: Protocol): protocol is GeneratingProtocol {
  return protocol === 'completions' || isTextProtocol(protocol);
}

/** The protocol by whose rules the length of an answer is limited: a completion is as long as a chat's. */
export function lengthRules(protocol: GeneratingProtocol): TextProtocol {
  return protocol === 'completions' ? 'chat' : protocol;
}

export type EmbeddingProtocol = Extract<Protocol, 'embeddings' | 'gemini-embeddings'>;

/** The form of embeddings that a client's form is converted to. */
export const OTHER_EMBEDDINGS: Readonly<Record<EmbeddingProtocol, EmbeddingProtocol>> = {
  embeddings: 'gemini-embeddings',
  'gemini-embeddings': 'embeddings',
};

export function isEmbeddingProtocol(protocol: Protocol): protocol is EmbeddingProtocol {
  return Object.hasOwn(OTHER_EMBEDDINGS, protocol);
}

/** Whether a route can serve clients of this protocol, directly or by conversion. */
export function canServe(route: Route, protocol: Protocol): boolean {
  if (route.protocols.includes(protocol)) return true;
  if (isEmbeddingProtocol(protocol)) return route.protocols.includes(OTHER_EMBEDDINGS[protocol]);
  if (protocol === 'images') return hasImageModels(route);
  return isTextProtocol(protocol) && PREFERENCE[protocol].some((one) => route.protocols.includes(one));
}

/** Of the text protocols, only Google's has image models. */
function hasImageModels(route: Route): boolean {
  return route.protocols.includes('gemini');
}

/** Whether a route may answer a text call with images. Only Responses has a vendor tool that makes images. */
export function mayMakeImages(route: Route, { imageTool }: Pick<RequestFacts, 'imageTool'>): boolean {
  return hasImageModels(route) || (imageTool === true && route.protocols.includes('responses'));
}

/** The protocols that a converted request can use on this route, best first for this request. */
export function vendorProtocols(route: Route, request: HubRequest): readonly TextProtocol[] {
  const protocols = PREFERENCE[request.client].filter((one) => route.protocols.includes(one));
  if (!wantsChat(request) || !protocols.includes('chat')) return protocols;
  return ['chat', ...protocols.filter((one) => one !== 'chat')];
}

/** Chat Completions has stop sequences, several answers, seeds and audio. Responses has none of them. */
function wantsChat(request: HubRequest): boolean {
  if (request.stop.length > 0 || request.answers > 1 || request.sampling.seed !== undefined) return true;
  return request.turns.some(({ parts }) => parts.some(({ kind }) => kind === 'audio'));
}
