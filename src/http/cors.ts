import type { IncomingMessage, ServerResponse } from 'node:http';
import { discardBody } from './body.ts';
import { CORS_HEADER_NAMES_CHARS_MAX } from './bounds.ts';

/**
 * Which pages of other origins may read our answers (TOLLGATE_CORS_ORIGINS). A page proves itself with a key
 * or a token that it sends, never with a cookie: `access-control-allow-credentials` is on no answer, so a
 * browser shows nothing that was asked with the console's login.
 */
export interface Cors {
  /** True: the request was a browser's question whether it may ask, and is answered. */
  answer(request: IncomingMessage, response: ServerResponse): boolean;
}

export interface CorsParts {
  /** As browsers write them, or `*`. */
  readonly origins: readonly string[];
  /** Paths of which `*` does not open anything: only an origin that is named may read them. */
  isGuarded(url: string): boolean;
}

const METHODS = 'GET, HEAD, POST, PUT, DELETE';
/** What old browsers do not read from `*`: ours, and how long to wait. */
const EXPOSED = [
  ...['x-request-id', 'request-id', 'retry-after', 'x-should-retry', 'x-tollgate-model', 'x-tollgate-route'],
  ...['x-tollgate-attempts', 'x-tollgate-dropped', 'x-tollgate-limit', 'x-tollgate-estimated'],
  ...['x-tollgate-max-output-tokens', '*'],
].join(', ');
/** Browsers cap it: two hours in Chromium. */
const PREFLIGHT_SECONDS = '7200';
const HEADER_NAMES = /^[\w!#$%&'*+.^`|~-]+(?: *, *[\w!#$%&'*+.^`|~-]+)*$/;

/** Nothing: no origin is named, and no answer says a word about origins. */
export function createCors({ origins, isGuarded }: CorsParts): Cors | undefined {
  if (origins.length === 0) return undefined;
  const named = new Set(origins);
  const anybody = named.delete('*');
  return {
    answer: (request, response) => {
      const { method, url = '/', headers } = request;
      const { origin } = headers;
      // Also on answers to nobody's page: a cache must not give one page what another one was told.
      response.setHeader('vary', 'origin');
      if (origin === undefined) return false;
      if (named.has(origin)) response.setHeader('access-control-allow-origin', origin);
      else if (anybody && !isGuarded(url)) response.setHeader('access-control-allow-origin', '*');
      else return false;
      if (method !== 'OPTIONS' || headers['access-control-request-method'] === undefined) {
        response.setHeader('access-control-expose-headers', EXPOSED);
        return false;
      }
      answerPreflight(request, response);
      return true;
    },
  };
}

/** Asked before a key is sent, so answered without one; the request itself is judged like any other. */
function answerPreflight(request: IncomingMessage, response: ServerResponse): void {
  discardBody(request, response);
  const asked = request.headers['access-control-request-headers'] ?? '';
  // `*` would leave out `authorization`. What a client sends beyond our needs is its vendor's SDK's to know.
  const isGood = asked.length <= CORS_HEADER_NAMES_CHARS_MAX && HEADER_NAMES.test(asked);
  if (isGood) response.setHeader('access-control-allow-headers', asked);
  response.setHeader('vary', 'origin, access-control-request-headers');
  response.setHeader('access-control-allow-methods', METHODS);
  response.setHeader('access-control-max-age', PREFLIGHT_SECONDS);
  response.writeHead(204).end();
}
