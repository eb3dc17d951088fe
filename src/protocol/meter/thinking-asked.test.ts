import { expect, it } from 'vitest';
import { READ_AGAIN_BYTES_MAX } from '../../bounds.ts';
import type { Protocol } from '../../kernel/protocol-name.ts';
import { type ThinkingAsked, thinkingAsked } from './thinking-asked.ts';

const ROWS: readonly (readonly [Protocol, string, ThinkingAsked])[] = [
  ['chat', '{"model":"m"}', 'unset'],
  ['chat', '{"reasoning_effort":"high"}', 'on'],
  ['chat', '{"reasoning_effort":"none"}', 'off'],
  ['chat', '{"reasoning_effort":null}', 'off'],
  ['chat', '{"thinking":{"type":"enabled"}}', 'on'],
  ['chat', '{"messages":[{"content":"\\"reasoning_effort\\":\\"high\\""}]}', 'unset'],
  ['responses', '{"reasoning":{"effort":"low","summary":"auto"}}', 'on'],
  ['responses', '{"reasoning":{"effort":"none"}}', 'off'],
  ['responses', '{"reasoning":{"summary":"auto"}}', 'unset'],
  ['messages', '{"thinking":{"type":"adaptive"}}', 'on'],
  ['messages', '{"thinking":{"type":"disabled"}}', 'off'],
  ['gemini', '{"generationConfig":{"thinkingConfig":{"thinkingBudget":0}}}', 'off'],
  ['gemini', '{"generation_config":{"thinking_config":{"thinking_level":"HIGH"}}}', 'on'],
  ['images', '{"thinking":{"type":"enabled"}}', 'unset'],
  ['chat', 'no object', 'unset'],
];

it.each(ROWS)('%s %s: %s', (protocol, body, asked) => {
  const bytes = Buffer.from(body);
  expect(thinkingAsked(protocol, [bytes])).toBe(asked);
  expect(thinkingAsked(protocol, [bytes.subarray(0, 5), bytes.subarray(5)])).toBe(asked);
});

it('a request that is too long to be inspected has no answer', () => {
  const long = Buffer.from(`{"x":"${'x'.repeat(READ_AGAIN_BYTES_MAX)}","reasoning_effort":"high"}`);
  expect(thinkingAsked('chat', [long])).toBe('unset');
});
