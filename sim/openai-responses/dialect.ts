import { content, LINE_FEED_EVENTS } from '../answer/frame.ts';
import { newHexId } from '../answer/id.ts';
import type { Dialect, VendorRequest } from '../dialect.ts';
import { findOpenai, type OpenaiModel } from '../models.ts';
import { readBody } from '../openai/body.ts';
import { invalid, openaiFailure, openaiHeaders } from '../openai/error.ts';
import type { Ask, Reply } from '../request/ask.ts';
import type { Json } from '../request/json.ts';
import type { Shape } from '../request/shape.ts';
import { plainCompaction, plainResponses } from './answer.ts';
import { readResponses } from './read.ts';
import { COMPACT_REQUEST, RESPONSES_REQUEST } from './shape.ts';
import { framesOfResponses } from './stream.ts';
import { refuseResponses } from './validate.ts';

export const openaiResponses: Dialect = {
  vendor: 'openai',
  examine,
  newAnswerId: () => `resp_${newHexId(50)}`,
  plain: plainResponses,
  frames: framesOfResponses,
  framing: () => LINE_FEED_EVENTS,
  headers: openaiHeaders,
  failure: openaiFailure,
  failureFrame: (message) =>
    content({
      event: 'error',
      data: JSON.stringify({ type: 'error', code: 'server_error', message, param: null, sequence_number: 0 }),
      output: 0,
    }),
};

/** It replaces a conversation by what the user said, and a summary that only this vendor can read. */
export const openaiCompact: Dialect = {
  ...openaiResponses,
  examine: (request) => examineFor(request, COMPACT_REQUEST),
  newAnswerId: () => `cmp_${newHexId(50)}`,
  plain: plainCompaction,
};

function examine(request: VendorRequest): Ask | Reply {
  return examineFor(request, RESPONSES_REQUEST);
}

function examineFor(request: VendorRequest, shape: Shape): Ask | Reply {
  const examined = examineResponses(request, shape);
  return 'kind' in examined ? examined : readResponses(examined.body, examined.model, request.key);
}

export function examineResponses(
  request: VendorRequest,
  shape: Shape,
): { readonly body: Json; readonly model: OpenaiModel } | Reply {
  const body = readBody(request.body);
  if ('kind' in body) return body;
  const name = body.value.model;
  const model = typeof name === 'string' ? findOpenai(name) : undefined;
  if (typeof name === 'string' && (model === undefined || model.kind === 'image')) {
    // Seen in recordings: Responses says 400 where Chat Completions says 404.
    return invalid(`The requested model '${name}' does not exist.`, 'model', 'model_not_found');
  }
  const refusal = refuseResponses(body.value, { model, shape, key: request.key });
  if (refusal !== undefined) return refusal;
  if (model === undefined) throw new Error('a valid request names a known model');
  return { body: body.value, model };
}
