import type { IncomingHttpHeaders } from 'node:http';
import { ERRORS, type Refusal, refuse } from '../../kernel/errors.ts';
import type { Protocol } from '../../kernel/protocol-name.ts';
import { findEndpoint } from './find.ts';

const PATH_CHARS_MAX = 200;
/** A longer path is a mistake of another kind. */
const MEANT_CHARS_MAX = 1_024;
const DOUBLED = /^\/(v1|v1beta|v1alpha)\/\1(?:\/|$)/;
/**
 * Paths that vendors serve below their versions, and first segments of paths that arrive without a version.
 */
const VERSIONED = /^(?:\/upload)?\/(?:v1|v2|v1beta|v1alpha|v1\/v1beta)\/./;
const GOOGLE =
  /^\/(?:upload\/|v1\/)?(?:v1beta|v1alpha)(?:\/|$)|^\/(?:v1\/)?models\/[^/]+(?::|%3A)[a-zA-Z]+$/i;
const ANTHROPIC = /^(?:\/v1)?(?:\/v1)?\/(?:messages|complete)(?:\/|$)/;
const RESOURCES: ReadonlySet<string> = new Set([
  ...['chat', 'responses', 'messages', 'images', 'models', 'completions', 'complete', 'embeddings', 'audio'],
  ...['files', 'uploads', 'batches', 'moderations', 'fine_tuning', 'assistants', 'threads', 'realtime'],
  ...['vector_stores', 'videos', 'conversations', 'containers', 'evals', 'skills', 'rerank', 'graders'],
  'cachedContents',
]);

/** The refusal of an unknown path, in the form that the SDK of that path reads. */
export interface UnknownPath {
  readonly refusal: Refusal;
  readonly protocol: Protocol | undefined;
}

/** Rule I-10: a wrong base address shows as a doubled or missing `/v1`. */
export function unknownPath(method: string, url: string, headers: IncomingHttpHeaders): UnknownPath {
  const path = url.split('?', 1)[0] ?? '/';
  const message = isWebSocket(headers) ? noWebSocket(path) : hint(method, path);
  const meant = meantPath(method, path) ?? path;
  return { refusal: refuse('pathUnknown', { message }), protocol: guessProtocol(meant, headers) };
}

/** A client that begins a WebSocket, for example OpenAI's Realtime. It sends no further request. */
export function isWebSocket({ upgrade }: IncomingHttpHeaders): boolean {
  return upgrade?.toLowerCase() === 'websocket';
}

function noWebSocket(path: string): string {
  return `Unknown path: Tollgate serves no WebSocket, not at ${printed(path)} nor elsewhere`;
}

/**
 * The protocol of the client: by the path, and for shared paths by headers that only one vendor's clients
 * send.
 */
export function guessProtocol(path: string, headers: IncomingHttpHeaders): Protocol | undefined {
  if (GOOGLE.test(path)) return 'gemini';
  if (ANTHROPIC.test(path) || headers['anthropic-version'] !== undefined) return 'messages';
  return headers['x-goog-api-key'] === undefined ? undefined : 'gemini';
}

function printed(path: string): string {
  return path.slice(0, PATH_CHARS_MAX).replace(/[^\x21-\x7e]/g, '?');
}

function hint(method: string, path: string): string {
  const printable = printed(path);
  const [, doubled] = DOUBLED.exec(path) ?? [];
  if (doubled !== undefined) {
    return `Unknown path ${printable}: /${doubled} is doubled; use a base address without /${doubled}`;
  }
  const missing = missingVersion(path);
  if (missing !== undefined) {
    return `Unknown path ${printable}: ${missing} is missing; use a base address with ${missing}`;
  }
  if (path.endsWith('/') && isOurs(method, path.slice(0, -1))) {
    return `Unknown path ${printable}: leave out the slash at its end`;
  }
  const meant = meantPath(method, path);
  if (meant !== undefined) {
    return `Unknown path ${printable}: here it is ${printed(meant)}; correct the base address`;
  }
  if (VERSIONED.test(path)) return `Unknown path: Tollgate does not serve ${printable}`;
  return `${ERRORS.pathUnknown.message} (${printable})`;
}

function missingVersion(path: string): '/v1' | '/v1beta' | undefined {
  const [, first = ''] = path.split('/', 2);
  if (!RESOURCES.has(first)) return undefined;
  return GOOGLE.test(path) || first === 'cachedContents' ? '/v1beta' : '/v1';
}

/** Other products serve the same paths below names of their own: `/openai/v1`, `/anthropic/v1`. */
const SEGMENTS_BEFORE_MAX = 4;

/** The path that the client means, if slashes are doubled in it or something stands before it. */
function meantPath(method: string, path: string): string | undefined {
  if (path.length > MEANT_CHARS_MAX) return undefined;
  const segments = path.split('/').filter((segment) => segment !== '');
  for (let left = 0; left <= Math.min(SEGMENTS_BEFORE_MAX, segments.length); left++) {
    const rest = `/${segments.slice(left).join('/')}`;
    if (rest !== path && isOurs(method, rest)) return rest;
    // Google's base address for clients of OpenAI ends so.
    if (segments[left - 1] === 'openai' && isOurs(method, `/v1${rest}`)) return `/v1${rest}`;
  }
  return undefined;
}

function isOurs(method: string, path: string): boolean {
  return findEndpoint(method, path).kind !== 'no-endpoint';
}
