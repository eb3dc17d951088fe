import { compilePaths } from '../bytes/paths.ts';
import type { Dialect } from '../dialect.ts';
import { countInput, type InputShape } from '../meter/input.ts';
import { compileWords } from '../meter/words.ts';
import { Relay } from '../pass-through/relay.ts';
import { encodeGenerateContentError } from '../pass-through/stream-error.ts';
import { readGenerateContentAnswer } from './pass-through/answer.ts';
import { readGenerateContentRequest, spliceGenerateContentRequest } from './pass-through/request.ts';
import { signOfLife } from './pass-through/sign-of-life.ts';
import { GenerateContentEventReader } from './pass-through/stream.ts';

const INPUT: InputShape = {
  tree: compilePaths({ messages: 'contents' }),
  words: compileWords({
    text: ['text', 'code', 'name', 'output'],
    raw: ['tools', 'args', 'response', 'responseSchema', 'responseJsonSchema', 'response_schema'],
    skip: ['thoughtSignature', 'thought_signature'],
    picture: ['inlineData', 'inline_data', 'fileData', 'file_data'],
  }),
};

export const generateContent: Dialect = {
  protocol: 'gemini',
  readRequest: readGenerateContentRequest,
  spliceRequest: spliceGenerateContentRequest,
  readResponse: (body, _facts, modelId) => readGenerateContentAnswer(body, modelId),
  relayStream: (framing, _facts, modelId) => new Relay(framing, new GenerateContentEventReader(), modelId),
  countInput: (request, facts) => countInput(request.body, INPUT, facts),
  encodeStreamError: encodeGenerateContentError,
  keepAlive: signOfLife,
};
