import { content, LINE_FEED_EVENTS } from '../answer/frame.ts';
import { newId } from '../answer/id.ts';
import { ANTHROPIC_BODY_BYTES_MAX } from '../bounds.ts';
import type { Dialect, VendorRequest } from '../dialect.ts';
import { type AnthropicModel, findAnthropic } from '../models.ts';
import type { Reply } from '../request/ask.ts';
import { type Json, parseJson, record } from '../request/json.ts';
import { isRecord } from '../request/shape.ts';
import { plainMessage } from './answer.ts';
import { anthropicError, anthropicHeaders } from './error.ts';
import { readMessages } from './read.ts';
import { framesOfMessage } from './stream.ts';
import { refuseMessages } from './validate.ts';

export const anthropicMessages: Dialect = {
  vendor: 'anthropic',
  examine: (request) => {
    const examined = examineMessages(request, 'generate');
    return 'kind' in examined ? examined : readMessages(examined.body, examined.model, request.key);
  },
  newAnswerId: () => `msg_${newId(24)}`,
  plain: plainMessage,
  frames: framesOfMessage,
  framing: () => LINE_FEED_EVENTS,
  headers: anthropicHeaders,
  failure: anthropicError,
  failureFrame: (message) =>
    content({
      event: 'error',
      data: JSON.stringify({ type: 'error', error: { type: 'overloaded_error', message } }),
      output: 0,
    }),
};

export type Purpose = 'generate' | 'count';

export function examineMessages(
  request: VendorRequest,
  purpose: Purpose,
): { readonly body: Json; readonly model: AnthropicModel } | Reply {
  const version = request.headers['anthropic-version'];
  if (version === undefined) return anthropicError(400, 'anthropic-version: header is required');
  if (request.body.length > ANTHROPIC_BODY_BYTES_MAX) {
    return anthropicError(413, 'Request exceeds the maximum size');
  }
  const parsed = parseJson(request.body.toString());
  if ('problem' in parsed) {
    return anthropicError(400, `The request body is not valid JSON: ${parsed.problem}`);
  }
  if (!isRecord(parsed.value)) return anthropicError(400, 'Input should be a valid dictionary');
  const body = record(parsed.value);
  const name = body.model;
  const model = typeof name === 'string' ? findAnthropic(name) : undefined;
  if (typeof name === 'string' && model === undefined) return anthropicError(404, `model: ${name}`);
  const refusal = refuseMessages({
    body,
    model,
    purpose,
    version: String(version),
    headers: request.headers,
  });
  if (refusal !== undefined) return refusal;
  if (model === undefined) throw new Error('a valid request names a known model');
  return { body, model };
}
