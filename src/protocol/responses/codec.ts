import type { Codec } from '../hub/codec.ts';
import type { FieldNames } from '../hub/notes.ts';
import { decodeAnswer } from './decode/answer.ts';
import { decodeRequest } from './decode/request.ts';
import { createDecoder } from './decode/stream.ts';
import { encodeAnswer } from './encode/answer.ts';
import { encodeRequest } from './encode/request.ts';
import { createEncoder } from './encode/stream.ts';
import { returnSignatures } from './return-signatures.ts';

const FIELDS: FieldNames = {
  temperature: 'temperature',
  topP: 'top_p',
  topK: 'top_k',
  frequencyPenalty: 'frequency_penalty',
  presencePenalty: 'presence_penalty',
  seed: 'seed',
  stop: 'stop',
  logprobs: 'top_logprobs',
  maxTokens: 'max_output_tokens',
  endUser: 'safety_identifier',
  cacheKey: 'prompt_cache_key',
  cacheMarks: 'prompt_cache_breakpoint',
  answers: 'n',
  serviceTier: 'service_tier',
  verbosity: 'text.verbosity',
  parallelCalls: 'parallel_tool_calls',
  toolChoice: 'tool_choice',
  strict: 'tools[].strict',
  thinking: 'reasoning',
  format: 'text.format',
  detail: 'input[].content[].detail',
  metadata: 'metadata',
  tools: 'tools',
  prefill: 'input[last]',
  citations: 'input[].content[].annotations',
  reasoning: 'input[].summary',
  filename: 'input[].content[].filename',
};

/** OpenAI's Responses as one side of a conversion. */
export const responsesCodec: Codec = {
  protocol: 'responses',
  rawKeys: new Set(['parameters', 'schema', 'arguments', 'input_schema', 'output_schema']),
  rules: {
    toolName: /^[A-Za-z0-9_-]{1,64}$/,
    toolNameMax: 64,
    callIdMax: 64,
    namespaces: true,
    customTools: true,
    carriesReasoning: true,
  },
  fields: FIELDS,
  decodeRequest,
  encodeRequest,
  decodeAnswer,
  encodeAnswer,
  createDecoder,
  createEncoder: (session) => createEncoder(session),
  returnSignatures,
};
