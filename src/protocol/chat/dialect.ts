import { compilePaths } from '../bytes/paths.ts';
import { spliceModel } from '../bytes/splice.ts';
import type { Dialect } from '../dialect.ts';
import { countInput, type InputShape } from '../meter/input.ts';
import { compileWords } from '../meter/words.ts';
import { Relay } from '../pass-through/relay.ts';
import { encodeChatError } from '../pass-through/stream-error.ts';
import { readChatAnswer } from './pass-through/answer.ts';
import { CHAT_MEMBERS, readChatRequest } from './pass-through/request.ts';
import { ChatEventReader } from './pass-through/stream.ts';

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
  members: CHAT_MEMBERS,
  readRequest: readChatRequest,
  spliceRequest: (request, facts, forwardModel) => spliceModel(request.body, facts, forwardModel),
  readResponse: readChatAnswer,
  relayStream: (framing, facts, modelId) => new Relay(framing, new ChatEventReader(facts), modelId),
  countInput: (request, facts) => countInput(request.body, INPUT, facts),
  encodeStreamError: (_framing, error) => encodeChatError(error),
  keepAlive: () => Buffer.from(': keep-alive\n\n'),
};
