import { compilePaths } from '../bytes/paths.ts';
import type { Dialect, Form } from '../dialect.ts';
import { TextSample } from '../meter/estimate.ts';
import { countInput, type InputShape } from '../meter/input.ts';
import { compileWords } from '../meter/words.ts';
import { Relay } from '../pass-through/relay.ts';
import { encodeImagesError } from '../pass-through/stream-error.ts';
import { readImagesAnswer } from './answer.ts';
import { IMAGES_MEMBERS, readImagesRequest, spliceImagesRequest } from './request.ts';
import { ImagesEventReader } from './stream.ts';

const INPUT: InputShape = {
  tree: compilePaths({ messages: 'prompt' }),
  words: compileWords({ text: ['prompt'], picture: ['image_url', 'file_id'] }),
};

export const images: Dialect = {
  protocol: 'images',
  members: IMAGES_MEMBERS,
  readRequest: readImagesRequest,
  spliceRequest: spliceImagesRequest,
  readResponse: readImagesAnswer,
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
