import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  blockDelta,
  blockStart,
  blockStop,
  call,
  decode,
  delta,
  end,
  finish,
  messageStart,
  part,
  partEnd,
  said,
  signed,
  started,
} from '../../../../test/convert/messages-events.ts';
import { runs } from '../../../../test/support/property-runs.ts';
import { NO_HUB_USAGE } from '../usage.ts';

describe('a vendor’s stream', () => {
  test('keeps content that is whole in its start event', () => {
    const block = { type: 'tool_use', id: 't', name: 'f', input: { a: 1 } };
    const message = { id: 'msg_v', content: [block], stop_reason: 'tool_use', usage: { input_tokens: 9 } };
    const events = decode({ type: 'message_start', message }, { type: 'message_stop' });
    expect(events).toEqual([started(9, 0), part(call('t')), delta('{"a":1}'), partEnd, finish('tool'), end]);
  });

  test('becomes parts in order, with the finish reason last and the newest figures', () => {
    const events = decode(
      messageStart,
      { type: 'ping' },
      blockStart(0, { type: 'thinking', thinking: '', signature: '' }),
      blockDelta(0, { type: 'thinking_delta', thinking: 'so' }),
      blockDelta(0, { type: 'signature_delta', signature: 'sig' }),
      blockStop(0),
      blockStart(1, { type: 'redacted_thinking', data: 'data' }),
      blockStop(1),
      blockStart(2, { type: 'text', text: '' }),
      said(2, 'a'),
      said(2, 'b'),
      blockStop(2),
      blockStart(3, { type: 'tool_use', id: 't', name: 'f', input: {} }),
      blockDelta(3, { type: 'input_json_delta', partial_json: '' }),
      blockDelta(3, { type: 'input_json_delta', partial_json: '{"a":1}' }),
      blockStop(3),
      {
        type: 'message_delta',
        delta: { stop_reason: 'tool_use', stop_sequence: null },
        usage: { output_tokens: 20 },
      },
      { type: 'message_stop' },
    );
    const signature = { issuer: 'v1-c1-m1', place: 'reasoning' } as const;
    expect(events).toEqual([
      started(9, 1),
      part({ kind: 'reasoning' }),
      delta('so'),
      signed({ ...signature, form: 'signature', value: 'sig' }),
      partEnd,
      part({ kind: 'reasoning' }),
      signed({ ...signature, form: 'redacted', value: 'data' }),
      partEnd,
      part({ kind: 'text' }),
      delta('a'),
      delta('b'),
      partEnd,
      part(call('t')),
      delta('{"a":1}'),
      partEnd,
      { kind: 'usage', usage: { ...NO_HUB_USAGE, inputFresh: 9, outputText: 20 } },
      finish('tool'),
      end,
    ]);
  });

  test('that puts the first text into the start of a block loses none', () => {
    expect(
      decode(
        messageStart,
        blockStart(0, { type: 'text', text: 'he' }),
        said(0, 'llo'),
        blockStop(0),
        blockStart(1, { type: 'tool_use', id: 't', name: 'f', input: { a: 1 } }),
        blockStop(1),
      ).filter(({ kind }) => kind === 'delta'),
    ).toEqual([delta('he'), delta('llo'), delta('{"a":1}')]);
  });

  test('in which another model takes over has no part for that', () => {
    const events = decode(
      messageStart,
      blockStart(0, { type: 'fallback', from: { model: 'a' }, to: { model: 'b' } }),
      blockStop(0),
      blockStart(1, { type: 'text', text: '' }),
      said(1, 'a'),
      blockStop(1),
    );
    expect(events).toEqual([started(9, 1), part({ kind: 'text' }), delta('a'), partEnd, finish('stop'), end]);
  });

  test('that begins twice, mixes kinds or omits starts is corrected', () => {
    expect(
      decode(
        messageStart,
        messageStart,
        said(0, 'a'),
        blockDelta(0, { type: 'thinking_delta', thinking: 'b' }),
      ),
    ).toEqual([
      started(9, 1),
      part({ kind: 'text' }),
      delta('a'),
      partEnd,
      part({ kind: 'reasoning' }),
      delta('b'),
      partEnd,
      finish('stop'),
      end,
    ]);
  });

  test('that interleaves blocks is put in order', () => {
    const events = decode(
      messageStart,
      blockStart(0, { type: 'text', text: '' }),
      said(0, 'a'),
      blockStart(1, { type: 'tool_use', id: 't', name: 'f', input: {} }),
      blockDelta(1, { type: 'input_json_delta', partial_json: '{}' }),
      blockStart(2, { type: 'text', text: '' }),
      blockStop(1),
      said(0, 'b'),
      said(2, 'c'),
      blockStop(0),
      said(2, 'd'),
      blockStop(2),
      { type: 'message_stop' },
    );
    expect(events.slice(1)).toEqual([
      part({ kind: 'text' }),
      delta('a'),
      delta('b'),
      partEnd,
      part(call('t')),
      delta('{}'),
      partEnd,
      part({ kind: 'text' }),
      delta('c'),
      delta('d'),
      partEnd,
      finish('tool'),
      end,
    ]);
  });

  test('contains a vendor tool as a whole, and citations at the end of their text', () => {
    const citation = { type: 'web_search_result_location', url: 'https://u', title: 'T', cited_text: 'c' };
    const events = decode(
      messageStart,
      blockStart(0, { type: 'server_tool_use', id: 's', name: 'web_search', input: {} }),
      blockDelta(0, { type: 'input_json_delta', partial_json: '{"query":' }),
      blockDelta(0, { type: 'input_json_delta', partial_json: '"q"}' }),
      blockStop(0),
      blockStart(1, { type: 'text', text: '', citations: [] }),
      blockDelta(1, { type: 'citations_delta', citation }),
      said(1, 'abc'),
      blockStop(1),
    );
    expect(events.slice(1, 7)).toEqual([
      part({
        kind: 'server-tool',
        protocol: 'messages',
        raw: '{"type":"server_tool_use","id":"s","name":"web_search","input":{"query":"q"}}',
        text: '[web_search {"query":"q"}]',
        search: { queries: ['q'], pages: [] },
      }),
      partEnd,
      part({ kind: 'text' }),
      delta('abc'),
      {
        kind: 'citation',
        choice: 0,
        citation: { url: 'https://u', title: 'T', start: 0, end: 3, citedText: 'c' },
      },
      partEnd,
    ]);
  });

  test('that fails is an error and nothing after it', () => {
    expect(
      decode(
        messageStart,
        { type: 'error', error: { type: 'overloaded_error', message: 'm' } },
        said(0, 'late'),
      ),
    ).toEqual([
      started(9, 1),
      { kind: 'error', error: { status: 529, code: undefined, type: 'overloaded_error', message: 'm' } },
    ]);
  });

  test('never makes the decoder throw, for any events', () => {
    const types = [
      'message_start',
      'content_block_start',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
    ];
    const event = fc.record(
      {
        type: fc.constantFrom(...types, 'ping', 'x'),
        index: fc.oneof(fc.integer({ min: -1, max: 2 }), fc.string()),
        delta: fc.oneof(
          fc.jsonValue(),
          fc.record({ type: fc.constantFrom('text_delta', 'input_json_delta', 'citations_delta') }),
        ),
        content_block: fc.oneof(
          fc.jsonValue(),
          fc.record({ type: fc.constantFrom('text', 'tool_use', 'thinking', 'y') }),
        ),
        message: fc.jsonValue(),
        usage: fc.jsonValue(),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.array(event, { maxLength: 20 }), (events) => {
        const decoded = decode(...events);
        expect(decoded[0]?.kind).toBe('start');
        expect(decoded.at(-1)).toEqual(end);
        expect(decoded.filter(({ kind }) => kind === 'finish')).toHaveLength(1);
      }),
      { numRuns: runs(150) },
    );
  });
});
