import type { IncomingMessage, ServerResponse } from 'node:http';
import { discardBody } from './body.ts';
import { CORS_HEADER_NAMES_CHARS_MAX } from './bounds.ts';

/**
 * The origins whose pages may read answers (TOLLGATE_CORS_ORIGINS). A page authenticates with a key or token
 * that it sends, never with a cookie: `access-control-allow-credentials` is on no answer, so a browser shows
 * no answer to a request with the console's login.
 */
export interface Cors {
  /** True: the request was a preflight and is answered. */
  answer(request: IncomingMessage, response: ServerResponse): boolean;
}

export interface CorsParts {
  /** In the form of browsers, `null` among them, or `*`. */
  readonly origins: readonly string[];
  /** Paths that `*` and `null` do not open: only a named origin may read them. */
  isGuarded(url: string): boolean;
}

const METHODS = 'GET, HEAD, POST, PUT, DELETE';
/** Headers that old browsers do not read from `*`. */
const EXPOSED = [
  ...['x-request-id', 'request-id', 'retry-after', 'x-should-retry', 'x-tollgate-model', 'x-tollgate-route'],
  ...['x-tollgate-attempts', 'x-tollgate-dropped', 'x-tollgate-limit', 'x-tollgate-estimated'],
  ...['x-tollgate-max-output-tokens', '*'],
].join(', ');
/** Browsers have a maximum: two hours in Chromium. */
const PREFLIGHT_SECONDS = '7200';
const HEADER_NAMES = /^[\w!#$%&'*+.^`|~-]+(?: *, *[\w!#$%&'*+.^`|~-]+)*$/;

/** Undefined: no origin is configured, and answers have no CORS headers. */
export function createCors({ origins, isGuarded }: CorsParts): Cors | undefined {
  if (origins.length === 0) return undefined;
  const named = new Set(origins);
  const anybody = named.delete('*');
  return {
    answer: (request, response) => {
      const { method, url = '/', headers } = request;
      const { origin } = headers;
      // Also on answers without an origin: a cache must not give one page the answer for another.
      response.setHeader('vary', 'origin');
      if (origin === undefined) return false;
      // Any page can send `null`, for example from a sandboxed frame: it opens no more than `*`.
      if (named.has(origin) && (origin !== 'null' || !isGuarded(url)))
        response.setHeader('access-control-allow-origin', origin);
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

/** Sent before a key is, so answered without one. The request itself is checked like any other. */
function answerPreflight(request: IncomingMessage, response: ServerResponse): void {
  discardBody(request, response);
  const asked = request.headers['access-control-request-headers'] ?? '';
  // `*` would not include `authorization`. Vendors' SDKs send further headers, so all are allowed.
  const isGood = asked.length <= CORS_HEADER_NAMES_CHARS_MAX && HEADER_NAMES.test(asked);
  if (isGood) response.setHeader('access-control-allow-headers', asked);
  response.setHeader('vary', 'origin, access-control-request-headers');
  response.setHeader('access-control-allow-methods', METHODS);
  response.setHeader('access-control-max-age', PREFLIGHT_SECONDS);
  response.writeHead(204).end();
}
