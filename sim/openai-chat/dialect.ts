import { content, LINE_FEED_EVENTS } from '../answer/frame.ts';
import { newId } from '../answer/id.ts';
import type { Dialect, VendorRequest } from '../dialect.ts';
import { findOpenai } from '../models.ts';
import { readBody } from '../openai/body.ts';
import { openaiError, openaiFailure, openaiHeaders } from '../openai/error.ts';
import type { Ask, Reply } from '../request/ask.ts';
import { framesOfChat, plainChat } from './answer.ts';
import { readChat } from './read.ts';
import { refuseChat } from './validate.ts';

export const openaiChat: Dialect = {
  vendor: 'openai',
  examine,
  newAnswerId: () => `chatcmpl-${newId(29)}`,
  plain: plainChat,
  frames: framesOfChat,
  framing: () => LINE_FEED_EVENTS,
  headers: openaiHeaders,
  failure: openaiFailure,
  failureFrame: (message) =>
    content({
      data: JSON.stringify({ error: { message, type: 'server_error', param: null, code: 'server_error' } }),
      output: 0,
    }),
};

function examine(request: VendorRequest): Ask | Reply {
  const body = readBody(request.body);
  if ('kind' in body) return body;
  const name = body.value.model;
  const model = typeof name === 'string' ? findOpenai(name) : undefined;
  if (typeof name === 'string' && (model === undefined || model.kind === 'image')) {
    return openaiError(404, {
      message: `The model \`${name}\` does not exist or you do not have access to it.`,
      code: 'model_not_found',
    });
  }
  const refusal = refuseChat(body.value, model);
  if (refusal !== undefined) return refusal;
  if (model === undefined) throw new Error('a valid request names a known model');
  return readChat(body.value, model, request.key);
}
