import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { someUsage } from '../../../../test/support/hub.ts';
import type { Framing } from '../../dialect.ts';
import { unwrapSignaturesBase64 } from '../../hub/envelope.ts';
import type { HubEvent } from '../../hub/event.ts';
import type { Signature } from '../../hub/signature.ts';
import {
  createGeminiSession,
  decodeChunks,
  encodeEvents,
  foreignSession,
  hubRequest,
  parseChunks,
} from '../suite/sample.ts';

const FRAMINGS: readonly Framing[] = ['sse', 'json-array'];

const start: HubEvent = { kind: 'start', id: 'x', usage: undefined };
const end: HubEvent = { kind: 'end' };
const part = (kind: 'text' | 'reasoning' | 'refusal', choice = 0): HubEvent => ({
  kind: 'part',
  choice,
  head: { kind },
});
const delta = (text: string, choice = 0): HubEvent => ({ kind: 'delta', choice, text });
const callPart = (
  more: { id?: string; signatures?: readonly Signature[]; custom?: boolean } = {},
): HubEvent => ({
  kind: 'part',
  choice: 0,
  head: { kind: 'tool-call', id: 'c1', name: 'f', custom: false, ...more },
});
const finish = (reason: 'stop' | 'tool' | 'length', choice = 0): HubEvent => ({
  kind: 'finish',
  choice,
  finish: { reason },
});
const usage = someUsage({ inputFresh: 3, outputText: 4, outputReasoning: 5 });

describe.each(FRAMINGS)('a stream for a Google client (%s)', (framing) => {
  const chunks = (...events: HubEvent[]): readonly unknown[] => {
    const all = parseChunks(encodeEvents(events, foreignSession(), framing), framing);
    // The array opens with an empty text, so that an error of the gateway finds an element before it.
    return framing === 'sse' ? all : all.slice(1);
  };
  const text = (words: string, more: object = {}): object => ({
    candidates: [{ content: { parts: [{ text: words, ...more }], role: 'model' }, index: 0 }],
    modelVersion: 'house-model',
    responseId: 'call1',
  });

  it('sends text at once, and the finish reason and the usage last', () => {
    const given = [start, part('reasoning'), delta('hm'), part('text'), delta('a"\n'), delta('')];
    expect(chunks(...given, { kind: 'usage', usage }, finish('stop'), end)).toEqual([
      text('hm', { thought: true }),
      text('a"\n'),
      {
        candidates: [{ content: { parts: [{ text: '' }], role: 'model' }, finishReason: 'STOP', index: 0 }],
        usageMetadata: {
          promptTokenCount: 3,
          candidatesTokenCount: 4,
          thoughtsTokenCount: 5,
          totalTokenCount: 12,
        },
        modelVersion: 'house-model',
        responseId: 'call1',
      },
    ]);
  });

  it('uses usage that comes after the end of the answer', () => {
    const all = chunks(start, finish('stop'), { kind: 'usage', usage }, end);
    expect(all).toHaveLength(1);
    expect(all[0]).toMatchObject({ usageMetadata: { totalTokenCount: 12 } });
  });

  it('sends a call when it is complete, with its arguments as they were written', () => {
    const signature: Signature = {
      issuer: 'openai-1',
      form: 'encrypted',
      place: 'reasoning',
      value: 'v',
      itemId: 'rs_1',
    };
    const given = [
      start,
      callPart({ signatures: [signature] }),
      delta('{"a":\n'),
      delta('1.0}'),
      callPart({ id: 'c2' }),
    ];
    const raw = encodeEvents([...given, finish('tool'), end], foreignSession(), framing);
    expect(raw).toContain('"args":{"a": 1.0}');
    const [first, second, last] = chunks(...given, finish('tool'), end);
    expect(first).toMatchObject({
      candidates: [{ content: { parts: [{ functionCall: { id: 'c1', name: 'f', args: { a: 1 } } }] } }],
    });
    const sent = (first as { candidates: { content: { parts: { thoughtSignature: string }[] } }[] })
      .candidates[0]?.content.parts[0]?.thoughtSignature;
    expect(unwrapSignaturesBase64(sent ?? '')).toEqual([signature]);
    expect(second).toMatchObject({
      candidates: [{ content: { parts: [{ functionCall: { id: 'c2', args: {} } }] } }],
    });
    expect(last).toMatchObject({ candidates: [{ finishReason: 'STOP' }] });
  });

  it('has the reason of a call that could not be read', () => {
    const [last] = chunks(start, callPart(), delta('{"a"'), finish('tool'), end);
    expect(last).toMatchObject({ candidates: [{ finishReason: 'MALFORMED_FUNCTION_CALL' }] });
    const [cut] = chunks(start, callPart(), delta('{"a"'), finish('length'), end);
    expect(cut).toMatchObject({ candidates: [{ finishReason: 'MAX_TOKENS' }] });
  });

  it('ends with a candidate that has a part even without content', () => {
    expect(chunks(start, end)).toEqual([
      {
        candidates: [{ content: { parts: [{ text: '' }], role: 'model' }, finishReason: 'STOP', index: 0 }],
        modelVersion: 'house-model',
        responseId: 'call1',
      },
    ]);
  });

  it('has no end before the end of the vendor’s stream', () => {
    const cut = encodeEvents([start, part('text'), delta('a'), finish('stop')], foreignSession(), framing);
    expect(cut).not.toContain('finishReason');
    expect(cut.endsWith(']')).toBe(false);
  });

  it('reports an error by a number and a status, and nothing after it', () => {
    const error = { status: 529, code: 'x', type: 'overloaded_error', message: 'busy' };
    const all = chunks(start, part('text'), delta('a'), { kind: 'error', error }, delta('b'), end);
    expect(all).toEqual([text('a'), { error: { code: 503, message: 'busy', status: 'UNAVAILABLE' } }]);
  });

  it('ends several choices in one chunk', () => {
    const given = [
      start,
      part('text', 0),
      part('text', 1),
      delta('a', 0),
      delta('b', 1),
      finish('length', 1),
    ];
    const all = chunks(...given, finish('stop', 0), end);
    expect(all[1]).toMatchObject({ candidates: [{ index: 1, content: { parts: [{ text: 'b' }] } }] });
    expect(all[2]).toMatchObject({
      candidates: [
        { index: 0, finishReason: 'STOP' },
        { index: 1, finishReason: 'MAX_TOKENS' },
      ],
    });
  });

  it('contains pictures, refusals, foreign tools and pages', () => {
    const citation = { url: 'https://a.example', citedText: 'no' };
    const all = chunks(
      start,
      { kind: 'part', choice: 0, head: { kind: 'image', mime: 'image/png', base64: 'AAAA' } },
      {
        kind: 'part',
        choice: 0,
        head: { kind: 'server-tool', protocol: 'responses', raw: '{}', text: 'ran' },
      },
      part('refusal'),
      delta('no'),
      { kind: 'citation', choice: 0, citation },
      { kind: 'finish', choice: 0, finish: { reason: 'refusal' } },
      end,
    );
    expect(all).toMatchObject([
      { candidates: [{ content: { parts: [{ inlineData: { mimeType: 'image/png', data: 'AAAA' } }] } }] },
      text('ran'),
      text('no'),
      {
        candidates: [
          {
            finishReason: 'STOP',
            groundingMetadata: {
              groundingChunks: [{ web: { uri: 'https://a.example' } }],
              groundingSupports: [{ segment: { text: 'no' }, groundingChunkIndices: [0] }],
            },
          },
        ],
      },
    ]);
  });
});

