import { describe, expect, test } from 'vitest';
import { INTERLEAVED_EVENTS_MAX } from '../../../bounds.ts';
import type { HubEvent } from '../../hub/event.ts';
import { openDecoder } from '../../suite/reported.ts';
import { responsesCodec } from '../codec.ts';
import { collect } from '../suite/collect.ts';
import { decodeEvents, OWN } from '../suite/world.ts';

type Json = Record<string, unknown>;
const event = (type: string, fields: object = {}): Json => ({ type: `response.${type}`, ...fields });
const created = event('created', { response: { id: 'resp_9', status: 'in_progress', output: [] } });
const added = (output_index: number, item: object): Json =>
  event('output_item.added', { output_index, item });
const done = (output_index: number, item: object): Json => event('output_item.done', { output_index, item });
const words = (output_index: number, delta: string, content_index = 0): Json =>
  event('output_text.delta', { output_index, content_index, delta, logprobs: [] });
const completed = (more: object = {}): Json =>
  event('completed', { response: { id: 'resp_9', status: 'completed', ...more } });
const fn = (call_id: string, args: string): Json => ({
  type: 'function_call',
  id: `fc_${call_id}`,
  call_id,
  name: 'f',
  arguments: args,
});
const message = (...content: object[]): Json => ({
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  content,
});
const text = (said: string): Json => ({ type: 'output_text', text: said, annotations: [] });
const kinds = (events: readonly HubEvent[]): string[] => events.map((one) => one.kind);

