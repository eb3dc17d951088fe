import type { Dialect, RawRequest, RequestFacts } from '../dialect.ts';
import { spliceGeminiRequest } from '../gemini/pass-through/request.ts';
import { TextSample } from '../meter/estimate.ts';
import { collectWords, compileWords } from '../meter/words.ts';
import { NoStreamReader } from '../pass-through/no-stream.ts';
import { Relay } from '../pass-through/relay.ts';
import { encodeGeminiError } from '../pass-through/stream-error.ts';
import { readGeminiEmbeddingsAnswer } from './answer.ts';
import { GEMINI_EMBEDDINGS_MEMBERS, readGeminiEmbeddingsRequest } from './request.ts';

const WORDS = compileWords({ text: ['text', 'title'] });

export const geminiEmbeddings: Dialect = {
  protocol: 'gemini-embeddings',
  members: GEMINI_EMBEDDINGS_MEMBERS,
  readRequest: readGeminiEmbeddingsRequest,
  spliceRequest: spliceGeminiRequest,
  readResponse: readGeminiEmbeddingsAnswer,
  relayStream: (framing, _facts, modelId) => new Relay(framing, new NoStreamReader(), modelId),
  countInput,
  encodeStreamError: encodeGeminiError,
  keepAlive: () => Buffer.from(': keep-alive\n\n'),
};

function countInput({ body }: RawRequest, { mediaTokens = 0 }: Pick<RequestFacts, 'mediaTokens'>): number {
  const sample = new TextSample();
  collectWords({ bytes: body, start: 0, end: body.length }, WORDS, sample);
  return sample.tokens() + mediaTokens;
}
