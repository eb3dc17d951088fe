import { NINE, OPEN_BRACKET, ZERO } from '../bytes/ascii.ts';
import { skipSpace } from '../bytes/skim.ts';
import type { ByteRange } from '../dialect.ts';
import { createInputOnlyDialect } from './dialect.ts';
import { FILES_OF_OTHERS } from './media-keys.ts';

export const embeddings = createInputOnlyDialect({
  protocol: 'embeddings',
  input: { input: ['text', 'list'] },
  media: FILES_OF_OTHERS,
  sign: 'data',
  // Some vendors report the total only.
  reported: ['usage.prompt_tokens', 'usage.total_tokens'],
  estimate: ({ body, values, input, at }) => ({
    // Every id of a token is a value, and so is every text. None of them counts less than one token.
    inputTokensEstimate: Math.max(input.inputTokensEstimate, values),
    inputTokensLikely: isTokenIds(body, at('input')) ? values : input.inputTokensLikely,
  }),
});

/** The input may consist of the ids of tokens, in one list or in many. */
function isTokenIds(body: Buffer, range: ByteRange | undefined): boolean {
  if (range === undefined || body[range.start] !== OPEN_BRACKET) return false;
  const first = body[skipSpace(body, range.start + 1, range.end)] ?? 0;
  return first === OPEN_BRACKET || (first >= ZERO && first <= NINE);
}
