import { decodeSegment } from '../../kernel/encoding/path-segment.ts';
import type { Protocol } from '../../kernel/protocol-name.ts';
import type { RawRequest } from '../../protocol/dialect.ts';
import type { CountProtocol } from '../../protocol/pass-through/count.ts';
import { BATCHES_PATH, type BatchesMatch, matchBatches } from '../batches/batches-endpoint.ts';
import {
  MESSAGE_BATCHES_PATH,
  type MessageBatchesMatch,
  matchMessageBatches,
} from '../batches/message-batches-endpoint.ts';
import { matchVideos, VIDEOS_PATH, type VideosMatch } from '../jobs/videos-endpoint.ts';
import { type ConversationMatch, matchConversation } from './conversations-endpoint.ts';
import { type ModelsMatch, matchModels } from './models-endpoint.ts';
import { matchStored, type StoredMatch } from './stored-responses-endpoint.ts';

/**
 * The paths of the gateway as data (rule I-9). A path is matched once, here. Later decisions use the matched
 * row and never parse the path again.
 */
export interface Endpoint {
  readonly protocol: Protocol;
  /** generateContent has its model and its streaming in the path. */
  readonly path: RawRequest['path'];
  /** Image edits go to the vendor's edits path, whatever the body contains. */
  readonly edit: boolean;
  /** The vendor has a path of its own for this. */
  readonly action?: 'variation' | 'translation' | 'compact' | 'batch';
  /**
   * The query for a vendor of the same protocol, without its `?`. It is built from known parameters only, so
   * that no other parameter can change what the vendor does (Google: `fields`, `alt`, `callback`,
   * `$httpMethod`, `key`).
   */
  readonly query: string;
}

/** Counts the tokens of a request: it has the form of a call, but it is not one. */
export interface CountEndpoint extends Endpoint {
  readonly protocol: CountProtocol;
}

export type EndpointMatch =
  | { readonly kind: 'endpoint'; readonly endpoint: Endpoint }
  | { readonly kind: 'count'; readonly endpoint: CountEndpoint }
  | ModelsMatch
  | StoredMatch
  | VideosMatch
  | BatchesMatch
  | MessageBatchesMatch
  | ConversationMatch
  | { readonly kind: 'method-not-allowed'; readonly allow: string }
  | { readonly kind: 'no-endpoint' };

const NO_ENDPOINT: EndpointMatch = { kind: 'no-endpoint' };
const ONLY_POST: EndpointMatch = { kind: 'method-not-allowed', allow: 'POST' };

export const FIXED = new Map<string, Pick<Endpoint, 'protocol' | 'edit' | 'action'>>([
  ['/v1/chat/completions', { protocol: 'chat', edit: false }],
  ['/v1/responses', { protocol: 'responses', edit: false }],
  ['/v1/responses/compact', { protocol: 'responses', edit: false, action: 'compact' }],
  ['/v1/messages', { protocol: 'messages', edit: false }],
  ['/v1/images/generations', { protocol: 'images', edit: false }],
  ['/v1/images/edits', { protocol: 'images', edit: true }],
  ['/v1/images/variations', { protocol: 'images', edit: true, action: 'variation' }],
  ['/v1/embeddings', { protocol: 'embeddings', edit: false }],
  ['/v1/moderations', { protocol: 'moderations', edit: false }],
  ['/v1/rerank', { protocol: 'rerank', edit: false }],
  ['/v2/rerank', { protocol: 'rerank', edit: false }],
  ['/v1/completions', { protocol: 'completions', edit: false }],
  ['/v1/audio/speech', { protocol: 'speech', edit: false }],
  ['/v1/audio/transcriptions', { protocol: 'transcriptions', edit: false }],
  ['/v1/audio/translations', { protocol: 'transcriptions', edit: false, action: 'translation' }],
  [VIDEOS_PATH, { protocol: 'videos', edit: false }],
  [BATCHES_PATH, { protocol: 'chat', edit: false, action: 'batch' }],
  [MESSAGE_BATCHES_PATH, { protocol: 'messages', edit: false, action: 'batch' }],
]);

