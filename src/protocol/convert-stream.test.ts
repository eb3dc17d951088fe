import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { someTarget } from '../../test/support/hub.ts';
import { CONVERTED_STREAM_BYTES_MAX } from '../bounds.ts';
import { isRefusal } from '../kernel/errors.ts';
import { type Conversion, convertRequest, readClientRequest } from './convert.ts';
import type { RawRequest, RequestFacts, StreamRelay } from './dialect.ts';
import type { HubEvent } from './hub/event.ts';
import type { TextProtocol } from './hub/protocol.ts';
import { dialectOf } from './registry.ts';
import { spokeOf } from './spokes.ts';

const PROTOCOLS: readonly TextProtocol[] = ['chat', 'responses', 'messages', 'gemini'];
const PAIRS = PROTOCOLS.flatMap((client) => PROTOCOLS.map((vendor) => [client, vendor] as const)).filter(
  ([client, vendor]) => client !== vendor,
);
const IDENTITY = { modelId: 'platform-model', callId: '01JD8', createdAtS: 1_790_000_000 };

const BODIES: Readonly<Record<TextProtocol, object>> = {
  chat: { model: 'm', stream: true, messages: [{ role: 'user', content: 'q' }] },
  responses: { model: 'm', stream: true, input: 'q' },
  messages: { model: 'm', stream: true, max_tokens: 99, messages: [{ role: 'user', content: 'q' }] },
  gemini: { contents: [{ role: 'user', parts: [{ text: 'q' }] }] },
};

/** What only a complete stream of each protocol holds. */
const TERMINATORS: Readonly<Record<TextProtocol, string>> = {
  chat: 'data: [DONE]',
  responses: '"type":"response.completed"',
  messages: '"type":"message_stop"',
  gemini: '"finishReason"',
};

const FACTS: RequestFacts = {
  model: 'm',
  stream: true,
  modelRanges: [],
  outputTokensMax: undefined,
  answers: 1,
  images: 0,
  inputTokensEstimate: 1,
  usageInjected: false,
  holdsEnvelope: false,
  usageSplice: undefined,
  edit: false,
};

const USAGE = {
  inputFresh: 10,
  cacheRead: 0,
  cacheWrite: 0,
  outputText: 5,
  outputReasoning: 0,
  images: 0,
  videos: 0,
  cacheWriteLong: 0,
  toolPrompt: 0,
};

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

function rawOf(protocol: TextProtocol): RawRequest {
  const body = Buffer.from(JSON.stringify(BODIES[protocol]));
  const path = { model: 'm', stream: true, framing: 'sse' } as const;
  return { body, contentType: 'application/json', path: protocol === 'gemini' ? path : undefined };
}

function conversionOf(client: TextProtocol, vendor: TextProtocol): Conversion {
  const read = readClientRequest(client, rawOf(client));
  if (isRefusal(read)) throw new Error(read.message);
  const conversion = convertRequest(read, someTarget({ protocol: vendor }), IDENTITY);
  if (isRefusal(conversion)) throw new Error(conversion.message);
  return conversion;
}

function relayOf(client: TextProtocol, vendor: TextProtocol): StreamRelay {
  const own = dialectOf(vendor).relayStream('sse', FACTS, 'platform-model');
  return conversionOf(client, vendor).convertStream('sse', own);
}

/** The events as a vendor of this protocol writes them. */
function vendorStream(protocol: TextProtocol, events: readonly HubEvent[] = SAID): Buffer {
  const read = readClientRequest(protocol, rawOf(protocol));
  if (isRefusal(read)) throw new Error(read.message);
  const target = someTarget({ protocol });
  const request = { ...read.request, includeUsage: true };
  const encoder = spokeOf(protocol).createEncoder({ request, target, ...IDENTITY }, 'sse');
  for (const event of events) encoder.push(event);
  return Buffer.from(encoder.take());
}

/** Where each event of a stream ends. */
function eventEnds(stream: Buffer): readonly number[] {
  return [...stream.toString('latin1').matchAll(/\r?\n\r?\n/g)].map((match) => match.index + match[0].length);
}

interface Heard {
  readonly text: string;
  readonly complete: boolean;
}

function hear(relay: StreamRelay, chunks: readonly Buffer[]): Heard {
  let text = '';
  for (const chunk of chunks) text += relay.push(chunk)?.toString() ?? '';
  const { rest, complete } = relay.finish();
  return { text: text + (rest?.toString() ?? ''), complete };
}

