import type { Reply } from '../request/ask.ts';
import { type Json, parseJson, record } from '../request/json.ts';
import { isRecord } from '../request/shape.ts';
import { openaiError } from './error.ts';

/** The body as an object, or the words of the vendor about a body that is none. */
export function readBody(body: Buffer): { readonly value: Json } | Reply {
  const parsed = parseJson(body.toString());
  if ('value' in parsed && isRecord(parsed.value)) return { value: record(parsed.value) };
  return openaiError(400, {
    message:
      'We could not parse the JSON body of your request. (HINT: This likely means you aren’t using your ' +
      'HTTP library correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON.)',
  });
}
