import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { someUsage } from '../../../test/support/hub.ts';
import { runs } from '../../../test/support/property-runs.ts';
import { CONVERTED_STREAM_BYTES_MAX } from '../../bounds.ts';
import type { HubEvent } from '../hub/event.ts';
import type { TextProtocol } from '../hub/protocol.ts';
import { createPairRelay, hear, ownSession, PAIRS, vendorRelay } from '../suite/pairs.ts';
import { getCodec } from './codecs.ts';

/** What only a complete stream of each protocol holds. */
const TERMINATORS: Readonly<Record<TextProtocol, string>> = {
  chat: 'data: [DONE]',
  responses: '"type":"response.completed"',
  messages: '"type":"message_stop"',
  gemini: '"finishReason"',
};

const USAGE = someUsage({ outputText: 5, outputReasoning: 0 });

const SAID: readonly HubEvent[] = [
  { kind: 'start', id: 'v1', usage: undefined },
  { kind: 'part', choice: 0, head: { kind: 'text' } },
  { kind: 'delta', choice: 0, text: 'Grüße ' },
  { kind: 'delta', choice: 0, text: '😀 von hier.' },
  { kind: 'part-end', choice: 0 },
  { kind: 'part', choice: 0, head: { kind: 'tool-call', id: 'call_1', name: 'weather', custom: false } },
  { kind: 'delta', choice: 0, text: '{"city":' },
  { kind: 'delta', choice: 0, text: '"Oslo"}' },
  { kind: 'part-end', choice: 0 },
  { kind: 'finish', choice: 0, finish: { reason: 'tool' } },
  { kind: 'usage', usage: USAGE },
  { kind: 'end' },
];

/** The events as a vendor of this protocol writes them. */
function vendorStream(protocol: TextProtocol, events: readonly HubEvent[] = SAID): Buffer {
  const session = ownSession(protocol);
  const request = { ...session.request, includeUsage: true };
  const encoder = getCodec(protocol).createEncoder({ ...session, request }, 'sse');
  for (const event of events) encoder.push(event);
  return Buffer.from(encoder.take());
}

/** Where each event of a stream ends. */
function eventEnds(stream: Buffer): readonly number[] {
  return [...stream.toString('latin1').matchAll(/\r?\n\r?\n/g)].map((match) => match.index + match[0].length);
}

function cutAt(stream: Buffer, places: readonly number[]): readonly Buffer[] {
  const cuts = [...new Set(places.map((place) => place % stream.length))].sort((a, b) => a - b);
  return [0, ...cuts].map((start, index) => stream.subarray(start, cuts[index] ?? stream.length));
}

describe.each(PAIRS)('a stream for %s from %s', (client, vendor) => {
  const stream = vendorStream(vendor);
  const whole = hear(createPairRelay(client, vendor), [stream]);

  it('has the vendor’s content, under the platform’s model, and ends', () => {
    expect(whole.complete).toBe(true);
    expect(whole.text).toContain(TERMINATORS[client]);
    expect(whole.text).toContain('Grüße ');
    expect(whole.text).toContain('😀 von hier.');
    expect(whole.text).toContain('weather');
    expect(whole.text).toContain('Oslo');
    expect(whole.text).toContain('platform-model');
    expect(whole.text.split(TERMINATORS[client])).toHaveLength(2);
  });

  it('is the same at any split of its bytes', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 12 }), (places) => {
        expect(hear(createPairRelay(client, vendor), cutAt(stream, places))).toEqual(whole);
      }),
      { numRuns: runs(25) },
    );
  });

  it('has no terminator when it breaks off behind any of its events', () => {
    const ends = eventEnds(stream);
    // Google's finish reason may be followed by usage: from there on the answer is complete.
    const unfinished = ends.filter((end) => !isComplete(vendor, stream.subarray(0, end)));
    expect(unfinished.length).toBeGreaterThan(2);
    for (const end of unfinished) {
      const cut = hear(createPairRelay(client, vendor), [stream.subarray(0, end)]);
      expect(cut.complete).toBe(false);
      expect(cut.text).not.toContain(TERMINATORS[client]);
    }
  });

  it('contains an error in the client’s form, and no terminator behind it', () => {
    const error = { status: 529, code: 'overloaded', type: 'overloaded_error', message: 'Too busy just now' };
    const relay = createPairRelay(client, vendor);
    const { text, complete } = hear(relay, [
      vendorStream(vendor, [...SAID.slice(0, 4), { kind: 'error', error }]),
    ]);
    expect(text).toContain('Too busy just now');
    expect(text).not.toContain(TERMINATORS[client]);
    expect([complete, relay.failed]).toEqual([false, true]);
  });

  it('emits every event in the push that brought it, and has the reported usage', () => {
    const relay = createPairRelay(client, vendor);
    const ends = eventEnds(stream);
    const firstText = stream.indexOf('Gr');
    const firstEnd = ends.find((end) => end > firstText) as number;
    expect(relay.push(stream.subarray(0, firstEnd))?.toString()).toContain('Gr');
    expect([relay.first, relay.atBoundary, relay.failed]).toEqual(['data', true, false]);
    relay.push(stream.subarray(firstEnd));
    relay.finish();
    expect(relay.usage()).toMatchObject({ usage: { inputFresh: 10, outputText: 5 }, inputReported: true });
  });
});

function isComplete(vendor: TextProtocol, stream: Buffer): boolean {
  return hear(vendorRelay(vendor), [stream]).complete;
}

describe('a converted stream', () => {
  it('is bounded', () => {
    const relay = createPairRelay('gemini', 'messages');
    const said = { kind: 'delta', choice: 0, text: 'x'.repeat(CONVERTED_STREAM_BYTES_MAX / 32) } as const;
    relay.push(vendorStream('messages', SAID.slice(0, 2)));
    const delta = vendorStream('messages', [...SAID.slice(0, 2), said]);
    const event = delta.subarray(delta.indexOf('event: content_block_delta'));
    for (let pushes = 0; pushes < 31; pushes++) relay.push(event);
    expect(relay.overflowed).toBe(false);
    relay.push(event);
    expect(relay.overflowed).toBe(true);
  });

  it('ignores events that its vendor does not have', () => {
    const stream = vendorStream('messages');
    const noise = Buffer.from(
      ': comment\n\ndata: no json {\n\nevent: odd\ndata: {"type":"odd"}\n\ndata: [1]\n\n',
    );
    const heard = hear(createPairRelay('chat', 'messages'), [noise, stream]);
    expect(heard).toEqual(hear(createPairRelay('chat', 'messages'), [stream]));
  });

  it('ends with the terminator of the vendor, before the socket does', () => {
    const relay = createPairRelay('chat', 'messages');
    const text = relay.push(vendorStream('messages'))?.toString() ?? '';
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
    expect(relay.concluded).toBe(true);
    expect(relay.finish()).toEqual({ rest: undefined, complete: true });
  });

  it('numbers its events where the client’s protocol does', () => {
    const relay = createPairRelay('responses', 'chat');
    const text = relay.push(vendorStream('chat'))?.toString() ?? '';
    const numbers = [...text.matchAll(/"sequence_number":(\d+)/g)].map((match) => Number(match[1]));
    expect(numbers).toEqual(numbers.map((_, index) => index));
    expect(relay.nextSequenceNumber).toBe(numbers.length);
  });
});
