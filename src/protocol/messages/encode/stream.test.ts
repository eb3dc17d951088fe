import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  accumulate,
  call,
  dataOf,
  decode,
  delta,
  encode,
  end,
  finish,
  foreign,
  own,
  part,
  partEnd,
  signed,
  start,
  usage,
} from '../../../../test/convert/messages-events.ts';
import { runs } from '../../../../test/support/property-runs.ts';
import { wrapSignatures } from '../../hub/envelope.ts';
import type { HubEvent } from '../../hub/event.ts';
import type { Signature } from '../../hub/signature.ts';
import { messagesCodec } from '../codec.ts';

const BLOCKS_IN_ORDER = [
  'message_start',
  ...['start', 'delta', 'delta', 'stop'].map((name) => `content_block_${name} 0`),
  ...['start', 'delta', 'delta', 'stop'].map((name) => `content_block_${name} 1`),
  ...['start', 'delta', 'delta', 'stop'].map((name) => `content_block_${name} 2`),
  ...['start', 'stop'].map((name) => `content_block_${name} 3`),
  'message_delta',
  'message_stop',
];

describe('a stream for a client', () => {
  test('contains the free text of a custom call in an object', async () => {
    const custom = { ...call('t1'), custom: true };
    const events = [start, part(custom), delta('a "b"\n'), delta('\\ü'), partEnd, finish('tool'), end];
    const { content } = await accumulate(encode(events));
    expect(content).toMatchObject([{ type: 'tool_use', name: 'f', input: { input: 'a "b"\n\\ü' } }]);
  });

  test('begins at once, ends with every figure, and is read whole by the SDK', async () => {
    const signature: Signature = { issuer: 'v1-c1-m1', form: 'signature', place: 'reasoning', value: 'sig' };
    const events: HubEvent[] = [
      start,
      part({ kind: 'reasoning' }),
      delta('so'),
      signed(signature),
      part({ kind: 'text' }),
      delta('a"\n'),
      delta('ü'),
      part(call('t1')),
      delta('{"a"'),
      delta(':1}'),
      part(call('t2')),
      finish('tool'),
      { kind: 'usage', usage },
      end,
    ];
    const encoder = messagesCodec.createEncoder(own, 'sse');
    encoder.push(start);
    const opening = encoder.take();
    expect(dataOf(opening)).toMatchObject([
      {
        type: 'message_start',
        message: { id: 'msg_c1', model: 'platform/model', content: [], usage: { input_tokens: 0 } },
      },
    ]);
    for (const event of events.slice(1)) encoder.push(event);
    const text = opening + encoder.take();
    expect(encoder.take()).toBe('');
    const named = dataOf(text).map(({ type, index }) => (index === undefined ? type : `${type} ${index}`));
    expect(named).toEqual(BLOCKS_IN_ORDER);
    expect(await accumulate(text)).toMatchObject({
      id: 'msg_c1',
      model: 'platform/model',
      content: [
        { type: 'thinking', thinking: 'so', signature: 'sig' },
        { type: 'text', text: 'a"\nü' },
        { type: 'tool_use', id: 't1', name: 'f', input: { a: 1 } },
        { type: 'tool_use', id: 't2', name: 'f', input: {} },
      ],
      stop_reason: 'tool_use',
      usage: {
        input_tokens: 7,
        cache_read_input_tokens: 2,
        cache_creation_input_tokens: 0,
        output_tokens: 4,
      },
    });
  });

  test('carries the signature of a foreign call on empty thinking, and hidden thinking redacted', async () => {
    const thought: Signature = { issuer: 'g-1', form: 'thought', place: 'call', value: 'sig' };
    const cipher: Signature = {
      issuer: 'g-1',
      form: 'encrypted',
      place: 'reasoning',
      value: 'enc',
      itemId: 'rs_1',
    };
    const text = encode(
      [
        start,
        part({ kind: 'reasoning' }),
        signed(cipher),
        part({ kind: 'reasoning' }),
        delta('sum'),
        signed(cipher),
        part({ kind: 'reasoning' }),
        part({ kind: 'reasoning' }),
        signed(thought),
        part(call('t')),
        finish('tool'),
        end,
      ],
      foreign,
    );
    const read = await accumulate(text);
    expect(read.content).toMatchObject([
      { type: 'redacted_thinking', data: wrapSignatures([cipher]) },
      { type: 'thinking', thinking: 'sum', signature: wrapSignatures([cipher]) },
      { type: 'thinking', thinking: '', signature: wrapSignatures([thought]) },
      { type: 'tool_use', id: 't' },
    ]);
  });

  test('without content is a message without blocks, and a call without a reason ends with tool use', async () => {
    expect(await accumulate(encode([start, part(call('t')), end]))).toMatchObject({
      stop_reason: 'tool_use',
    });
    expect(await accumulate(encode([start, end]))).toMatchObject({ content: [], stop_reason: 'end_turn' });
    expect(dataOf(encode([end])).map(({ type }) => type)).toEqual([
      'message_start',
      'message_delta',
      'message_stop',
    ]);
  });

  test('contains no empty text, no second choice, and nothing after its end', () => {
    const text = encode([
      start,
      part({ kind: 'text' }),
      delta(''),
      part({ kind: 'refusal' }),
      delta('no'),
      { kind: 'part', choice: 1, head: { kind: 'text' } },
      { kind: 'delta', choice: 1, text: 'other' },
      finish('refusal'),
      end,
      end,
      delta('late'),
    ]);
    expect(dataOf(text).slice(1)).toMatchObject([
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'no' } },
      { type: 'content_block_stop', index: 0 },
      {
        type: 'message_delta',
        delta: { stop_reason: 'refusal', stop_details: { type: 'refusal', explanation: 'no' } },
      },
      { type: 'message_stop' },
    ]);
  });

  test('contains pictures and foreign tools as text', () => {
    const text = encode(
      [
        start,
        part({ kind: 'image', mime: 'image/png', base64: 'AAAA' }),
        part({ kind: 'server-tool', protocol: 'gemini', raw: '{}', text: 'ran' }),
        part({ kind: 'server-tool', protocol: 'messages', raw: '{"type":"x"}', text: '' }),
        end,
      ],
      foreign,
    );
    const shown = dataOf(text).filter(
      ({ type }) => type === 'content_block_delta' || type === 'content_block_start',
    );
    expect(shown).toMatchObject([
      { index: 0, content_block: { type: 'text' } },
      { index: 0, delta: { text: '[image]' } },
      { index: 1, content_block: { type: 'text' } },
      { index: 1, delta: { text: 'ran' } },
      { index: 2, content_block: { type: 'x' } },
    ]);
  });

  test('that fails contains the error in the vendor’s form and has no terminator', async () => {
    const error = { status: 503, code: '50201', type: 'server_error', message: 'gone' };
    const text = encode([start, part({ kind: 'text' }), delta('a'), { kind: 'error', error }, end]);
    expect(dataOf(text).at(-1)).toEqual({
      type: 'error',
      error: { type: 'overloaded_error', message: 'gone', code: '50201' },
    });
    await expect(accumulate(text)).rejects.toThrow('gone');
  });

  test('that is cut never ends like a complete one', () => {
    const events: HubEvent[] = [
      start,
      part({ kind: 'text' }),
      delta('a'),
      part(call('t')),
      finish('tool'),
      { kind: 'usage', usage },
    ];
    for (let length = 0; length <= events.length; length++) {
      expect(encode(events.slice(0, length))).not.toContain('message_stop');
      expect(encode(events.slice(0, length))).not.toContain('message_delta');
    }
  });
});

