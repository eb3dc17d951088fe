import type { Dialect } from '../dialect.ts';
import { encodeGenerateContentError } from '../errors-in-stream.ts';
import { countInput, type InputShape } from '../input.ts';
import { compilePaths } from '../paths.ts';
import { Relay } from '../relay.ts';
import { compileWords } from '../words.ts';
import { readGenerateContentAnswer } from './answer.ts';
import { readGenerateContentRequest, spliceGenerateContentRequest } from './request.ts';
import { signOfLife } from './sign-of-life.ts';
import { GenerateContentEventReader } from './stream.ts';

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