describe('the frame of a stream', () => {
  it('allows an error of the gateway at any point of an array', () => {
    expect(() => JSON.parse(`${encodeEvents([start], foreignSession(), 'json-array')},{}]`)).not.toThrow();
  });

  it('wraps a first error in an array of its own', () => {
    const error = { status: 400, code: undefined, type: undefined, message: 'no' };
    const text = encodeEvents([{ kind: 'error', error }], foreignSession(), 'json-array');
    expect(JSON.parse(text)).toEqual([{ error: { code: 400, message: 'no', status: 'INVALID_ARGUMENT' } }]);
  });
});

/** What can stand in a stream of this protocol, part by part. */
const word = fc.string({ minLength: 1 });
const thought = (place: Signature['place']) =>
  fc
    .base64String({ minLength: 4 })
    .map((value): Signature => ({ issuer: 'google-1', form: 'thought', place, value }));
const spoken = fc.record({
  kind: fc.constantFrom('text' as const, 'reasoning' as const),
  words: fc.array(word, { minLength: 1, maxLength: 3 }),
});
const called = fc.record({
  kind: fc.constant('tool-call' as const),
  id: fc.constantFrom('', 'c1'),
  args: fc.dictionary(word, fc.oneof(word, fc.integer(), fc.constant(null))),
  signatures: fc.option(
    thought('call').map((signature) => [signature]),
    { nil: undefined },
  ),
});

describe('a stream that is encoded and decoded again', () => {
  it('is the same, except for the order of integer keys and the boundaries of text', () => {
    const parts = fc.array(fc.oneof(spoken, called), { maxLength: 6 });
    fc.assert(
      fc.property(parts, fc.constantFrom(...FRAMINGS), (given, framing) => {
        const events: HubEvent[] = [start];
        for (const one of given) {
          if (one.kind === 'tool-call') {
            const { id, args, signatures } = one;
            events.push(callPart({ id, ...(signatures === undefined ? {} : { signatures }) }));
            events.push(delta(JSON.stringify(args)), { kind: 'part-end', choice: 0 });
          } else {
            events.push(part(one.kind), ...one.words.map((text) => delta(text)));
          }
        }
        const isCall = given.some((one) => one.kind === 'tool-call');
        events.push({ kind: 'usage', usage }, finish(isCall ? 'tool' : 'stop'), end);
        const session = createGeminiSession({ request: hubRequest({ client: 'gemini' }) });
        const text = encodeEvents(events, session, framing);
        const again = decodeChunks(parseChunks(text, framing), session);
        expect(joined(again)).toEqual(joined(events));
      }),
    );
  });
});

/** Neighbouring texts of one kind are one on this wire: only their joined words can be compared. */
function joined(events: readonly HubEvent[]): readonly unknown[] {
  const result: unknown[] = [];
  let last: { kind: string; text: string } | undefined;
  for (const event of events) {
    if (event.kind === 'start' || event.kind === 'part-end') continue;
    if (event.kind === 'part' && event.head.kind === last?.kind && last.kind !== 'tool-call') continue;
    if (event.kind === 'part') {
      last = { kind: event.head.kind, text: '' };
      result.push(event.head, last);
    } else if (event.kind === 'delta' && last !== undefined) last.text += event.text;
    else result.push(event);
  }
  return result;
}
