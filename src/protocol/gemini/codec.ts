import type { Codec, CodecRules } from '../hub/codec.ts';
import type { FieldNames } from '../hub/notes.ts';
import { decodeAnswer } from './decode/answer.ts';
import { decodeRequest } from './decode/request.ts';
import { GeminiStreamDecoder } from './decode/stream.ts';
import { encodeAnswer } from './encode/answer.ts';
import { encodeRequest } from './encode/request.ts';
import { GeminiStreamEncoder } from './encode/stream.ts';
import { returnSignatures } from './return-signatures.ts';
import { RAW_KEYS } from './wire.ts';

const RULES: CodecRules = {
  toolName: /^[A-Za-z_][A-Za-z0-9_.:-]*$/,
  // Newer models accept 128; older ones do not.
  toolNameMax: 64,
  // Google does not check a call's id: it only needs the same one back.
  callIdMax: 256,
  namespaces: false,
  customTools: false,
  carriesReasoning: false,
};

const FIELDS: FieldNames = {
  temperature: 'generationConfig.temperature',
  topP: 'generationConfig.topP',
  topK: 'generationConfig.topK',
  frequencyPenalty: 'generationConfig.frequencyPenalty',
  presencePenalty: 'generationConfig.presencePenalty',
  seed: 'generationConfig.seed',
  stop: 'generationConfig.stopSequences',
  logprobs: 'generationConfig.responseLogprobs',
  maxTokens: 'generationConfig.maxOutputTokens',
  endUser: 'labels',
  cacheKey: 'cachedContent',
  cacheMarks: 'cachedContent',
  answers: 'generationConfig.candidateCount',
  serviceTier: 'serviceTier',
  verbosity: 'generationConfig',
  parallelCalls: 'toolConfig',
  toolChoice: 'toolConfig.functionCallingConfig',
  strict: 'toolConfig.functionCallingConfig.mode',
  thinking: 'generationConfig.thinkingConfig',
  format: 'generationConfig.responseMimeType',
  detail: 'generationConfig.mediaResolution',
  metadata: 'labels',
  tools: 'tools',
  prefill: 'contents[last]',
  citations: 'groundingMetadata',
  reasoning: 'contents[].parts[].thought',
  filename: 'inlineData.displayName',
};

/** Google's generateContent as one side of a conversion. */
export const geminiCodec: Codec = {
  protocol: 'gemini',
  rawKeys: RAW_KEYS,
  rules: RULES,
  fields: FIELDS,
  decodeRequest,
  encodeRequest,
  decodeAnswer,
  encodeAnswer,
  createDecoder: (session, emit) => new GeminiStreamDecoder(session, emit),
  createEncoder: (session, framing) => new GeminiStreamEncoder(session, framing),
  returnSignatures,
};
