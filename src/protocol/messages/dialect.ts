import { compilePaths } from '../bytes/paths.ts';
import { spliceModel } from '../bytes/splice.ts';
import type { Dialect } from '../dialect.ts';
import { countInput, type InputShape } from '../meter/input.ts';
import { compileWords } from '../meter/words.ts';
import { Relay } from '../pass-through/relay.ts';
import { encodeMessagesError } from '../pass-through/stream-error.ts';
import { readMessagesAnswer } from './pass-through/answer.ts';
import { MESSAGES_MEMBERS, readMessagesRequest } from './pass-through/request.ts';
import { MessagesEventReader } from './pass-through/stream.ts';

const INPUT: InputShape = {
  tree: compilePaths({ messages: 'messages' }),
  words: compileWords({
    text: ['system', 'content', 'text', 'thinking', 'name', 'title', 'context'],
    raw: ['tools', 'input', 'output_config'],
    skip: ['signature', 'metadata'],
    picture: ['source'],
  }),
  document: compileWords({ text: ['data', 'content', 'text'], picture: ['source'] }),
};

export const messages: Dialect = {
  protocol: 'messages',
  members: MESSAGES_MEMBERS,
  readRequest: readMessagesRequest,
  spliceRequest: (request, facts, forwardModel) => spliceModel(request.body, facts, forwardModel),
  readResponse: readMessagesAnswer,
  relayStream: (framing, _facts, modelId) => new Relay(framing, new MessagesEventReader(), modelId),
  countInput: (request, facts) => countInput(request.body, INPUT, facts),
  encodeStreamError: (_framing, error) => encodeMessagesError(error),
  keepAlive: () => Buffer.from('event: ping\ndata: {"type":"ping"}\n\n'),
};
