import { expect, expectTypeOf, it } from 'vitest';
import type { Protocol } from '../../kernel/protocol-name.ts';
import type { Splitter } from '../bytes/splitter.ts';
import type { RequestFacts, StreamRelay, TakeEvent } from '../dialect.ts';
import { getDialect } from '../registry.ts';
import type { EventReader } from './relay.ts';

const FACTS = { usageInjected: false } as RequestFacts;

/** What is known of the answer's end after an event. */
type Known = 'open' | 'ended' | 'reported';
type Step = readonly [event: object | string, known: Known];

const chat = (delta: object, finish: string | null = null): object => ({
  choices: [{ index: 0, delta, finish_reason: finish }],
});
const text = (words: string): object => ({ type: 'response.output_text.delta', delta: words });
const item = (kind: 'added' | 'done', type: string): object => ({
  type: `response.output_item.${kind}`,
  item: { type },
});
const block = (index: number, type: string): object => ({
  type: 'content_block_start',
  index,
  content_block: { type },
});
const USAGE = { input_tokens: 3, output_tokens: 4 };

const ROWS: readonly (readonly [string, Protocol, readonly Step[]])[] = [
  [
    'a finish reason, until another choice speaks',
    'chat',
    [
      [chat({ role: 'assistant' }), 'open'],
      [chat({ content: 'a' }), 'open'],
      [chat({ content: 'b' }), 'open'],
      [chat({}, 'stop'), 'ended'],
      [{ choices: [] }, 'ended'],
      [chat({ content: 'c' }), 'open'],
      [chat({}, 'length'), 'ended'],
      [{ choices: [], usage: { prompt_tokens: 1, completion_tokens: 2 } }, 'reported'],
    ],
  ],
  [
    'a finish reason in the chunk with the last words, or with the whole of a call',
    'chat',
    [
      [chat({ content: 'a' }), 'open'],
      [chat({ tool_calls: [{ index: 0, function: { name: 'f', arguments: '{}' } }] }, 'tool_calls'), 'ended'],
      ['[DONE]', 'ended'],
    ],
  ],
  [
    'the last item, unless it is reasoning',
    'responses',
    [
      [{ type: 'response.created', response: {} }, 'open'],
      [item('added', 'reasoning'), 'open'],
      [item('done', 'reasoning'), 'open'],
      [item('added', 'message'), 'open'],
      [text('a'), 'open'],
      [item('done', 'message'), 'ended'],
      [item('added', 'function_call'), 'open'],
      [item('done', 'function_call'), 'ended'],
      [{ type: 'response.completed', response: { usage: USAGE } }, 'reported'],
    ],
  ],
  [
    'the last block, unless it is thinking; and the message’s own word',
    'messages',
    [
      [{ type: 'message_start', message: { usage: { input_tokens: 3, output_tokens: 1 } } }, 'open'],
      [block(0, 'thinking'), 'open'],
      [{ type: 'content_block_stop', index: 0 }, 'open'],
      [block(1, 'text'), 'open'],
      [{ type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'a' } }, 'open'],
      [{ type: 'content_block_stop', index: 1 }, 'ended'],
      [block(2, 'tool_use'), 'open'],
      [{ type: 'content_block_stop', index: 2 }, 'ended'],
      [{ type: 'message_delta', delta: { stop_reason: 'tool_use' } }, 'ended'],
      [{ type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: USAGE }, 'reported'],
    ],
  ],
  [
    'Google’s finish reason',
    'gemini',
    [
      [{ candidates: [{ content: { parts: [{ text: 'a' }] } }] }, 'open'],
      [{ candidates: [{ finishReason: 'STOP' }] }, 'ended'],
      [{ usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 } }, 'reported'],
    ],
  ],
];

it.each(ROWS)('the end of an answer is %s (%s)', (_name, protocol, steps) => {
  const relay = getDialect(protocol).relayStream('sse', FACTS, 'm');
  for (const [event, known] of steps) {
    const data = typeof event === 'string' ? event : JSON.stringify(event);
    relay.push(Buffer.from(`data: ${data}\n\n`));
    const now = relay.reported ? 'reported' : relay.ended ? 'ended' : 'open';
    expect([data, now]).toEqual([data, known]);
  }
});

it('no part of a relay can demand bytes that it may keep', () => {
  expectTypeOf<(chunk: Buffer) => undefined>().not.toExtend<StreamRelay['push']>();
  expectTypeOf<(chunk: Buffer) => void>().not.toExtend<Splitter['feed']>();
  expectTypeOf<(payload: Buffer) => void>().not.toExtend<EventReader['read']>();
  expectTypeOf<(payload: Buffer) => void>().not.toExtend<TakeEvent>();
});
