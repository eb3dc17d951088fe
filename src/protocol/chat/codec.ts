import type { Codec } from '../hub/codec.ts';
import type { FieldNames } from '../hub/notes.ts';
import { decodeChatAnswer } from './decode/answer.ts';
import { decodeChatRequest } from './decode/request.ts';
import { ChatStreamDecoder } from './decode/stream.ts';
import { encodeChatAnswer } from './encode/answer.ts';
import { encodeChatRequest } from './encode/request.ts';
import { ChatStreamEncoder } from './encode/stream.ts';
import { returnChatSignatures } from './return-signatures.ts';

const FIELDS: FieldNames = {
  temperature: 'temperature',
  topP: 'top_p',
  topK: 'top_k',
  frequencyPenalty: 'frequency_penalty',
  presencePenalty: 'presence_penalty',
  seed: 'seed',
  stop: 'stop',
  logprobs: 'logprobs',
  maxTokens: 'max_completion_tokens',
  endUser: 'user',
  cacheKey: 'prompt_cache_key',
  cacheMarks: 'prompt_cache_breakpoint',
  answers: 'n',
  serviceTier: 'service_tier',
  verbosity: 'verbosity',
  parallelCalls: 'parallel_tool_calls',
  toolChoice: 'tool_choice',
  strict: 'tools.function.strict',
  thinking: 'reasoning_effort',
  format: 'response_format',
  detail: 'image_url.detail',
  metadata: 'metadata',
  tools: 'tools',
  prefill: 'messages[last]',
  citations: 'messages[].annotations',
  reasoning: 'messages[].reasoning_content',
  filename: 'file.filename',
};

/** OpenAI Chat Completions, and its variants at many other vendors. */
export const chatCodec: Codec = {
  protocol: 'chat',
  rawKeys: new Set(['parameters', 'schema', 'arguments']),
  rules: {
    toolName: /^[A-Za-z0-9_-]{1,64}$/,
    toolNameMax: 64,
    // OpenAI accepts 64 characters today; Azure and older deployments 40 (rule C-32).
    callIdMax: 40,
    namespaces: false,
    customTools: true,
    carriesReasoning: false,
  },
  fields: FIELDS,
  decodeRequest: (body, _request, notes) => decodeChatRequest(body, notes),
  encodeRequest: encodeChatRequest,
  decodeAnswer: decodeChatAnswer,
  encodeAnswer: encodeChatAnswer,
  createDecoder: (session, emit) => new ChatStreamDecoder(session, emit),
  createEncoder: (session) => new ChatStreamEncoder(session),
  returnSignatures: returnChatSignatures,
};
