import { describe, expect, it } from 'vitest';
import { ESTIMATE_PENDING_BYTES_MAX } from '../bounds.ts';
import type { Protocol } from '../kernel/protocol-name.ts';
import { NO_USAGE, type Usage } from '../kernel/usage.ts';
import type { RequestFacts, StreamRelay } from './dialect.ts';
import { dialectOf } from './registry.ts';
import { countTokens } from './tokens.ts';

const FACTS = { usageInjected: false } as RequestFacts;

function relayed(protocol: Protocol, payloads: readonly unknown[]): StreamRelay {
  const relay = dialectOf(protocol).relayStream('sse', FACTS, 'm');
  for (const payload of payloads) relay.push(Buffer.from(`data: ${JSON.stringify(payload)}\n\n`));
  return relay;
}

const usageOf = (part: Partial<Usage>): Usage => ({ ...NO_USAGE, ...part });

const chat = (usage: unknown): unknown => ({ choices: [], usage });
const start = (usage: unknown): unknown => ({ type: 'message_start', message: { model: 'x', usage } });
const delta = (usage: unknown): unknown => ({ type: 'message_delta', delta: {}, usage });
const completed = (usage: unknown): unknown => ({ type: 'response.completed', response: { usage } });
const gemini = (usageMetadata: unknown): unknown => ({
  candidates: [{ content: { parts: [{ text: 'x' }] }, finishReason: 'STOP' }],
  usageMetadata,
});

interface Row {
  readonly name: string;
  readonly protocol: Protocol;
  readonly payloads: readonly unknown[];
  readonly usage: Partial<Usage>;
}

