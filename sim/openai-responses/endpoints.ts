import type { VendorRequest } from '../dialect.ts';
import { openaiHeaders } from '../openai/error.ts';
import type { Reply } from '../request/ask.ts';
import { examineResponses } from './dialect.ts';
import { responsesInputTokens } from './read.ts';
import { INPUT_TOKENS_REQUEST } from './shape.ts';

export function responsesCount(request: VendorRequest): Reply {
  const examined = examineResponses(request, INPUT_TOKENS_REQUEST);
  if ('kind' in examined) return examined;
  const body = JSON.stringify({
    object: 'response.input_tokens',
    input_tokens: responsesInputTokens(examined.body),
  });
  return { kind: 'reply', status: 200, headers: openaiHeaders(), body };
}
