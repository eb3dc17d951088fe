import { expect, test } from 'vitest';
import type { LentBytes } from '../kernel/encoding/lent-bytes.ts';
import type { Protocol } from '../kernel/protocol-name.ts';
import { AnswerWords } from './answer-words.ts';

function look(protocol: Protocol, ...pieces: readonly string[]): Pick<AnswerWords, 'model' | 'reasons'> {
  const words = new AnswerWords(protocol, 'gpt-5');
  for (const piece of pieces) words.look(Buffer.from(piece) as LentBytes);
  return { model: words.model, reasons: words.reasons };
}

test('every protocol tells its reasons and its model', () => {
  expect(
    look(
      'chat',
      '{"model":"gpt-5-2026-08-01","choices":[{"finish_reason":null}]}',
      '{"finish_reason": "stop"}',
    ),
  ).toEqual({ model: 'gpt-5-2026-08-01', reasons: ['stop'] });
  expect(look('chat', '[{"finish_reason":"stop"},{"finish_reason":"length"}]').reasons).toEqual([
    'stop',
    'length',
  ]);
  expect(look('messages', '{"delta":{"stop_reason":"tool_use"}}').reasons).toEqual(['tool_use']);
  expect(look('gemini', '{"finishReason" :\n "MAX_TOKENS","modelVersion":"gpt-5"}')).toEqual({
    model: 'gpt-5',
    reasons: ['MAX_TOKENS'],
  });
  const response = '{"status":"incomplete","model":"gpt-5","output":[{"status":"incomplete"}]}';
  expect(look('responses', '{"status":"completed"}', response).reasons).toEqual(['incomplete']);
});

test('no text of a prompt or an answer is taken', () => {
  const texts = [
    '{"finish_reason":"my secret"}',
    '{"finish_reason":"secret"}',
    '{"model":"secret"}',
    '{"model":{"finish_reason":1}}',
    JSON.stringify({ content: '{"finish_reason":"stop","model":"gpt-5"}' }),
    '{"finish_reason"',
    `{"finish_reason":"${'x'.repeat(1_000)}"}`,
  ];
  for (const text of texts) expect(look('chat', text), text).toEqual({ model: undefined, reasons: [] });
});

test('the number of reasons is bounded', () => {
  expect(look('chat', '"finish_reason":"stop",'.repeat(1_000)).reasons).toHaveLength(16);
});
