import { sameBytes } from '../bytes/paths.ts';
import { decodeText } from '../bytes/text.ts';
import type { ByteRange } from '../dialect.ts';

/**
 * Tools that the vendor runs add input: their descriptions, and what they find while the answer is produced.
 * These are upper figures of recorded calls, by the beginning of the tool's type. The first match counts.
 */
const TOKENS: readonly (readonly [beginning: string, tokens: number])[] = [
  ['web_search_preview', 9_000],
  ['web_search', 35_000],
  ['openrouter:web_search', 35_000],
  ['web_fetch', 20_000],
  ['x_search', 20_000],
  ['code_execution', 11_000],
  ['code_interpreter', 4_000],
  ['file_search', 16_000],
  ['tool_search', 1_500],
  ['mcp', 4_000],
  ['advisor', 2_500],
  ['memory', 1_500],
  ['computer', 2_000],
];
const OTHER_TOKENS = 1_000;
/** Google names a tool by its key and has no types. */
const KEYS: readonly (readonly [key: string, tokens: number])[] = [
  ['googleSearch', 1_000],
  ['google_search', 1_000],
  ['googleSearchRetrieval', 1_000],
  ['urlContext', 20_000],
  ['url_context', 20_000],
  ['codeExecution', 1_000],
  ['code_execution', 1_000],
];

export const HOSTED_KEYS = KEYS.map(([key]) => key);

/** Types of tools that the client runs itself. */
const OWN: ReadonlySet<string> = new Set(['function', 'custom', 'namespace', '']);
const FUNCTION = Buffer.from('function');
/** No type of a tool is longer. */
const TYPE_BYTES_MAX = 400;

/** The tokens of all vendor tools of a request, by their types and keys. */
export function vendorTools(
  body: Buffer,
  {
    toolTypes,
    vendorToolKeys,
  }: { readonly toolTypes: readonly ByteRange[]; readonly vendorToolKeys: readonly string[] },
): number {
  let tokens = 0;
  for (const { start, end } of toolTypes) {
    if (end - start === FUNCTION.length && sameBytes(FUNCTION, body, start)) continue;
    const type = decodeText(body, start, Math.min(end, start + TYPE_BYTES_MAX));
    if (OWN.has(type)) continue;
    tokens += TOKENS.find(([beginning]) => type.startsWith(beginning))?.[1] ?? OTHER_TOKENS;
  }
  for (const hosted of vendorToolKeys) tokens += KEYS.find(([key]) => key === hosted)?.[1] ?? 0;
  return tokens;
}
