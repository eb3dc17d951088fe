import type { ClientHeaders, Framing } from '../../dialect.ts';

/**
 * What Google itself ends some streams with: a chunk without words. Google's SDKs read nothing but events
 * with data (a comment or a blank line ends the stream for those of Go and for the older one of JavaScript),
 * and they drop a whole turn from the history of a chat for a chunk without a candidate, content or part.
 */
const EMPTY_CHUNK = Buffer.from(
  'data: {"candidates":[{"content":{"parts":[{"text":""}],"role":"model"},"index":0}]}\n\n',
);

/**
 * `@google/generative-ai`, alone and inside of LangChain, is the other way round: an empty part drops the
 * turn and makes LangChain count the usage twice; a chunk without candidates is passed over.
 */
const NO_CANDIDATES = Buffer.from('data: {"candidates":[]}\n\n');
const OLD_SDK = 'genai-js/';

/** Between the elements of an array any reader of JSON passes over white space. */
const WHITE_SPACE = Buffer.from('\n');

/** Tells a Google client, between two chunks, that its stream lives. */
export function signOfLife(framing: Framing, headers: ClientHeaders): Buffer {
  if (framing === 'json-array') return WHITE_SPACE;
  return String(headers['x-goog-api-client'] ?? '').includes(OLD_SDK) ? NO_CANDIDATES : EMPTY_CHUNK;
}
