import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../hub/content/json.ts';
import type { HubEvent } from '../hub/event.ts';
import type { TextProtocol } from '../hub/protocol.ts';
import { createPairRelay, hear, ownSession, PAIRS } from '../suite/pairs.ts';
import { openDecoder } from '../suite/reported.ts';
import { getCodec } from './codecs.ts';

const SPECIAL = ['"quoted"\n', ' \\ ', ' Grüße', ' 😀', '\u0001', ' {"text":"no"}', ' '];
const WORDS = Array.from({ length: 60 }, (_, index) => SPECIAL[index % 9] ?? ` word${index}`);

function said(kind: 'text' | 'reasoning'): readonly HubEvent[] {
  return [
    { kind: 'part', choice: 0, head: { kind } },
    ...WORDS.map((text) => ({ kind: 'delta', choice: 0, text }) as const),
    { kind: 'part-end', choice: 0 },
  ];
}

/** Long enough that most of its events are known by their shape and never parsed. */
const STREAM: readonly HubEvent[] = [
  { kind: 'start', id: 'v1', usage: undefined },
  ...said('reasoning'),
  ...said('text'),
  { kind: 'finish', choice: 0, finish: { reason: 'stop' } },
  { kind: 'end' },
];

function vendorEvents(protocol: TextProtocol, events: readonly HubEvent[]): readonly Buffer[] {
  const encoder = getCodec(protocol).createEncoder(ownSession(protocol), 'sse');
  return events.map((event) => {
    encoder.push(event);
    return Buffer.from(encoder.take());
  });
}

/** The deltas of a stream, as a decoder of its protocol reads them. */
function readDeltas(protocol: TextProtocol, stream: string): readonly string[] {
  const deltas: string[] = [];
  const decoder = openDecoder(getCodec(protocol), ownSession(protocol), (event) => {
    if (event.kind === 'delta') deltas.push(event.text);
  });
  for (const [, data] of stream.matchAll(/^data: (\{.*)$/gm))
    decoder.push(JSON.parse(data ?? '') as JsonObject);
  return deltas;
}

describe.each(PAIRS)('a long stream for %s from %s', (client, vendor) => {
  it('contains every word once, in order and as the vendor sent it, at any split', () => {
    const events = vendorEvents(vendor, STREAM);
    const heard = readDeltas(client, hear(createPairRelay(client, vendor), events).text);
    expect(heard.slice(-WORDS.length)).toEqual(WORDS);
    // Not every protocol tells the thoughts of another; those that do tell all of them.
    if (heard.length > WORDS.length) expect(heard).toEqual([...WORDS, ...WORDS]);
    const bytes = Buffer.concat(events);
    const pieces = Array.from({ length: Math.ceil(bytes.length / 97) }, (_, index) =>
      bytes.subarray(index * 97, (index + 1) * 97),
    );
    expect(readDeltas(client, hear(createPairRelay(client, vendor), pieces).text)).toEqual(heard);
  });
});

describe('an event that waits for its turn', () => {
  it('is not overwritten by later events of the same shape', () => {
    const event = (type: string, fields: object): Buffer =>
      Buffer.from(`event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`);
    const start = (index: number): Buffer =>
      event('content_block_start', { index, content_block: { type: 'text', text: '' } });
    const words = (index: number, text: string): Buffer =>
      event('content_block_delta', { index, delta: { type: 'text_delta', text } });
    const stop = (index: number): Buffer => event('content_block_stop', { index });
    const stream = [
      event('message_start', { message: { id: 'v', usage: { input_tokens: 1, output_tokens: 1 } } }),
      ...[start(0), words(0, 'a'), words(0, 'b'), words(0, 'c'), stop(0)],
      // The block before it is open: these wait.
      ...[start(1), start(0), words(0, 'f'), words(0, 'g'), words(0, 'h'), words(1, 'd'), words(1, 'e')],
      ...[stop(1), stop(0)],
      event('message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 9 } }),
      event('message_stop', {}),
    ];
    const heard = readDeltas('chat', hear(createPairRelay('chat', 'messages'), stream).text);
    expect(heard.join('')).toBe('abcdefgh');
  });
});
