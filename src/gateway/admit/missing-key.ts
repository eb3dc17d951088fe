import type { IncomingHttpHeaders } from 'node:http';
import { ERRORS, type Refusal, refuse } from '../../kernel/errors.ts';

export const KEY_CHARS_MAX = 512;

/** Headers of other gateways and vendors in which clients send a key. */
const OTHER_HEADERS = ['x-api-key', 'api-key', 'x-goog-api-key'] as const;

/** Names the header that was found instead of a bearer key, and no part of its value: it may hold a key. */
export function refuseMissingKey(headers: IncomingHttpHeaders): Refusal {
  const { authorization } = headers;
  const found = OTHER_HEADERS.filter((name) => headers[name] !== undefined).map((name) =>
    headers[name] === ''
      ? `The header ${name} is empty, and a key in it is not read`
      : `A key in the header ${name} is not read`,
  );
  if (authorization !== undefined) found.unshift(faultOf(authorization));
  return refuse('apiKeyRequired', { message: [ERRORS.apiKeyRequired.message, ...found].join('. ') });
}

function faultOf(authorization: string): string {
  const [scheme = '', ...words] = authorization.split(' ').filter((word) => word !== '');
  if (scheme === '') return 'The header authorization is empty';
  if (scheme.toLowerCase() !== 'bearer') return 'The header authorization does not begin with "Bearer"';
  const [key] = words;
  if (key === undefined) return 'The header authorization has no key after "Bearer"';
  if (words.length > 1 || /\s/.test(key)) return 'The key in the header authorization contains a space';
  return `The key in the header authorization has more than ${KEY_CHARS_MAX} characters`;
}
