import { content, LINE_FEED_EVENTS } from '../answer/frame.ts';
import { newHexId } from '../answer/id.ts';
import type { Dialect, VendorRequest } from '../dialect.ts';
import { findOpenai } from '../models.ts';
import { openaiError, openaiFailure, openaiHeaders } from '../openai/error.ts';
import type { Ask, Reply } from '../request/ask.ts';
import { framesOfImages, plainImages } from './answer.ts';
import { readImageBody, readImages } from './read.ts';
import type { Purpose } from './shape.ts';
import { refuseImages } from './validate.ts';

export function openaiImages(purpose: Purpose): Dialect {
  return {
    vendor: 'openai',
    examine: (request) => examine(request, purpose),
    newAnswerId: () => `img_${newHexId(32)}`,
    plain: plainImages,
    frames: (plan) => framesOfImages(plan, purpose),
    framing: () => LINE_FEED_EVENTS,
    headers: openaiHeaders,
    failure: openaiFailure,
    failureFrame: (message) =>
      content({
        event: 'error',
        data: JSON.stringify({
          type: 'error',
          error: { message, type: 'server_error', code: 'server_error' },
        }),
        output: 0,
      }),
  };
}

function examine(request: VendorRequest, purpose: Purpose): Ask | Reply {
  const body = readImageBody(request);
  if ('kind' in body) return body;
  const name = body.value.model ?? 'gpt-image-1';
  const model = typeof name === 'string' ? findOpenai(name) : undefined;
  if (typeof name === 'string' && model?.kind !== 'image') {
    return openaiError(404, {
      message: `The model '${name}' does not exist.`,
      type: 'image_generation_user_error',
      param: 'model',
      code: 'model_not_found',
    });
  }
  if (purpose === 'variations' && name !== 'dall-e-2') {
    return openaiError(400, { message: "Value must be 'dall-e-2'", param: 'model', code: 'invalid_value' });
  }
  const shape = purpose === 'edits' && body.form === 'form' ? 'form' : purpose;
  const refusal = refuseImages(body.value, model, shape);
  if (refusal !== undefined) return refusal;
  if (model === undefined) throw new Error('a valid request names a known model');
  return readImages(body.value, model, request.key);
}
