import { isRefusal } from '../../../src/kernel/errors.ts';
import { type Conversion, convertRequest, readClientRequest } from '../../../src/protocol/convert/convert.ts';
import type { TextProtocol } from '../../../src/protocol/hub/protocol.ts';
import { IDENTITY, rawRequest, targetOf } from '../recorded/pass.ts';

// biome-ignore lint/suspicious/noExplicitAny: the wire forms are read as they come
export type Wire = any;

export const PLACE = { city: 'Ulm', country: 'DE' };
export const approximate = { type: 'approximate', ...PLACE };
export const domains = ['a.example'];

/** A search as each client asks for it, with all that it can say. */
export const CLIENTS: Readonly<Record<TextProtocol, object>> = {
  chat: {
    model: 'm',
    messages: [{ role: 'user', content: 'q' }],
    web_search_options: {
      search_context_size: 'low',
      user_location: { type: 'approximate', approximate: PLACE },
    },
  },
  responses: {
    model: 'm',
    input: 'q',
    tools: [
      {
        type: 'web_search',
        search_context_size: 'low',
        user_location: approximate,
        filters: { allowed_domains: domains },
      },
    ],
  },
  messages: {
    model: 'm',
    max_tokens: 99,
    messages: [{ role: 'user', content: 'q' }],
    tools: [
      {
        type: 'web_search_20250305',
        name: 'web_search',
        max_uses: 3,
        allowed_domains: domains,
        user_location: approximate,
      },
    ],
  },
  gemini: { contents: [{ role: 'user', parts: [{ text: 'q' }] }], tools: [{ google_search: {} }] },
};

export const MODELS: Readonly<Record<TextProtocol, string>> = {
  chat: 'gpt-4o-search-preview',
  responses: 'gpt-5',
  messages: 'claude-sonnet-4-5',
  gemini: 'gemini-2.5-flash',
};

export function converted(
  client: TextProtocol,
  body: object,
  vendor: TextProtocol,
  model: string,
): Conversion {
  const read = readClientRequest(client, rawRequest(client, body, false));
  if (isRefusal(read)) throw new Error(read.message);
  const conversion = convertRequest(read, targetOf(vendor, model), IDENTITY);
  if (isRefusal(conversion)) throw new Error(conversion.message);
  return conversion;
}
