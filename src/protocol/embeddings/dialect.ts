import { spliceModel } from '../bytes/splice.ts';
import type { Dialect } from '../dialect.ts';
import { NoStreamReader } from '../pass-through/no-stream.ts';
import { Relay } from '../pass-through/relay.ts';
import { encodeImagesError } from '../pass-through/stream-error.ts';
import { readEmbeddingsAnswer } from './answer.ts';
import { countEmbeddingsInput, readEmbeddingsRequest } from './request.ts';

export const embeddings: Dialect = {
  protocol: 'embeddings',
  readRequest: readEmbeddingsRequest,
  spliceRequest: ({ body }, facts, forwardModel) => spliceModel(body, facts, forwardModel),
  readResponse: readEmbeddingsAnswer,
  relayStream: (framing, _facts, modelId) => new Relay(framing, new NoStreamReader(), modelId),
  countInput: countEmbeddingsInput,
  encodeStreamError: (_framing, error) => encodeImagesError(error),
  keepAlive: () => Buffer.from(': keep-alive\n\n'),
};
