import type { IncomingHttpHeaders } from 'node:http';
import { anthropicError } from './anthropic/error.ts';
import { googleError, googleKeyInvalid } from './google/error.ts';
import type { Vendor } from './models.ts';
import { openaiError } from './openai/error.ts';
import type { Reply } from './request/ask.ts';

/** A key is good when it is the configured one, or that one with `-anything` behind it: many credentials. */
export type Keys = Readonly<Record<Vendor, string>>;

export const DEFAULT_KEYS: Keys = {
  openai: 'sk-sim-openai',
  anthropic: 'sk-sim-anthropic',
  google: 'sk-sim-google',
};

export interface Presented {
  readonly headers: IncomingHttpHeaders;
  readonly query: URLSearchParams;
}

export function presentedKey(vendor: Vendor, presented: Presented): string {
  const { headers, query } = presented;
  const bearer = /^Bearer (.{1,1000})$/.exec(headers.authorization ?? '')?.[1] ?? '';
  switch (vendor) {
    case 'openai':
      return bearer;
    case 'anthropic':
      return first(headers['x-api-key']) ?? bearer;
    case 'google':
      return first(headers['x-goog-api-key']) ?? query.get('key') ?? '';
  }
}

/** Nothing when the key opens the door, else the vendor's own refusal. */
export function refuseKey(vendor: Vendor, key: string, keys: Keys): Reply | undefined {
  const expected = keys[vendor];
  if (key === expected || key.startsWith(`${expected}-`)) return undefined;
  switch (vendor) {
    case 'openai':
      return key === '' ? openaiKeyMissing() : openaiKeyWrong(key);
    case 'anthropic':
      return anthropicError(401, key === '' ? 'x-api-key header is required' : 'invalid x-api-key');
    case 'google':
      return key === ''
        ? googleError(
            403,
            "Method doesn't allow unregistered callers (callers without established identity). " +
              'Please use API Key or other form of API consumer identity to call this API.',
          )
        : googleKeyInvalid();
  }
}

function first(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

function openaiKeyMissing(): Reply {
  return challenge(
    openaiError(401, {
      message:
        "You didn't provide an API key. You need to provide your API key in an Authorization header using " +
        'Bearer auth (i.e. Authorization: Bearer YOUR_KEY). You can obtain an API key from ' +
        'https://platform.openai.com/account/api-keys.',
    }),
  );
}

function openaiKeyWrong(key: string): Reply {
  const shown = key.length > 12 ? `${key.slice(0, 8)}${'*'.repeat(4)}${key.slice(-4)}` : key;
  return challenge(
    openaiError(401, {
      message:
        `Incorrect API key provided: ${shown}. You can find your API key at ` +
        'https://platform.openai.com/account/api-keys.',
      code: 'invalid_api_key',
    }),
  );
}

function challenge(reply: Reply): Reply {
  return { ...reply, headers: { ...reply.headers, 'www-authenticate': 'Bearer realm="OpenAI API"' } };
}
