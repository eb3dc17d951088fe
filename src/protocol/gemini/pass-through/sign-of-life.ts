import type { ClientHeaders, Framing } from '../../dialect.ts';

/**
 * Google itself ends some streams with this: a chunk without text. Google's SDKs read only events with data:
 * a comment or a blank line ends the stream for the Go SDK and the older JavaScript SDK. They also drop a
 * whole turn from the chat history after a chunk without a candidate, content or part.
 */
const EMPTY_CHUNK = Buffer.from(
  'data: {"candidates":[{"content":{"parts":[{"text":""}],"role":"model"},"index":0}]}\n\n',
);

/**
 * `@google/generative-ai`, alone and inside LangChain, is the opposite: an empty part drops the turn and
 * makes LangChain count the usage twice. A chunk without candidates is ignored.
 */
const NO_CANDIDATES = Buffer.from('data: {"candidates":[]}\n\n');
const OLD_SDK = 'genai-js/';

/** Between the elements of an array any JSON reader skips white space. */
const WHITE_SPACE = Buffer.from('\n');

/** A keep-alive for a Google client, between two chunks. */
export function signOfLife(framing: Framing, headers: ClientHeaders): Buffer {
  if (framing === 'json-array') return WHITE_SPACE;
  return String(headers['x-goog-api-client'] ?? '').includes(OLD_SDK) ? NO_CANDIDATES : EMPTY_CHUNK;
}