describe('a stream of the vendor', () => {
  test('starts once, with any first event', () => {
    expect(kinds(decodeEvents([created, event('in_progress'), words(0, 'a')]))).toEqual([
      'start',
      'part',
      'delta',
    ]);
    expect(decodeEvents([words(0, 'a')])[0]).toEqual({ kind: 'start', id: undefined, usage: undefined });
    expect(decodeEvents([created])[0]).toMatchObject({ id: 'resp_9' });
  });

  test('emits usage, finish and end with its last event, and nothing after it', () => {
    const usage = {
      input_tokens: 20,
      input_tokens_details: { cached_tokens: 5, cache_write_tokens: 4 },
      output_tokens: 9,
      output_tokens_details: { reasoning_tokens: 2 },
    };
    const events = decodeEvents([created, completed({ usage }), words(0, 'late')]);
    expect(events.slice(1)).toEqual([
      {
        kind: 'usage',
        usage: {
          inputFresh: 11,
          cacheRead: 5,
          cacheWrite: 4,
          cacheWriteLong: 0,
          toolPrompt: 0,
          outputText: 7,
          outputReasoning: 2,
          images: 0,
          videos: 0,
        },
      },
      { kind: 'finish', choice: 0, finish: { reason: 'stop' } },
      { kind: 'end' },
    ]);
  });

  test('emits arguments once, in pieces, whole, or both', () => {
    const piece = event('function_call_arguments.delta', { output_index: 0, delta: '{"a":1}' });
    const whole = event('function_call_arguments.done', { output_index: 0, arguments: '{"a":1}' });
    const open = added(0, fn('c1', ''));
    const close = done(0, fn('c1', '{"a":1}'));
    for (const middle of [[piece], [whole], [piece, whole], []]) {
      const { parts, finish } = collect(decodeEvents([created, open, ...middle, close, completed()]));
      expect(parts).toEqual([
        { kind: 'tool-call', id: 'c1', name: 'f', arguments: '{"a":1}', custom: false },
      ]);
      expect(finish).toEqual({ reason: 'tool' });
    }
  });

  test('identifies items by their index, not by ids that change with every event', () => {
    const { parts } = collect(
      decodeEvents([
        created,
        added(0, { ...message(), id: 'a' }),
        { ...words(0, 'x'), item_id: 'b' },
        { ...words(0, 'y'), item_id: 'c' },
        done(0, { ...message(text('xy')), id: 'd' }),
        completed(),
      ]),
    );
    expect(parts).toEqual([{ kind: 'text', text: 'xy' }]);
  });

  test('puts interleaved items in order', () => {
    const piece = (output_index: number, delta: string): Json =>
      event('function_call_arguments.delta', { output_index, delta });
    const events = decodeEvents([
      created,
      added(0, fn('c0', '')),
      added(1, fn('c1', '')),
      piece(1, '{"b"'),
      piece(0, '{"a"'),
      added(2, message()),
      words(2, 'so'),
      piece(1, ':2}'),
      done(1, fn('c1', '{"b":2}')),
      piece(0, ':1}'),
      done(0, fn('c0', '{"a":1}')),
      words(2, ' it is'),
      done(2, message(text('so it is'))),
      completed(),
    ]);
    expect(collect(events).parts).toMatchObject([
      { id: 'c0', arguments: '{"a":1}' },
      { id: 'c1', arguments: '{"b":2}' },
      { text: 'so it is' },
    ]);
  });

  test('ignores further events of an item that is done', () => {
    const whole = [created, added(0, message()), words(0, 'x'), done(0, message(text('x')))];
    const { parts } = collect(
      decodeEvents([...whole, words(0, 'late'), done(0, message(text('x'))), completed()]),
    );
    expect(parts).toEqual([{ kind: 'text', text: 'x' }]);
  });

  test('that interleaves items beyond the bound fails', () => {
    const held = Array.from({ length: 2 * INTERLEAVED_EVENTS_MAX }, (_, index) =>
      words(1 + (index % 9), 'x'),
    );
    const events = decodeEvents([created, added(0, message()), ...held, completed()]);
    expect(events.at(-1)).toMatchObject({ kind: 'error' });
  });

  test('handles thousands of items that waited', () => {
    const waiting = Array.from({ length: 9_000 }, (_, index) => [
      added(index + 1, fn(`c${index}`, '')),
      done(index + 1, fn(`c${index}`, '{}')),
    ]).flat();
    const events = decodeEvents([created, added(0, message()), ...waiting, done(0, message()), completed()]);
    expect(collect(events).parts).toHaveLength(9_000);
  });

  test('joins the parts of a summary, and keeps the ciphertext of the finished item', () => {
    const summary = (summary_index: number, delta: string): Json =>
      event('reasoning_summary_text.delta', { output_index: 0, summary_index, delta });
    const item = { type: 'reasoning', id: 'rs_7', summary: [], encrypted_content: 'early' };
    const { parts } = collect(
      decodeEvents([
        created,
        added(0, item),
        summary(0, 'one'),
        summary(1, 'two'),
        done(0, { ...item, encrypted_content: 'final' }),
        completed(),
      ]),
    );
    expect(parts).toEqual([
      {
        kind: 'reasoning',
        text: 'one\n\ntwo',
        signature: { issuer: 'r-1', form: 'encrypted', place: 'reasoning', value: 'final', itemId: 'rs_7' },
      },
    ]);
  });

  test('contains readable thinking, and no empty thinking', () => {
    const aloud = event('reasoning_text.delta', { output_index: 0, content_index: 0, delta: 'hm' });
    const item = { type: 'reasoning', id: 'rs_1', summary: [] };
    const full = { ...item, content: [{ type: 'reasoning_text', text: 'hm' }] };
    const thought = [{ kind: 'reasoning', text: 'hm' }];
    expect(collect(decodeEvents([created, added(0, item), aloud, done(0, full), completed()])).parts).toEqual(
      thought,
    );
    expect(collect(decodeEvents([created, done(0, full), completed()])).parts).toEqual(thought);
    expect(collect(decodeEvents([created, added(0, item), done(0, item), completed()])).parts).toEqual([]);
  });

  test('gives each part of a message its own citations, with or without an added event', () => {
    const annotation = { type: 'url_citation', url: 'https://a', title: 'A', start_index: 0, end_index: 1 };
    const note = event('output_text.annotation.added', { output_index: 0, content_index: 0, annotation });
    const cited = { ...text('x'), annotations: [annotation] };
    const whole = message(cited, { type: 'refusal', refusal: 'no' });
    const parts = [
      { kind: 'text', text: 'x', citations: [{ url: 'https://a', title: 'A', start: 0, end: 1 }] },
      { kind: 'refusal', text: 'no' },
    ];
    const partDone = event('content_part.done', { output_index: 0, content_index: 0, part: cited });
    const head = [created, added(0, message()), words(0, 'x')];
    expect(collect(decodeEvents([...head, note, partDone, done(0, whole), completed()])).parts).toEqual(
      parts,
    );
    expect(collect(decodeEvents([...head, partDone, done(0, whole), completed()])).parts).toEqual(parts);
    expect(collect(decodeEvents([created, done(0, whole), completed()])).parts).toEqual(parts);
  });

  test('that contains its output only at the end is decoded there', () => {
    const output = [message(text('all')), fn('c1', '{}')];
    expect(collect(decodeEvents([created, completed({ output })])).parts).toMatchObject([
      { text: 'all' },
      { id: 'c1' },
    ]);
  });

  test('that never closed its items is closed at its end', () => {
    const { parts, isEnded } = collect(
      decodeEvents([created, added(0, message()), words(0, 'x'), completed()]),
    );
    expect([parts, isEnded]).toEqual([[{ kind: 'text', text: 'x' }], true]);
  });

  test.each([
    ['max_output_tokens', 'length'],
    ['content_filter', 'filter'],
    ['max_messages', 'length'],
    ['steered', 'stop'],
  ])('is incomplete by %s', (reason, expected) => {
    const response = { status: 'incomplete', incomplete_details: { reason } };
    expect(collect(decodeEvents([created, event('incomplete', { response })])).finish).toEqual({
      reason: expected,
    });
  });

  test('fails once, in any form of the error', () => {
    const inner = { code: 'rate_limit_exceeded', message: 'slow down' };
    const failed = event('failed', { response: { status: 'failed', error: inner } });
    const expected = {
      kind: 'error',
      error: { status: 429, code: 'rate_limit_exceeded', message: 'slow down' },
    };
    for (const told of [
      failed,
      { type: 'error', ...inner },
      { type: 'error', error: inner },
      { error: inner },
    ]) {
      const events = decodeEvents([created, told, failed, completed()]);
      expect(events.slice(1)).toMatchObject([expected]);
    }
  });

  test('ignores unknown events', () => {
    const odd = [
      { type: 'keepalive' },
      event('web_search_call.searching', { output_index: 0 }),
      { type: 7 },
      {},
      event('output_text.delta', { delta: 7, output_index: 'x' }),
      event('output_item.added', { item: null }),
      event('output_item.done', { item: [] }),
    ];
    expect(kinds(decodeEvents([created, ...odd, completed({ output: 7, usage: [] })]))).toEqual([
      'start',
      'finish',
      'end',
    ]);
  });

  test('can be ended by the caller when its terminator was found elsewhere', () => {
    const found: HubEvent[] = [];
    const decoder = openDecoder(responsesCodec, OWN, (one) => found.push(one));
    decoder.push(words(0, 'x') as never);
    decoder.finish();
    decoder.finish();
    expect(kinds(found)).toEqual(['start', 'part', 'delta', 'part-end', 'finish', 'end']);
  });
});
