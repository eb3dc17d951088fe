import type { Protocol } from '../kernel/protocol-name.ts';
import type { RawRequest } from '../protocol/dialect.ts';
import { matchStored, type StoredMatch } from './stored-endpoint.ts';

/**
 * The paths of the gateway as data (spec 4.1, decisions.md 9). A path is matched once, here; what is decided
 * about a request hangs on the row found, never on another reading of the path.
 */
export interface Endpoint {
  readonly protocol: Protocol;
  /** generateContent carries its model and its streaming in the path. */
  readonly path: RawRequest['path'];
  /** Image edits of a client go to the vendor's edits path, whatever the body holds. */
  readonly edit: boolean;
  /** The query string with its `?`, or nothing. */
  readonly query: string;
}

export type EndpointMatch =
  | { readonly kind: 'endpoint'; readonly endpoint: Endpoint }
  | StoredMatch
  | { readonly kind: 'method-not-allowed'; readonly allow: string }
  | { readonly kind: 'no-endpoint' };

const NO_ENDPOINT: EndpointMatch = { kind: 'no-endpoint' };
const ONLY_POST: EndpointMatch = { kind: 'method-not-allowed', allow: 'POST' };

const FIXED = new Map<string, { readonly protocol: Protocol; readonly edit: boolean }>([
  ['/v1/chat/completions', { protocol: 'chat', edit: false }],
  ['/v1/responses', { protocol: 'responses', edit: false }],
  ['/v1/messages', { protocol: 'messages', edit: false }],
  ['/v1/images/generations', { protocol: 'images', edit: false }],
  ['/v1/images/edits', { protocol: 'images', edit: true }],
]);

/** Google's clients append `/v1beta/models/…` to whatever base they are given. */
const MODEL_PREFIXES = [
  '/v1beta/models/',
  '/v1/v1beta/models/',
  '/v1alpha/models/',
  '/v1/models/',
  '/v1beta/tunedModels/',
] as const;

/** A model id may hold `/`; the action stands behind the last colon, which may arrive as `%3A`. */
const MODEL_ACTION = /^(.{1,512}):(generateContent|streamGenerateContent)$/;

export function matchEndpoint(method: string, url: string): EndpointMatch {
  const queryAt = url.indexOf('?');
  const pathname = queryAt === -1 ? url : url.slice(0, queryAt);
  const query = queryAt === -1 ? '' : url.slice(queryAt);
  const fixed = FIXED.get(pathname);
  if (fixed !== undefined) {
    if (method !== 'POST') return ONLY_POST;
    return { kind: 'endpoint', endpoint: { ...fixed, path: undefined, query } };
  }
  const path = readModelPath(pathname, query);
  if (path === undefined) return matchStored(method, pathname, query) ?? NO_ENDPOINT;
  if (method !== 'POST') return ONLY_POST;
  return { kind: 'endpoint', endpoint: { protocol: 'gemini', path, edit: false, query } };
}

function readModelPath(pathname: string, query: string): RawRequest['path'] {
  const prefix = MODEL_PREFIXES.find((one) => pathname.startsWith(one));
  if (prefix === undefined) return undefined;
  let rest: string;
  try {
    rest = decodeURIComponent(pathname.slice(prefix.length));
  } catch {
    return undefined;
  }
  const match = MODEL_ACTION.exec(rest);
  if (match === null) return undefined;
  const [, model = '', action] = match;
  const stream = action === 'streamGenerateContent';
  const framing = new URLSearchParams(query).get('alt') === 'sse' ? 'sse' : 'json-array';
  return { model, stream, framing };
}
