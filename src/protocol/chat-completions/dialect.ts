import type { Dialect } from '../dialect.ts';
import { encodeChatError } from '../errors-in-stream.ts';
import { countInput, type InputShape } from '../input.ts';
import { compilePaths } from '../paths.ts';
import { Relay } from '../relay.ts';
import { spliceModel } from '../splice.ts';
import { compileWords } from '../words.ts';
import { readChatAnswer } from './answer.ts';
import { readChatRequest } from './request.ts';
import { ChatEventReader } from './stream.ts';

const INPUT: InputShape = {
  tree: compilePaths({ messages: 'messages' }),
  words: compileWords({
    text: ['content', 'text', 'arguments', 'name', 'refusal', 'reasoning_content', 'input'],
    raw: ['tools', 'functions', 'response_format'],
    picture: ['image_url'],
  }),
};

export const chatCompletions: Dialect = {
  protocol: 'chat',
  readRequest: readChatRequest,
  spliceRequest: (request, facts, forwardModel) => spliceModel(request.body, facts, forwardModel),
  readResponse: (body, _facts, modelId) => readChatAnswer(body, modelId),
  relayStream: (framing, facts, modelId) => new Relay(framing, new ChatEventReader(facts), modelId),
  countInput: (request, facts) => countInput(request.body, INPUT, facts),
  encodeStreamError: (_framing, error) => encodeChatError(error),
  keepAlive: () => Buffer.from(': keep-alive\n\n'),
};