function cutAt(stream: Buffer, places: readonly number[]): readonly Buffer[] {
  const cuts = [...new Set(places.map((place) => place % stream.length))].sort((a, b) => a - b);
  return [0, ...cuts].map((start, index) => stream.subarray(start, cuts[index] ?? stream.length));
}

describe.each(PAIRS)('a stream for %s from %s', (client, vendor) => {
  const stream = vendorStream(vendor);
  const whole = hear(relayOf(client, vendor), [stream]);

  it('says what the vendor said, under the name of the platform, and ends', () => {
    expect(whole.complete).toBe(true);
    expect(whole.text).toContain(TERMINATORS[client]);
    expect(whole.text).toContain('Grüße ');
    expect(whole.text).toContain('😀 von hier.');
    expect(whole.text).toContain('weather');
    expect(whole.text).toContain('Oslo');
    expect(whole.text).toContain('platform-model');
    expect(whole.text.split(TERMINATORS[client])).toHaveLength(2);
  });

  it('is the same wherever its bytes were cut', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 12 }), (places) => {
        expect(hear(relayOf(client, vendor), cutAt(stream, places))).toEqual(whole);
      }),
      { numRuns: 25 },
    );
  });

  it('has no terminator when it breaks off behind any of its events', () => {
    const ends = eventEnds(stream);
    // Google's finish reason may be followed by usage: from there on the answer is complete.
    const unfinished = ends.filter((end) => !isComplete(vendor, stream.subarray(0, end)));
    expect(unfinished.length).toBeGreaterThan(2);
    for (const end of unfinished) {
      const cut = hear(relayOf(client, vendor), [stream.subarray(0, end)]);
      expect(cut.complete).toBe(false);
      expect(cut.text).not.toContain(TERMINATORS[client]);
    }
  });

  it('tells an error inside it in the words of the client, and no terminator behind it', () => {
    const error = { status: 529, code: 'overloaded', type: 'overloaded_error', message: 'Too busy just now' };
    const relay = relayOf(client, vendor);
    const { text, complete } = hear(relay, [
      vendorStream(vendor, [...SAID.slice(0, 4), { kind: 'error', error }]),
    ]);
    expect(text).toContain('Too busy just now');
    expect(text).not.toContain(TERMINATORS[client]);
    expect([complete, relay.failed]).toEqual([false, true]);
  });

  it('gives every event in the push that brought it, and counts as the vendor reported', () => {
    const relay = relayOf(client, vendor);
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
  return hear(dialectOf(vendor).relayStream('sse', FACTS, 'platform-model'), [stream]).complete;
}

describe('a converted stream', () => {
  it('does not go on for ever', () => {
    const relay = relayOf('gemini', 'messages');
    const said = { kind: 'delta', choice: 0, text: 'x'.repeat(CONVERTED_STREAM_BYTES_MAX / 16) } as const;
    relay.push(vendorStream('messages', SAID.slice(0, 2)));
    const delta = vendorStream('messages', [...SAID.slice(0, 2), said]);
    const event = delta.subarray(delta.indexOf('event: content_block_delta'));
    for (let pushes = 0; pushes < 15; pushes++) relay.push(event);
    expect(relay.overflowed).toBe(false);
    relay.push(event);
    expect(relay.overflowed).toBe(true);
  });

  it('ignores what is no event of its vendor', () => {
    const stream = vendorStream('messages');
    const noise = Buffer.from(
      ': comment\n\ndata: no json {\n\nevent: odd\ndata: {"type":"odd"}\n\ndata: [1]\n\n',
    );
    const heard = hear(relayOf('chat', 'messages'), [noise, stream]);
    expect(heard).toEqual(hear(relayOf('chat', 'messages'), [stream]));
  });

  it('ends with the terminator of the vendor, before the socket does', () => {
    const relay = relayOf('chat', 'messages');
    const text = relay.push(vendorStream('messages'))?.toString() ?? '';
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
    expect(relay.concluded).toBe(true);
    expect(relay.finish()).toEqual({ rest: undefined, complete: true });
  });

  it('numbers its events where the client counts them', () => {
    const relay = relayOf('responses', 'chat');
    const text = relay.push(vendorStream('chat'))?.toString() ?? '';
    const numbers = [...text.matchAll(/"sequence_number":(\d+)/g)].map((match) => Number(match[1]));
    expect(numbers).toEqual(numbers.map((_, index) => index));
    expect(relay.nextSequenceNumber).toBe(numbers.length);
  });
});