/** What is created at these paths is also listed there. */
const LISTED: ReadonlySet<string> = new Set([VIDEOS_PATH, BATCHES_PATH, MESSAGE_BATCHES_PATH]);

export const COUNTS = new Map<string, CountProtocol>([
  ['/v1/messages/count_tokens', 'messages'],
  ['/v1/responses/input_tokens', 'responses'],
]);

/** Google's clients append `/v1beta/models/…` to the base address that they are given. */
const MODEL_PREFIXES = [
  '/v1beta/models/',
  '/v1/v1beta/models/',
  '/v1alpha/models/',
  '/v1/models/',
  '/v1beta/tunedModels/',
] as const;

/** A model id may contain `/`. The action follows the last colon, which may arrive as `%3A`. */
export const MODEL_ACTION =
  /^(.{1,512}):(generateContent|streamGenerateContent|countTokens|embedContent|batchEmbedContents)$/;

export function matchEndpoint(method: string, url: string): EndpointMatch {
  const queryAt = url.indexOf('?');
  const pathname = queryAt === -1 ? url : url.slice(0, queryAt);
  const query = queryAt === -1 ? '' : url.slice(queryAt);
  const fixed = FIXED.get(pathname);
  if (fixed !== undefined && (method === 'POST' || !LISTED.has(pathname))) {
    if (method !== 'POST') return ONLY_POST;
    return {
      kind: 'endpoint',
      endpoint: { ...fixed, path: undefined, query: knownQuery(fixed.protocol, query) },
    };
  }
  const action = readModelAction(pathname, query);
  const counted = action?.counts === true ? 'gemini' : COUNTS.get(pathname);
  if (action === undefined && counted === undefined) {
    return (
      matchModels(method, pathname, query) ??
      matchStored(method, pathname, query) ??
      matchConversation(method, pathname, query) ??
      matchVideos(method, pathname, query) ??
      matchBatches(method, pathname, query) ??
      matchMessageBatches(method, pathname, query) ??
      NO_ENDPOINT
    );
  }
  if (method !== 'POST') return ONLY_POST;
  const rest = { path: action?.path, edit: false };
  if (counted !== undefined) {
    return { kind: 'count', endpoint: { ...rest, protocol: counted, query: knownQuery(counted, query) } };
  }
  const isEvents = action?.path.stream === true && action.path.framing === 'sse';
  const protocol = action?.protocol ?? 'gemini';
  return { kind: 'endpoint', endpoint: { ...rest, protocol, query: isEvents ? EVENTS : '' } };
}

/** Asks Google for server-sent events. */
const EVENTS = 'alt=sse';
/** Claude Code and Anthropic's older SDKs send it with calls that use beta features. */
const BETA = 'beta=true';

function knownQuery(protocol: Protocol, query: string): string {
  if (protocol !== 'messages' || query === '') return '';
  return new URLSearchParams(query).get('beta') === 'true' ? BETA : '';
}

interface ModelAction {
  readonly protocol: Protocol;
  readonly counts: boolean;
  readonly path: NonNullable<RawRequest['path']>;
}

function readModelAction(pathname: string, query: string): ModelAction | undefined {
  const prefix = MODEL_PREFIXES.find((one) => pathname.startsWith(one));
  if (prefix === undefined) return undefined;
  const rest = decodeSegment(pathname.slice(prefix.length));
  const match = rest === undefined ? null : MODEL_ACTION.exec(rest);
  if (match === null) return undefined;
  const [, model = '', action] = match;
  const stream = action === 'streamGenerateContent';
  const asked = new URLSearchParams(query);
  const framing = (asked.get('alt') ?? asked.get('$alt')) === 'sse' ? 'sse' : 'json-array';
  if (action === 'embedContent' || action === 'batchEmbedContents') {
    const batch = action === 'batchEmbedContents' ? { batch: true as const } : {};
    const path = { model, stream: false, framing: 'sse' as const, ...batch };
    return { protocol: 'gemini-embeddings', counts: false, path };
  }
  return { protocol: 'gemini', counts: action === 'countTokens', path: { model, stream, framing } };
}
