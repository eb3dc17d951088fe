import { describe, expect, it } from 'vitest';
import { ESTIMATE_PENDING_BYTES_MAX } from '../../bounds.ts';
import type { Protocol } from '../../kernel/protocol-name.ts';
import { NO_USAGE, type Usage } from '../../kernel/usage.ts';
import type { RequestFacts, StreamRelay } from '../dialect.ts';
import { getDialect } from '../registry.ts';
import { chat, start, USAGE_REPORTS } from '../suite/usage-reports.ts';
import { countTokens } from './tokens.ts';

const FACTS = { usageInjected: false } as RequestFacts;

function relayed(protocol: Protocol, payloads: readonly unknown[]): StreamRelay {
  const relay = getDialect(protocol).relayStream('sse', FACTS, 'm');
  for (const payload of payloads) relay.push(Buffer.from(`data: ${JSON.stringify(payload)}\n\n`));
  return relay;
}

const createUsage = (part: Partial<Usage>): Usage => ({ ...NO_USAGE, ...part });

describe('reported usage, in buckets that do not overlap', () => {
  it.each(USAGE_REPORTS)('$name', ({ protocol, payloads, usage }) => {
    expect(relayed(protocol, payloads).usage()).toEqual({
      usage: createUsage(usage),
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
    expect(both.usage).toEqual(createUsage({ outputText: countTokens('one two three four') }));
  });

  it('such as 1e400, which JSON.parse reads as infinite', () => {
    const relay = relayed('chat', [text]);
    relay.push(
      Buffer.from('data: {"choices":[],"usage":{"prompt_tokens":1e400,"completion_tokens":1e400}}\n\n'),
    );
    expect(relay.usage()).toMatchObject({ inputReported: false, estimated: true });
  });

  it('but a good figure beside a bad one is kept', () => {
    const mixed = relayed('chat', [text, chat({ prompt_tokens: 9, completion_tokens: -3 })]).usage();
    expect(mixed).toMatchObject({ inputReported: true, estimated: true });
    expect(mixed.usage).toEqual(
      createUsage({ inputFresh: 9, outputText: countTokens('one two three four') }),
    );
  });

  it('and whole numbers in another spelling are good', () => {
    const relay = relayed('chat', []);
    relay.push(Buffer.from('data: {"choices":[],"usage":{"prompt_tokens":1e2,"completion_tokens":7.0}}\n\n'));
    expect(relay.usage().usage).toEqual(createUsage({ inputFresh: 100, outputText: 7 }));
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
      usage: createUsage({ outputText: tokens }),
      estimated: true,
      inputReported: false,
    });
  });

  it('with function calls of generate-content as they are written', () => {
    const payload = {
      candidates: [{ content: { parts: [{ functionCall: { name: 'f', args: { city: 'Paris' } } }] } }],
    };
    expect(relayed('gemini', [payload]).usage().usage.outputText).toBe(countTokens('{"city":"Paris"}'));
  });

  it('with the input of message_start, whose small output is not charged', () => {
    const begun = start({ input_tokens: 30, cache_read_input_tokens: 5, output_tokens: 3 });
    expect(relayed('messages', [begun]).usage()).toMatchObject({
      usage: { inputFresh: 30, cacheRead: 5, outputText: 0 },
      estimated: true,
      inputReported: true,
    });
    const texts = words.map((text) => ({ type: 'content_block_delta', delta: { type: 'text_delta', text } }));
    expect(relayed('messages', [begun, ...texts]).usage().usage.outputText).toBe(total);
  });

  it('with a report in the middle, after which only the rest is counted', () => {
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

  it('with early chunks of Google that report the prompt alone, and its text counted', () => {
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

  it('and repeated reads count nothing twice', () => {
    const relay = relayed('chat', []);
    for (const content of words) {
      relay.push(Buffer.from(`data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`));
      relay.usage();
    }
    expect(Math.abs(relay.usage().usage.outputText - total)).toBeLessThanOrEqual(3);
  });

  it('and a long stream in bounded memory, within two percent', () => {
    const count = 5_000;
    const relay = relayed('chat', Array(count).fill({ choices: [{ delta: { content: ` ${story}` } }] }));
    expect(count * story.length).toBeGreaterThan(ESTIMATE_PENDING_BYTES_MAX);
    const exact = countTokens(` ${story}`) * count;
    expect(Math.abs(relay.usage().usage.outputText - exact) / exact).toBeLessThan(0.02);
  });
});
