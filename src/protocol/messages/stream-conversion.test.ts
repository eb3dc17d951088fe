import Anthropic from '@anthropic-ai/sdk';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { someRequest, someTarget } from '../../../test/support/hub.ts';
import type { Blob } from '../hub/blob.ts';
import { wrapBlobs } from '../hub/envelope.ts';
import type { HubEvent, PartHead } from '../hub/event.ts';
import type { JsonObject } from '../hub/json.ts';
import type { Session, Target } from '../hub/spoke.ts';
import { NO_HUB_USAGE } from './convert-usage.ts';
import { messagesSpoke } from './spoke.ts';

const session = (target: Partial<Target> = {}): Session => ({
  request: someRequest({ client: 'messages', stream: true }),
  target: someTarget(target),
  modelId: 'platform/model',
  callId: 'c1',
  createdAtS: 1,
});
const own = session();
const foreign = session({ protocol: 'gemini', issuer: 'g-1' });

function decode(...events: object[]): HubEvent[] {
  const emitted: HubEvent[] = [];
  const decoder = messagesSpoke.createDecoder(own, (event) => emitted.push(event));
  for (const event of events) decoder.push(event as JsonObject);
  decoder.finish();
  decoder.finish();
  return emitted;
}

function encode(events: readonly HubEvent[], on: Session = own): string {
  const encoder = messagesSpoke.createEncoder(on, 'sse');
  for (const event of events) encoder.push(event);
  return encoder.take();
}

/** The data of all events, and proof that each event is named as its data is. */
function dataOf(text: string): Record<string, unknown>[] {
  if (text === '') return [];
  expect(text.endsWith('\n\n')).toBe(true);
  return text
    .slice(0, -2)
    .split('\n\n')
    .map((block) => {
      const [head, data, ...more] = block.split('\n');
      expect(more).toEqual([]);
      const parsed = JSON.parse((data as string).slice('data: '.length));
      expect(head).toBe(`event: ${parsed.type}`);
      return parsed;
    });
}

async function accumulate(text: string): Promise<Anthropic.Message> {
  const client = new Anthropic({
    apiKey: 'x',
    maxRetries: 0,
    fetch: async () => new Response(text, { headers: { 'content-type': 'text/event-stream' } }),
  });
  const stream = client.messages.stream({
    model: 'm',
    max_tokens: 1,
    messages: [{ role: 'user', content: 'x' }],
  });
  return await stream.finalMessage();
}

const usage = { ...NO_HUB_USAGE, inputFresh: 7, cacheRead: 2, outputText: 3, outputReasoning: 1 };
const start: HubEvent = { kind: 'start', id: 'v', usage: undefined };
const end: HubEvent = { kind: 'end' };
const part = (head: PartHead): HubEvent => ({ kind: 'part', choice: 0, head });
const delta = (text: string): HubEvent => ({ kind: 'delta', choice: 0, text });
const blobbed = (blob: Blob): HubEvent => ({ kind: 'blob', choice: 0, blob });
const partEnd: HubEvent = { kind: 'part-end', choice: 0 };
const finish = (reason: 'stop' | 'tool' | 'refusal'): HubEvent => ({
  kind: 'finish',
  choice: 0,
  finish: { reason },
});
const call = (id: string): PartHead => ({ kind: 'tool-call', id, name: 'f', custom: false });

const messageStart = {
  type: 'message_start',
  message: { id: 'msg_v', usage: { input_tokens: 9, output_tokens: 1 } },
};
const blockStart = (index: number, content_block: object): object => ({
  type: 'content_block_start',
  index,
  content_block,
});
const blockDelta = (index: number, change: object): object => ({
  type: 'content_block_delta',
  index,
  delta: change,
});
const blockStop = (index: number): object => ({ type: 'content_block_stop', index });
const said = (index: number, text: string): object => blockDelta(index, { type: 'text_delta', text });
const started = (tokens: number, output: number): HubEvent => ({
  kind: 'start',
  id: 'msg_v',
  usage: { ...NO_HUB_USAGE, inputFresh: tokens, outputText: output },
});

