import type { Dialect, RawRequest } from '../dialect.ts';
import { encodeImagesError } from '../errors-in-stream.ts';
import { TextSample } from '../estimate.ts';
import { countInput, type InputShape, PICTURE_TOKENS } from '../input.ts';
import { compilePaths } from '../paths.ts';
import { Relay } from '../relay.ts';
import { compileWords } from '../words.ts';
import { readImagesAnswer } from './answer.ts';
import { findBoundary, findParts, isMultipart } from './multipart.ts';
import { readImagesRequest, spliceImagesRequest } from './request.ts';
import { ImagesEventReader } from './stream.ts';

const INPUT: InputShape = {
  tree: compilePaths({ messages: 'prompt' }),
  words: compileWords({ text: ['prompt'], picture: ['image_url', 'file_id'] }),
};

export const images: Dialect = {
  protocol: 'images',
  readRequest: readImagesRequest,
  spliceRequest: spliceImagesRequest,
  readResponse: (body, _facts, modelId) => readImagesAnswer(body, modelId),
  relayStream: (framing, _facts, modelId) => new Relay(framing, new ImagesEventReader(), modelId),
  countInput: (request) =>
    isMultipart(request.contentType) ? countForm(request) : countInput(request.body, INPUT),
  encodeStreamError: (_framing, error) => encodeImagesError(error),
  keepAlive: () => Buffer.from(': keep-alive\n\n'),
};

function countForm({ body, contentType }: RawRequest): number {
  const sample = new TextSample();
  let pictures = 0;
  for (const { name, content } of findParts(body, findBoundary(contentType) ?? '') ?? []) {
    if (name === 'prompt') sample.text(body, content.start, content.end);
    if (name === 'image' || name === 'image[]' || name === 'mask') pictures++;
  }
  return sample.tokens() + pictures * PICTURE_TOKENS;
}