describe('a round trip', () => {
  const words = fc.string({ minLength: 1, maxLength: 8, unit: 'grapheme' });
  const pieces = fc.array(words, { minLength: 1, maxLength: 3 });
  const signature = fc.record({
    issuer: fc.constant('v1-c1-m1'),
    form: fc.constant('signature' as const),
    place: fc.constant('reasoning' as const),
    value: fc.stringMatching(/^[a-z]{1,8}$/),
  });
  const block = fc.oneof(
    pieces.map((texts) => [part({ kind: 'text' }), ...texts.map(delta), partEnd]),
    fc
      .tuple(pieces, signature)
      .map(([texts, seal]) => [part({ kind: 'reasoning' }), ...texts.map(delta), signed(seal), partEnd]),
    signature.map((seal) => [part({ kind: 'reasoning' }), signed({ ...seal, form: 'redacted' }), partEnd]),
    fc.array(words, { maxLength: 3 }).map((texts) => [part(call('t')), ...texts.map(delta), partEnd]),
  );

  test('preserves every event', () => {
    fc.assert(
      fc.property(fc.array(block, { maxLength: 5 }), (blocks) => {
        const body = blocks.flat();
        const reason = body.some((event) => event.kind === 'part' && event.head.kind === 'tool-call')
          ? 'tool'
          : 'stop';
        const opening: HubEvent = { kind: 'start', id: 'msg_c1', usage };
        const events: HubEvent[] = [opening, ...body, { kind: 'usage', usage }, finish(reason), end];
        expect(decode(...dataOf(encode(events)))).toEqual(events);
      }),
      { numRuns: runs(100) },
    );
  });
});
