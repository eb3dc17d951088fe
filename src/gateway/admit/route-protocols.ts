import type { Route } from '../../catalog/contract.ts';
import type { Protocol } from '../../kernel/protocol-name.ts';
import type { RequestFacts } from '../../protocol/dialect.ts';
import type { TextProtocol } from '../../protocol/hub/protocol.ts';
import type { HubRequest } from '../../protocol/hub/request.ts';

/**
 * What a client's protocol is converted into, best first, where a vendor speaks several: Responses carries
 * reasoning, which Chat Completions does not.
 */
const PREFERENCE: Readonly<Record<TextProtocol, readonly TextProtocol[]>> = {
  chat: ['responses', 'messages', 'gemini'],
  responses: ['chat', 'messages', 'gemini'],
  messages: ['responses', 'chat', 'gemini'],
  gemini: ['responses', 'chat', 'messages'],
};

export function isTextProtocol(protocol: Protocol): protocol is TextProtocol {
  return protocol !== 'images';
}

/** Whether a route can serve clients of a protocol at all: in their own, or by conversion. */
export function canServe(route: Route, protocol: Protocol): boolean {
  if (route.protocols.includes(protocol)) return true;
  if (protocol === 'images') return hasImageModels(route);
  return PREFERENCE[protocol].some((one) => route.protocols.includes(one));
}

/** Of the text protocols only Google's has models that paint. */
function hasImageModels(route: Route): boolean {
  return route.protocols.includes('gemini');
}

/** Whether a route may answer a text call with pictures; only Responses hosts a tool that makes them. */
export function mayPaint(route: Route, { imageTool }: Pick<RequestFacts, 'imageTool'>): boolean {
  return hasImageModels(route) || (imageTool === true && route.protocols.includes('responses'));
}

/** What a route can be asked in when the request must be converted, best first for this request. */
export function speakable(route: Route, request: HubRequest): readonly TextProtocol[] {
  const spoken = PREFERENCE[request.client].filter((one) => route.protocols.includes(one));
  if (!wantsChat(request) || !spoken.includes('chat')) return spoken;
  return ['chat', ...spoken.filter((one) => one !== 'chat')];
}

/** Chat Completions has stop sequences, several answers, seeds and sound; Responses has none of them. */
function wantsChat(request: HubRequest): boolean {
  if (request.stop.length > 0 || request.answers > 1 || request.sampling.seed !== undefined) return true;
  return request.turns.some(({ parts }) => parts.some(({ kind }) => kind === 'audio'));
}
