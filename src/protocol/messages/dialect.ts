import type { Dialect } from '../dialect.ts';
import { encodeMessagesError } from '../errors-in-stream.ts';
import { countInput, type InputShape } from '../input.ts';
import { compilePaths } from '../paths.ts';
import { Relay } from '../relay.ts';
import { spliceModel } from '../splice.ts';
import { compileWords } from '../words.ts';
import { readMessagesAnswer } from './answer.ts';
import { readMessagesRequest } from './request.ts';
import { MessagesEventReader } from './stream.ts';

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
  readRequest: readMessagesRequest,
  spliceRequest: (request, facts, forwardModel) => spliceModel(request.body, facts, forwardModel),
  readResponse: (body, _facts, modelId) => readMessagesAnswer(body, modelId),
  relayStream: (framing, _facts, modelId) => new Relay(framing, new MessagesEventReader(), modelId),
  countInput: (request, facts) => countInput(request.body, INPUT, facts),
  encodeStreamError: (_framing, error) => encodeMessagesError(error),
  keepAlive: () => Buffer.from('event: ping\ndata: {"type":"ping"}\n\n'),
};
