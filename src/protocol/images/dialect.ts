import type { Dialect, Form } from '../dialect.ts';
import { encodeImagesError } from '../errors-in-stream.ts';
import { TextSample } from '../estimate.ts';
import { countInput, type InputShape } from '../input.ts';
import { compilePaths } from '../paths.ts';
import { Relay } from '../relay.ts';
import { compileWords } from '../words.ts';
import { readImagesAnswer } from './answer.ts';
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
  countInput: ({ body }, facts) =>
    facts.form === undefined
      ? countInput(body, INPUT, facts)
      : countForm(body, facts.form) + (facts.mediaTokens ?? 0),
  encodeStreamError: (_framing, error) => encodeImagesError(error),
  keepAlive: () => Buffer.from(': keep-alive\n\n'),
};

function countForm(body: Buffer, { parts }: Form): number {
  const sample = new TextSample();
  for (const { name, content } of parts) {
    if (name === 'prompt') sample.text(body, content.start, content.end);
  }
  return sample.tokens();
}