const ROWS: readonly Row[] = [
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

describe('reported usage, in buckets that do not overlap', () => {
  it.each(ROWS)('$name', ({ protocol, payloads, usage }) => {
    expect(relayed(protocol, payloads).usage()).toEqual({
      usage: usageOf(usage),
      estimated: false,
      inputReported: true,
    });
  });
});

describe('absurd figures are treated as not reported', () => {
  const text = { choices: [{ delta: { content: 'one two three four' } }] };
  it.each([-1, 1.5, '7', null, 1e300, 100_000_001, [], {}])('%j', (absurd) => {
    const both = relayed('chat', [text, chat({ prompt_tokens: absurd, completion_tokens: absurd })]).usage();
    expect(both).toMatchObject({ inputReported: false, estimated: true });
    expect(both.usage).toEqual(usageOf({ outputText: countTokens('one two three four') }));
  });

  it('1e400 too, which JSON.parse would call infinite', () => {
    const relay = relayed('chat', [text]);
    relay.push(
      Buffer.from('data: {"choices":[],"usage":{"prompt_tokens":1e400,"completion_tokens":1e400}}\n\n'),
    );
    expect(relay.usage()).toMatchObject({ inputReported: false, estimated: true });
  });

  it('a good figure beside a bad one is kept', () => {
    const mixed = relayed('chat', [text, chat({ prompt_tokens: 9, completion_tokens: -3 })]).usage();
    expect(mixed).toMatchObject({ inputReported: true, estimated: true });
    expect(mixed.usage).toEqual(usageOf({ inputFresh: 9, outputText: countTokens('one two three four') }));
  });

  it('whole numbers in another spelling are good', () => {
    const relay = relayed('chat', []);
    relay.push(Buffer.from('data: {"choices":[],"usage":{"prompt_tokens":1e2,"completion_tokens":7.0}}\n\n'));
    expect(relay.usage().usage).toEqual(usageOf({ inputFresh: 100, outputText: 7 }));
  });
});

describe('an interrupted stream is counted from what it delivered', () => {
  const story = 'Once upon a time, in a land far away, there lived a quiet programmer.';
  const words = story.match(/\s*\S+/g) ?? [];
  const total = countTokens(story);

  const interrupted: readonly (readonly [string, Protocol, readonly unknown[], number])[] = [
    [
      'chat content',
      'chat',
      words.map((content) => ({
        choices: [{ delta: { content }, logprobs: { content: [{ token: content }] } }],
      })),
      total,
    ],
    [
      'chat reasoning',
      'chat',
      words.map((text) => ({ choices: [{ delta: { reasoning_content: text } }] })),
      total,
    ],
    [
      'OpenRouter reasoning, told twice',
      'chat',
      words.map((text) => ({ choices: [{ delta: { reasoning: text, reasoning_details: [{ text }] } }] })),
      total,
    ],
    ['chat refusals', 'chat', words.map((refusal) => ({ choices: [{ delta: { refusal } }] })), total],
    [
      'chat tool arguments',
      'chat',
      words.map((text) => ({
        choices: [{ delta: { tool_calls: [{ index: 0, function: { arguments: text } }] } }],
      })),
      total,
    ],
    [
      'responses text',
      'responses',
      words.map((text) => ({ type: 'response.output_text.delta', delta: text, logprobs: [] })),
      total,
    ],
    [
      'responses arguments',
      'responses',
      words.map((text) => ({ delta: text, type: 'response.function_call_arguments.delta' })),
      total,
    ],
    [
      'messages text',
      'messages',
      words.map((text) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })),
      total,
    ],
    [
      'messages thinking',
      'messages',
      words.map((thinking) => ({ type: 'content_block_delta', delta: { type: 'thinking_delta', thinking } })),
      total,
    ],
    [
      'messages tool input',
      'messages',
      words.map((text) => ({
        type: 'content_block_delta',
        delta: { type: 'input_json_delta', partial_json: text },
      })),
      total,
    ],
    [
      'generate-content text',
      'gemini',
      words.map((text) => ({ candidates: [{ content: { parts: [{ text }] } }] })),
      total,
    ],
  ];
  it.each(interrupted)('%s', (_name, protocol, payloads, tokens) => {
    expect(relayed(protocol, payloads).usage()).toEqual({
      usage: usageOf({ outputText: tokens }),
      estimated: true,
      inputReported: false,
    });
  });

  it('function calls of generate-content count as they are written', () => {
    const payload = {
      candidates: [{ content: { parts: [{ functionCall: { name: 'f', args: { city: 'Paris' } } }] } }],
    };
    expect(relayed('gemini', [payload]).usage().usage.outputText).toBe(countTokens('{"city":"Paris"}'));
  });

  it('message_start gives the input, and its small output is not charged: nothing is generated yet', () => {
    const begun = start({ input_tokens: 30, cache_read_input_tokens: 5, output_tokens: 3 });
    expect(relayed('messages', [begun]).usage()).toMatchObject({
      usage: { inputFresh: 30, cacheRead: 5, outputText: 0 },
      estimated: true,
      inputReported: true,
    });
    const texts = words.map((text) => ({ type: 'content_block_delta', delta: { type: 'text_delta', text } }));
    expect(relayed('messages', [begun, ...texts]).usage().usage.outputText).toBe(total);
  });

  it('a report in the middle covers what came before it, and only the rest is counted', () => {
    const before = {
      choices: [{ delta: { content: 'hidden in the figure' } }],
      usage: { prompt_tokens: 4, completion_tokens: 90 },
    };
    const after = { choices: [{ delta: { content: story } }] };
    expect(relayed('chat', [before, after]).usage()).toMatchObject({
      usage: { inputFresh: 4, outputText: 90 + total },
      estimated: true,
    });
  });

  it('early chunks of Google that report the prompt alone do not make the text free', () => {
    const chunks = words.map((text) => ({
      candidates: [{ content: { parts: [{ text }] } }],
      usageMetadata: { promptTokenCount: 6, totalTokenCount: 6 },
    }));
    expect(relayed('gemini', chunks).usage()).toMatchObject({
      usage: { inputFresh: 6, outputText: total },
      estimated: true,
      inputReported: true,
    });
  });

  it('asking again and again counts nothing twice', () => {
    const relay = relayed('chat', []);
    for (const content of words) {
      relay.push(Buffer.from(`data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`));
      relay.usage();
    }
    expect(Math.abs(relay.usage().usage.outputText - total)).toBeLessThanOrEqual(3);
  });

  it('a long stream is counted in bounded memory, within two percent', () => {
    const count = 5_000;
    const relay = relayed('chat', Array(count).fill({ choices: [{ delta: { content: ` ${story}` } }] }));
    expect(count * story.length).toBeGreaterThan(ESTIMATE_PENDING_BYTES_MAX);
    const exact = countTokens(` ${story}`) * count;
    expect(Math.abs(relay.usage().usage.outputText - exact) / exact).toBeLessThan(0.02);
  });
});
