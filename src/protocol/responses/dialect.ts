import { compilePaths } from '../bytes/paths.ts';
import { spliceModel } from '../bytes/splice.ts';
import type { Dialect } from '../dialect.ts';
import { countInput, type InputShape } from '../meter/input.ts';
import { compileWords } from '../meter/words.ts';
import { Relay } from '../pass-through/relay.ts';
import { encodeResponsesError } from '../pass-through/stream-error.ts';
import { readResponsesAnswer } from './pass-through/answer.ts';
import { RESPONSES_MEMBERS, readResponsesRequest } from './pass-through/request.ts';
import { ResponsesEventReader } from './pass-through/stream.ts';

const INPUT: InputShape = {
  tree: compilePaths({ messages: 'input' }),
  words: compileWords({
    text: ['instructions', 'input', 'content', 'text', 'arguments', 'name', 'output', 'refusal'],
    raw: ['tools', 'format'],
    skip: ['encrypted_content', 'metadata', 'file_data'],
    picture: ['image_url'],
  }),
};

export const responses: Dialect = {
  protocol: 'responses',
  members: RESPONSES_MEMBERS,
  readRequest: readResponsesRequest,
  spliceRequest: (request, facts, forwardModel) => spliceModel(request.body, facts, forwardModel),
  readResponse: readResponsesAnswer,
  relayStream: (framing, _facts, modelId) => new Relay(framing, new ResponsesEventReader(), modelId),
  countInput: (request, facts) => countInput(request.body, INPUT, facts),
  encodeStreamError: (_framing, error) => encodeResponsesError(error),
  // A typed event, because Codex's idle timer does not see comments. The SDK knows this type.
  keepAlive: () => Buffer.from('event: keepalive\ndata: {"type":"keepalive"}\n\n'),
};
