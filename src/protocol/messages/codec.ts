import type { Codec, CodecRules } from '../hub/codec.ts';
import type { FieldNames } from '../hub/notes.ts';
import { decodeAnswer } from './decode/answer.ts';
import { decodeRequest } from './decode/request.ts';
import { MessagesStreamDecoder } from './decode/stream.ts';
import { encodeAnswer } from './encode/answer.ts';
import { encodeRequest } from './encode/request.ts';
import { MessagesStreamEncoder } from './encode/stream.ts';
import { returnSignatures } from './return-signatures.ts';
import { MESSAGES_RAW_KEYS } from './wire.ts';

const RULES: CodecRules = {
  toolName: /^[a-zA-Z0-9_-]{1,128}$/,
  toolNameMax: 128,
  // The vendor sets no limit. 128 characters are known to work.
  callIdMax: 128,
  namespaces: false,
  customTools: false,
  carriesReasoning: true,
};

/** Includes options that the protocol does not have, only to be complete. */
const FIELDS: FieldNames = {
  temperature: 'temperature',
  topP: 'top_p',
  topK: 'top_k',
  frequencyPenalty: 'frequency_penalty',
  presencePenalty: 'presence_penalty',
  seed: 'seed',
  stop: 'stop_sequences',
  logprobs: 'logprobs',
  maxTokens: 'max_tokens',
  endUser: 'metadata.user_id',
  cacheKey: 'cache_key',
  cacheMarks: 'cache_control',
  answers: 'n',
  serviceTier: 'service_tier',
  verbosity: 'verbosity',
  parallelCalls: 'tool_choice.disable_parallel_tool_use',
  toolChoice: 'tool_choice',
  strict: 'tools.strict',
  thinking: 'thinking',
  format: 'output_config.format',
  detail: 'detail',
  metadata: 'metadata',
  tools: 'tools',
  prefill: 'messages[last]',
  citations: 'messages[].content[].citations',
  reasoning: 'messages[].content[].thinking',
  filename: 'messages[].content[].title',
};

export const messagesCodec: Codec = {
  protocol: 'messages',
  rawKeys: MESSAGES_RAW_KEYS,
  rules: RULES,
  fields: FIELDS,
  decodeRequest: (body, _request, notes) => decodeRequest(body, notes),
  encodeRequest,
  decodeAnswer: (body, session, figures) => decodeAnswer(body, session.target.issuer, figures),
  encodeAnswer,
  createDecoder: (session, emit) => new MessagesStreamDecoder(session, emit),
  createEncoder: (session) => new MessagesStreamEncoder(session),
  returnSignatures,
};
