import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../hub/content/json.ts';
import type { HubEvent } from '../../hub/event.ts';
import { openDecoder } from '../../suite/reported.ts';
import { geminiCodec } from '../codec.ts';
import { createGeminiSession, decodeChunks, hubRequest } from '../suite/sample.ts';

const chunk = (parts: JsonValue[], more: JsonObject = {}): JsonObject => ({
  candidates: [{ content: { role: 'model', parts }, ...more }],
  responseId: 'r1',
});

const foreignClient = createGeminiSession({ request: hubRequest({ client: 'messages' }) });

function decode(chunks: readonly JsonObject[]): readonly HubEvent[] {
  return decodeChunks(chunks, foreignClient);
}

const finish = (reason: string): object => ({ kind: 'finish', choice: 0, finish: { reason } });
const start = { kind: 'start', id: 'r1', usage: undefined };
const delta = (text: string): object => ({ kind: 'delta', choice: 0, text });
const opened = (kind: string): object => ({ kind: 'part', choice: 0, head: { kind } });

describe("Gemini's stream", () => {
  it('appends text of one kind and opens a part where the kind changes', () => {
    const events = decode([
      chunk([{ text: 'h', thought: true }]),
      chunk([{ text: 'm', thought: true }, { text: 'a' }]),
      chunk([{ text: 'b' }]),
      chunk([{ text: '' }], { finishReason: 'STOP' }),
    ]);
    expect(events).toEqual([
      start,
      opened('reasoning'),
      delta('h'),
      delta('m'),
      opened('text'),
      delta('a'),
      delta('b'),
      finish('stop'),
      { kind: 'end' },
    ]);
  });

  it('joins the arguments of a call that come in fragments', () => {
    const piece = (jsonPath: string, value: JsonObject): JsonObject => ({ jsonPath, ...value });
    const fragment = (partialArgs: JsonValue[], willContinue = true): JsonObject =>
      chunk([{ functionCall: willContinue ? { partialArgs, willContinue } : {} }]);
    const events = decode([
      chunk([{ functionCall: { name: 'f', willContinue: true }, thoughtSignature: 'AAAA' }]),
      fragment([piece('$.a.b[0].c', { stringValue: 'one ', willContinue: true })]),
      fragment([piece('$.a.b[0].c', { stringValue: 'two' }), piece('$.a.b[1]', { numberValue: 2 })]),
      fragment([piece("$['__proto__']", { boolValue: true }), piece('$.a.b[9]', { numberValue: 9 })]),
      fragment([
        piece('$.n', { nullValue: 'NULL_VALUE' }),
        piece('a', {}),
        piece('$..', { stringValue: '' }),
      ]),
      fragment([], false),
      chunk([{ functionCall: { name: 'g', willContinue: true } }], { finishReason: 'STOP' }),
    ]);
    expect(events.flatMap((event) => (event.kind === 'delta' ? [event.text] : []))).toEqual([
      '{"a":{"b":[{"c":"one two"},2]},"__proto__":true,"n":null}',
      '{}',
    ]);
    expect(events.at(-2)).toEqual(finish('tool'));
  });

  it('keeps parallel calls of one name apart, each whole, with its signature', () => {
    const events = decode([
      chunk([
        { functionCall: { name: 'f', args: { a: 1 } }, thoughtSignature: 'AAAA' },
        { functionCall: { name: 'f', args: {} } },
      ]),
      chunk([{ functionCall: { id: 'c3', name: 'f' } }], { finishReason: 'STOP' }),
    ]);
    const signatures = [{ issuer: 'google-1', form: 'thought', place: 'call', value: 'AAAA' }];
    const call = (id: string, more: object = {}): object => ({
      kind: 'part',
      choice: 0,
      head: { kind: 'tool-call', id, name: 'f', custom: false, ...more },
    });
    const closed = { kind: 'part-end', choice: 0 };
    expect(events).toEqual([
      start,
      call('', { signatures }),
      delta('{"a":1}'),
      closed,
      call(''),
      delta('{}'),
      closed,
      call('c3'),
      delta('{}'),
      closed,
      finish('tool'),
      { kind: 'end' },
    ]);
  });

  it('emits the signature of a thought, and of a text', () => {
    const chunks = [
      chunk([{ text: 'hm', thought: true, thoughtSignature: 'AAAA' }]),
      chunk([{ text: 'a' }]),
      chunk([{ text: '', thoughtSignature: 'BBBB' }], { finishReason: 'STOP' }),
    ];
    const signatures = (events: readonly HubEvent[]): unknown[] =>
      events.flatMap((event) =>
        event.kind === 'signature' ? [[event.signature.place, event.signature.value]] : [],
      );
    const own = decode(chunks);
    expect(signatures(own)).toEqual([
      ['reasoning', 'AAAA'],
      ['text', 'BBBB'],
    ]);
    expect(own.filter((event) => event.kind === 'part')).toHaveLength(2);
  });

  it('never appends text to a part that is already signed', () => {
    const events = decode([
      chunk([{ text: 'a', thought: true, thoughtSignature: 'AAAA' }]),
      chunk([{ text: 'b', thought: true }], { finishReason: 'STOP' }),
    ]);
    expect(events.filter((event) => event.kind === 'part')).toHaveLength(2);
  });

  it('reports usage by the last of each figure, also when it comes after the reason', () => {
    const events = decode([
      { ...chunk([{ text: 'a' }]), usageMetadata: { promptTokenCount: 8, thoughtsTokenCount: 9 } },
      { ...chunk([{ text: 'b' }], { finishReason: 'STOP' }), usageMetadata: { promptTokenCount: 7 } },
      { usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 2, totalTokenCount: 16 } },
    ]);
    expect(events[0]).toMatchObject({ kind: 'start', usage: { inputFresh: 8 } });
    expect(events.slice(-3)).toMatchObject([
      { kind: 'usage', usage: { inputFresh: 5, outputText: 2, outputReasoning: 9 } },
      finish('stop'),
      { kind: 'end' },
    ]);
  });

  it('continues after a first finish reason, as with tools that run at Google', () => {
    const events = decode([
      chunk([{ functionCall: { name: 'f' } }], { finishReason: 'STOP' }),
      chunk([{ text: 'done' }], { finishReason: 'MAX_TOKENS' }),
    ]);
    expect(events.slice(-3)).toEqual([delta('done'), finish('length'), { kind: 'end' }]);
  });

  it('ends a blocked prompt with the content filter', () => {
    const events = decode([{ promptFeedback: { blockReason: 'SAFETY' }, responseId: 'r1' }]);
    expect(events).toMatchObject([start, finish('filter'), { kind: 'end' }]);
  });

  it('is an error where it contains one, and nothing follows', () => {
    const error = { code: 503, status: 'UNAVAILABLE', message: 'busy' };
    const events = decode([chunk([{ text: 'a' }]), { error }, chunk([{ text: 'b' }])]);
    expect(events.at(-1)).toEqual({
      kind: 'error',
      error: { status: 503, code: undefined, type: 'UNAVAILABLE', message: 'busy' },
    });
    expect(events).toHaveLength(4);
  });

  it('that failed before any content is an error', () => {
    const events = decode([chunk([], { finishReason: 'MALFORMED_FUNCTION_CALL' })]);
    expect(events).toMatchObject([start, { kind: 'error', error: { status: 502 } }]);
  });

  it('keeps candidates apart by their index', () => {
    const one = (index: number, text: string, more: JsonObject = {}): JsonObject => ({
      candidates: [{ index, content: { parts: [{ text }] }, ...more }],
    });
    const events = decode([one(0, 'a'), one(1, 'b'), one(0, 'c', { finishReason: 'STOP' })]);
    expect(events.filter((event) => event.kind === 'delta')).toMatchObject([
      { choice: 0, text: 'a' },
      { choice: 1, text: 'b' },
      { choice: 0, text: 'c' },
    ]);
    expect(events.filter((event) => event.kind === 'finish')).toMatchObject([{ choice: 0 }, { choice: 1 }]);
  });

  it('gives pictures whole, logprobs with their text, and the pages of the last chunk', () => {
    const logprobsResult = { chosenCandidates: [{ token: 'a', logProbability: -1 }] };
    const groundingMetadata = {
      groundingChunks: [{ web: { uri: 'https://a.example' } }],
      groundingSupports: [{ segment: { text: 'a' }, groundingChunkIndices: [0] }],
    };
    const events = decode([
      chunk([{ inlineData: { mimeType: 'image/png', data: 'AAAA' } }]),
      chunk([{ text: 'a' }], { logprobsResult }),
      chunk([], { finishReason: 'STOP', groundingMetadata }),
    ]);
    expect(events.slice(1, -2)).toEqual([
      { kind: 'part', choice: 0, head: { kind: 'image', mime: 'image/png', base64: 'AAAA' } },
      { kind: 'part-end', choice: 0 },
      opened('text'),
      { ...delta('a'), logprobs: [{ token: 'a', logprob: -1, top: [] }] },
      { kind: 'citation', choice: 0, citation: { url: 'https://a.example' } },
    ]);
  });

  it('ends once, and has an answer even without content', () => {
    const events: HubEvent[] = [];
    const decoder = openDecoder(geminiCodec, foreignClient, (event) => events.push(event));
    decoder.finish();
    decoder.finish();
    decoder.push(chunk([{ text: 'late' }]));
    expect(events).toEqual([{ ...start, id: undefined }, finish('stop'), { kind: 'end' }]);
  });

  it('never throws, for any input', () => {
    const odd: JsonObject[] = [
      {},
      { candidates: [1, null, [], {}] },
      { candidates: [{ index: 1e9, content: { parts: [{ text: 'far' }] } }] },
      { candidates: [{ content: { parts: [null, 1, {}, { functionCall: {} }, { functionCall: 3 }] } }] },
      { usageMetadata: { promptTokenCount: -1 } },
    ];
    const kinds = decode(odd).map((event) => event.kind);
    expect(kinds.filter((kind) => kind === 'delta')).toEqual([]);
    expect(kinds.at(-1)).toBe('end');
  });
});
