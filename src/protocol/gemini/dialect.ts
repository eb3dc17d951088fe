import { compilePaths } from '../bytes/paths.ts';
import type { Dialect } from '../dialect.ts';
import { countInput, type InputShape } from '../meter/input.ts';
import { compileWords } from '../meter/words.ts';
import { Relay } from '../pass-through/relay.ts';
import { encodeGeminiError } from '../pass-through/stream-error.ts';
import { readGeminiAnswer } from './pass-through/answer.ts';
import { GEMINI_MEMBERS, readGeminiRequest, spliceGeminiRequest } from './pass-through/request.ts';
import { signOfLife } from './pass-through/sign-of-life.ts';
import { GeminiEventReader } from './pass-through/stream.ts';

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
  members: GEMINI_MEMBERS,
  readRequest: readGeminiRequest,
  spliceRequest: spliceGeminiRequest,
  readResponse: readGeminiAnswer,
  relayStream: (framing, _facts, modelId) => new Relay(framing, new GeminiEventReader(), modelId),
  countInput: (request, facts) => countInput(request.body, INPUT, facts),
  encodeStreamError: encodeGeminiError,
  keepAlive: signOfLife,
};
