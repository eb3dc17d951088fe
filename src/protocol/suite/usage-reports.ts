import type { Protocol } from '../../kernel/protocol-name.ts';
import type { Usage } from '../../kernel/usage.ts';

export const chat = (usage: unknown): unknown => ({ choices: [], usage });
export const start = (usage: unknown): unknown => ({ type: 'message_start', message: { model: 'x', usage } });
const delta = (usage: unknown): unknown => ({ type: 'message_delta', delta: {}, usage });
const completed = (usage: unknown): unknown => ({ type: 'response.completed', response: { usage } });
const gemini = (usageMetadata: unknown): unknown => ({
  candidates: [{ content: { parts: [{ text: 'x' }] }, finishReason: 'STOP' }],
  usageMetadata,
});

/** What a vendor reports in the events of one stream, and what that comes to. */
export interface UsageReport {
  readonly name: string;
  readonly protocol: Protocol;
  readonly payloads: readonly unknown[];
  readonly usage: Partial<Usage>;
}

export const USAGE_REPORTS: readonly UsageReport[] = [
  {
    name: 'OpenAI chat: cache and reasoning are inside',
    protocol: 'chat',
    payloads: [
      chat({
        prompt_tokens: 100,
        completion_tokens: 50,
        total_tokens: 150,
        prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 10, audio_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: 20, rejected_prediction_tokens: 5 },
      }),
    ],
    usage: { inputFresh: 30, cacheRead: 60, cacheWrite: 10, outputText: 30, outputReasoning: 20 },
  },
  {
    name: 'chat: the last report that is not null wins, nothing is added',
    protocol: 'chat',
    payloads: [
      chat({ prompt_tokens: 5, completion_tokens: 1 }),
      chat({ prompt_tokens: 5, completion_tokens: 7 }),
      chat(null),
    ],
    usage: { inputFresh: 5, outputText: 7 },
  },
  {
    name: 'DeepSeek: its own name for cache hits',
    protocol: 'chat',
    payloads: [
      chat({
        prompt_tokens: 10,
        completion_tokens: 2,
        prompt_cache_hit_tokens: 4,
        prompt_cache_miss_tokens: 6,
      }),
    ],
    usage: { inputFresh: 6, cacheRead: 4, outputText: 2 },
  },
  {
    name: 'xAI: reasoning beside the completion, as the total shows',
    protocol: 'chat',
    payloads: [
      chat({
        prompt_tokens: 10,
        completion_tokens: 2,
        total_tokens: 42,
        completion_tokens_details: { reasoning_tokens: 30 },
      }),
    ],
    usage: { inputFresh: 10, outputText: 2, outputReasoning: 30 },
  },
  {
    name: 'chat: a part larger than its whole is cut to it',
    protocol: 'chat',
    payloads: [
      chat({
        prompt_tokens: 10,
        completion_tokens: 2,
        prompt_tokens_details: { cached_tokens: 99, cache_write_tokens: 5 },
        completion_tokens_details: { reasoning_tokens: 9 },
      }),
    ],
    usage: { cacheRead: 10, outputReasoning: 2 },
  },
  {
    name: 'chat: a report corrects the one before as a whole, its details too',
    protocol: 'chat',
    payloads: [
      chat({ prompt_tokens: 90, completion_tokens: 30, prompt_tokens_details: { cached_tokens: 60 } }),
      chat({ prompt_tokens: 40, completion_tokens: 7 }),
    ],
    usage: { inputFresh: 40, outputText: 7 },
  },
  {
    name: 'chat: a report of one half, or of nothing, leaves the other as it was',
    protocol: 'chat',
    payloads: [
      chat({ prompt_tokens: 90, completion_tokens: 3, prompt_tokens_details: { cached_tokens: 60 } }),
      chat({ completion_tokens: 7 }),
      chat({}),
    ],
    usage: { inputFresh: 30, cacheRead: 60, outputText: 7 },
  },
  {
    name: 'responses: the report of the end corrects earlier ones',
    protocol: 'responses',
    payloads: [
      { type: 'response.in_progress', response: { usage: { input_tokens: 90, output_tokens: 80 } } },
      completed({ input_tokens: 40, output_tokens: 7 }),
    ],
    usage: { inputFresh: 40, outputText: 7 },
  },
  {
    name: 'messages: the end corrects the start in both directions',
    protocol: 'messages',
    payloads: [
      start({ input_tokens: 90, cache_read_input_tokens: 10, output_tokens: 5 }),
      delta({ input_tokens: 40, cache_read_input_tokens: 60, output_tokens: 9 }),
      delta({ output_tokens: 7 }),
    ],
    usage: { inputFresh: 40, cacheRead: 60, outputText: 7 },
  },
  {
    name: 'responses: cache and reasoning are inside',
    protocol: 'responses',
    payloads: [
      completed({
        input_tokens: 100,
        input_tokens_details: { cached_tokens: 40, cache_write_tokens: 8 },
        output_tokens: 30,
        output_tokens_details: { reasoning_tokens: 12 },
        total_tokens: 130,
      }),
    ],
    usage: { inputFresh: 52, cacheRead: 40, cacheWrite: 8, outputText: 18, outputReasoning: 12 },
  },
  {
    name: 'messages: the cache stands beside the input; the delta wins field by field',
    protocol: 'messages',
    payloads: [
      start({
        input_tokens: 9,
        cache_read_input_tokens: 100,
        cache_creation_input_tokens: 20,
        output_tokens: 1,
      }),
      delta({ output_tokens: 40, cache_read_input_tokens: null }),
      delta({ output_tokens: 77, output_tokens_details: { thinking_tokens: 50 } }),
    ],
    usage: { inputFresh: 9, cacheRead: 100, cacheWrite: 20, outputText: 27, outputReasoning: 50 },
  },
  {
    name: 'messages: a compatible vendor that reports everything at the end',
    protocol: 'messages',
    payloads: [
      start({ input_tokens: 0, output_tokens: 0 }),
      delta({
        input_tokens: 12,
        output_tokens: 3,
        cache_creation: { ephemeral_5m_input_tokens: 4, ephemeral_1h_input_tokens: 5 },
      }),
    ],
    usage: { inputFresh: 12, cacheWrite: 9, outputText: 3 },
  },
  {
    name: 'messages: compaction is billed beside the totals',
    protocol: 'messages',
    payloads: [
      start({ input_tokens: 600, output_tokens: 1 }),
      delta({
        input_tokens: 600,
        output_tokens: 30,
        iterations: [
          { type: 'compaction', input_tokens: 60_000, output_tokens: 500 },
          { type: 'message', input_tokens: 600, output_tokens: 30 },
        ],
      }),
    ],
    usage: { inputFresh: 60_600, outputText: 530 },
  },
  {
    name: 'Google: thoughts and tool prompts stand beside, the cache inside',
    protocol: 'gemini',
    payloads: [
      gemini({
        promptTokenCount: 50,
        cachedContentTokenCount: 20,
        toolUsePromptTokenCount: 7,
        candidatesTokenCount: 11,
        thoughtsTokenCount: 13,
        totalTokenCount: 81,
      }),
    ],
    usage: { inputFresh: 37, cacheRead: 20, outputText: 11, outputReasoning: 13 },
  },
  {
    name: 'Google: cumulative figures, and a late chunk that leaves some out',
    protocol: 'gemini',
    payloads: [
      gemini({ promptTokenCount: 5, candidatesTokenCount: 3, thoughtsTokenCount: 9, totalTokenCount: 17 }),
      gemini({ promptTokenCount: 5, candidatesTokenCount: 8 }),
    ],
    usage: { inputFresh: 5, outputText: 8, outputReasoning: 9 },
  },
  {
    name: 'Google: the last figure counts, also where it is smaller than one before',
    protocol: 'gemini',
    payloads: [
      gemini({
        promptTokenCount: 900,
        cachedContentTokenCount: 600,
        toolUsePromptTokenCount: 70,
        candidatesTokenCount: 40,
        thoughtsTokenCount: 30,
        totalTokenCount: 1040,
      }),
      gemini({
        promptTokenCount: 500,
        cachedContentTokenCount: 200,
        toolUsePromptTokenCount: 7,
        candidatesTokenCount: 12,
        thoughtsTokenCount: 3,
        totalTokenCount: 522,
      }),
    ],
    usage: { inputFresh: 307, cacheRead: 200, outputText: 12, outputReasoning: 3 },
  },
  {
    name: 'Google: a last report without some figures, or without any, leaves them as they were',
    protocol: 'gemini',
    payloads: [
      gemini({ promptTokenCount: 90, toolUsePromptTokenCount: 7, candidatesTokenCount: 4 }),
      { usageMetadata: { promptTokenCount: 50, totalTokenCount: 61, candidatesTokenCount: null } },
      { usageMetadata: {} },
    ],
    usage: { inputFresh: 57, outputText: 4 },
  },
  {
    name: 'Google: a prompt that shrinks below what came from the cache',
    protocol: 'gemini',
    payloads: [
      gemini({ promptTokenCount: 90, cachedContentTokenCount: 80, candidatesTokenCount: 4 }),
      gemini({ promptTokenCount: 50, candidatesTokenCount: 4 }),
    ],
    usage: { cacheRead: 50, outputText: 4 },
  },
  {
    name: 'Google: candidates left out are derived from the total',
    protocol: 'gemini',
    payloads: [gemini({ promptTokenCount: 5, thoughtsTokenCount: 9, totalTokenCount: 20 })],
    usage: { inputFresh: 5, outputText: 6, outputReasoning: 9 },
  },
  {
    name: 'images: finished ones count, partial ones do not',
    protocol: 'images',
    payloads: [
      { type: 'image_edit.partial_image', b64_json: 'QQ==' },
      { type: 'image_edit.completed', b64_json: 'QQ==', usage: { input_tokens: 3, output_tokens: 4 } },
      { type: 'image_edit.completed', b64_json: 'QQ==', usage: { input_tokens: 3, output_tokens: 4 } },
    ],
    usage: { inputFresh: 3, outputText: 4, images: 2 },
  },
];