describe('a vendor’s stream', () => {
  test('becomes parts one after the other, its reason last, its figures overlaid', () => {
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
    const blob = { issuer: 'v1-c1-m1', place: 'reasoning' } as const;
    expect(events).toEqual([
      started(9, 1),
      { kind: 'ping' },
      part({ kind: 'reasoning' }),
      delta('so'),
      blobbed({ ...blob, form: 'signature', value: 'sig' }),
      partEnd,
      part({ kind: 'reasoning' }),
      blobbed({ ...blob, form: 'redacted', value: 'data' }),
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

  test('that puts the first words into the start of a block loses none', () => {
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

  test('that begins twice, mixes up kinds or leaves starts out is put right', () => {
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

  test('shows a tool of the vendor whole, and citations at the end of their text', () => {
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

  test('may be anything: no event makes the decoder throw', () => {
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
        expect(decoded[0]?.kind === 'start' || decoded[0]?.kind === 'ping').toBe(true);
        expect(decoded.at(-1)).toEqual(end);
        expect(decoded.filter(({ kind }) => kind === 'finish')).toHaveLength(1);
      }),
      { numRuns: 150 },
    );
  });
});

describe('a stream for a client', () => {
  test('begins at once, ends with every figure, and the SDK reads the whole of it', async () => {
    const blob: Blob = { issuer: 'v1-c1-m1', form: 'signature', place: 'reasoning', value: 'sig' };
    const events: HubEvent[] = [
      start,
      part({ kind: 'reasoning' }),
      delta('so'),
      blobbed(blob),
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
    const encoder = messagesSpoke.createEncoder(own, 'sse');
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
    expect(dataOf(text).map(({ type, index }) => (index === undefined ? type : `${type} ${index}`))).toEqual([
      'message_start',
      'content_block_start 0',
      'content_block_delta 0',
      'content_block_delta 0',
      'content_block_stop 0',
      'content_block_start 1',
      'content_block_delta 1',
      'content_block_delta 1',
      'content_block_stop 1',
      'content_block_start 2',
      'content_block_delta 2',
      'content_block_delta 2',
      'content_block_stop 2',
      'content_block_start 3',
      'content_block_stop 3',
      'message_delta',
      'message_stop',
    ]);
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

  test('carries the signature of a foreign call on empty thinking before it, and hidden thinking redacted', async () => {
    const thought: Blob = { issuer: 'g-1', form: 'thought', place: 'call', value: 'sig' };
    const cipher: Blob = {
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
        blobbed(cipher),
        part({ kind: 'reasoning' }),
        delta('sum'),
        blobbed(cipher),
        part({ kind: 'reasoning' }),
        part({ kind: 'reasoning' }),
        blobbed(thought),
        part(call('t')),
        finish('tool'),
        end,
      ],
      foreign,
    );
    const read = await accumulate(text);
    expect(read.content).toMatchObject([
      { type: 'redacted_thinking', data: wrapBlobs([cipher]) },
      { type: 'thinking', thinking: 'sum', signature: wrapBlobs([cipher]) },
      { type: 'thinking', thinking: '', signature: wrapBlobs([thought]) },
      { type: 'tool_use', id: 't' },
    ]);
  });

  test('of nothing is a message without blocks, of a call without a reason one for the tool', async () => {
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

  test('has no empty text in it, no other choice, and no word after its end', () => {
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

  test('shows pictures and foreign tools as text', () => {
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

  test('that fails says so in the vendor’s words and has no terminator', async () => {
    const error = { status: 503, code: '50201', type: 'server_error', message: 'gone' };
    const text = encode([start, part({ kind: 'text' }), delta('a'), { kind: 'error', error }, end]);
    expect(dataOf(text).at(-1)).toEqual({
      type: 'error',
      error: { type: 'overloaded_error', message: 'gone', code: '50201' },
    });
    await expect(accumulate(text)).rejects.toThrow('gone');
    expect(dataOf(encode([start, { kind: 'ping' }])).at(-1)).toEqual({ type: 'ping' });
  });

  test('that is cut anywhere never ends as if it were whole', () => {
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

describe('there and back', () => {
  const words = fc.string({ minLength: 1, maxLength: 8, unit: 'grapheme' });
  const pieces = fc.array(words, { minLength: 1, maxLength: 3 });
  const blob = fc.record({
    issuer: fc.constant('v1-c1-m1'),
    form: fc.constant('signature' as const),
    place: fc.constant('reasoning' as const),
    value: fc.stringMatching(/^[a-z]{1,8}$/),
  });
  const block = fc.oneof(
    pieces.map((texts) => [part({ kind: 'text' }), ...texts.map(delta), partEnd]),
    fc
      .tuple(pieces, blob)
      .map(([texts, seal]) => [part({ kind: 'reasoning' }), ...texts.map(delta), blobbed(seal), partEnd]),
    blob.map((seal) => [part({ kind: 'reasoning' }), blobbed({ ...seal, form: 'redacted' }), partEnd]),
    fc.array(words, { maxLength: 3 }).map((texts) => [part(call('t')), ...texts.map(delta), partEnd]),
  );

  test('what one side writes the other reads, event by event', () => {
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
      { numRuns: 100 },
    );
  });
});
