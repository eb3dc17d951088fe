import { describe, expect, it } from 'vitest';
import type { AnswerError, Choice, HubAnswer, HubUsage } from '../../hub/answer.ts';
import type { Session } from '../../hub/codec.ts';
import { readJson, writeJson } from '../../hub/content/json.ts';
import { unwrapSignaturesBase64 } from '../../hub/envelope.ts';
import type { Part } from '../../hub/part.ts';
import { decodeWhole } from '../../suite/reported.ts';
import { geminiCodec } from '../codec.ts';
import { createGeminiSession, foreignSession, hubRequest } from '../suite/sample.ts';

function decode(body: unknown, session: Session = createGeminiSession()): HubAnswer | AnswerError {
  return decodeWhole(geminiCodec, readJson(JSON.stringify(body), geminiCodec.rawKeys) ?? {}, session);
}

function choiceOf(body: unknown, session?: Session): Choice {
  const answer = decode(body, session);
  if ('status' in answer) throw new Error(answer.message);
  return answer.choices[0] as Choice;
}

const candidate = (parts: unknown[], more: object = {}): object => ({
  candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', ...more }],
});

function encode(answer: Partial<HubAnswer>, session: Session = foreignSession()): Record<string, unknown> {
  const whole = { id: undefined, choices: [], usage: undefined, serviceTier: undefined, ...answer };
  return JSON.parse(writeJson(geminiCodec.encodeAnswer(whole, session)));
}

const stop = { reason: 'stop' } as const;
const answered = (...parts: Part[]): Partial<HubAnswer> => ({ choices: [{ parts, finish: stop }] });
const call = { kind: 'tool-call', id: 'c1', name: 'f', arguments: '{"a":1}', custom: false } as const;

describe("Gemini's answer", () => {
  it('keeps the order of thoughts, texts and calls, and where each signature stood', () => {
    const parts = [
      { text: 'hm', thought: true, thoughtSignature: 'AAAA' },
      { text: 'well' },
      { functionCall: { id: 'c1', name: 'f', args: { a: 1 } }, thoughtSignature: 'BBBB' },
      { functionCall: { name: 'f' } },
    ];
    const session = createGeminiSession({ request: hubRequest({ client: 'messages' }) });
    const signature = { issuer: 'google-1', form: 'thought' };
    expect(choiceOf(candidate(parts), session)).toEqual({
      parts: [
        { kind: 'reasoning', text: 'hm', signature: { ...signature, place: 'reasoning', value: 'AAAA' } },
        { kind: 'text', text: 'well' },
        { ...call, signatures: [{ ...signature, place: 'call', value: 'BBBB' }] },
        { ...call, id: '', arguments: '{}' },
      ],
      finish: { reason: 'tool' },
    });
  });

  it('has an empty signed text', () => {
    const body = candidate([{ text: 'x' }, { text: '', thoughtSignature: 'AAAA' }]);
    expect(choiceOf(body).parts).toHaveLength(2);
  });

  it('contains the final picture and not the sketches before it', () => {
    const inlineData = { mimeType: 'image/png', data: 'AAAA' };
    const { parts } = choiceOf(candidate([{ inlineData, thought: true }, { inlineData }]));
    expect(parts).toEqual([{ kind: 'image', source: { kind: 'bytes', mime: 'image/png', base64: 'AAAA' } }]);
  });

  it('keeps the spelling of arguments', () => {
    const body = '{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":{"2":1.0}}}]}}]}';
    const answer = decodeWhole(geminiCodec, readJson(body, geminiCodec.rawKeys) ?? {}, createGeminiSession());
    expect(answer).toMatchObject({ choices: [{ parts: [{ arguments: '{"2":1.0}' }] }] });
  });

  const ENDS: readonly (readonly [string, string])[] = [
    ['STOP', 'stop'],
    ['MAX_TOKENS', 'length'],
    ['CONTINUATION', 'length'],
    ['SAFETY', 'filter'],
    ['RECITATION', 'filter'],
    ['PROHIBITED_CONTENT', 'filter'],
    ['IMAGE_SAFETY', 'filter'],
    ['LANGUAGE', 'filter'],
    ['MALFORMED_FUNCTION_CALL', 'stop'],
    ['SOMETHING_NEW', 'stop'],
  ];

  it.each(ENDS)('that ended with %s ended with %s', (finishReason, reason) => {
    expect(choiceOf(candidate([{ text: 'x' }], { finishReason })).finish.reason).toBe(reason);
  });

  it('has the reason of the content filter, and no call', () => {
    const body = candidate([], { finishReason: 'SAFETY', finishMessage: 'because' });
    expect(choiceOf(body)).toEqual({ parts: [], finish: { reason: 'filter', message: 'because' } });
  });

  it.each(['MALFORMED_RESPONSE', 'OTHER', 'FINISH_REASON_UNSPECIFIED', 'SOMETHING_NEW'])(
    'that ended with %s and says nothing is an error',
    (finishReason) => {
      const thought = { text: 'hm', thought: true };
      for (const parts of [
        [],
        [{ text: '' }],
        [thought],
        [thought, { text: '', thoughtSignature: 'QQ==' }],
      ]) {
        expect(decode(candidate(parts, { finishReason }))).toMatchObject({ status: 502, type: finishReason });
      }
      expect(choiceOf(candidate([{ text: 'x' }], { finishReason })).finish.reason).toBe('stop');
      expect(choiceOf(candidate([], { finishReason: 'STOP' })).finish.reason).toBe('stop');
    },
  );

  it('that failed before any content is an error', () => {
    const body = candidate([], { finishReason: 'MALFORMED_FUNCTION_CALL', finishMessage: 'bad' });
    expect(decode(body)).toEqual({
      status: 502,
      code: undefined,
      type: 'MALFORMED_FUNCTION_CALL',
      message: 'bad',
    });
  });

  it('has a choice even where the prompt was blocked or the thoughts took all tokens', () => {
    expect(choiceOf({ promptFeedback: { blockReason: 'SAFETY' } })).toEqual({
      parts: [],
      finish: { reason: 'filter', message: 'SAFETY' },
    });
    expect(choiceOf({ candidates: [{ finishReason: 'MAX_TOKENS' }] })).toEqual({
      parts: [],
      finish: { reason: 'length' },
    });
    expect(choiceOf({}).finish).toEqual({ reason: 'stop' });
  });

  it('is an error where it contains one, with any status', () => {
    expect(decode({ error: { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'slow' } })).toMatchObject({
      status: 429,
      type: 'RESOURCE_EXHAUSTED',
      message: 'slow',
    });
    expect(decode({ error: {} })).toMatchObject({ status: 500 });
  });

  it('counts thoughts and prompts of tools beside the rest, and cache reads inside the prompt', () => {
    const usageMetadata = {
      promptTokenCount: 100,
      cachedContentTokenCount: 40,
      toolUsePromptTokenCount: 7,
      candidatesTokenCount: 20,
      thoughtsTokenCount: 30,
      totalTokenCount: 157,
    };
    expect(decode({ ...candidate([{ text: 'x' }]), usageMetadata })).toMatchObject({
      usage: {
        inputFresh: 67,
        cacheRead: 40,
        cacheWrite: 0,
        toolPrompt: 7,
        outputText: 20,
        outputReasoning: 30,
      },
    });
  });

  it('cites pages by UTF-16 units of the part, as the hub counts', () => {
    const groundingMetadata = {
      groundingChunks: [{ web: { uri: 'https://a.example', title: 'A' } }, { retrievedContext: {} }],
      groundingSupports: [
        { segment: { startIndex: 3, endIndex: 7, text: '€x' }, groundingChunkIndices: [0, 1, 9] },
      ],
    };
    const [part] = choiceOf(candidate([{ text: '€€x' }], { groundingMetadata })).parts;
    expect(part).toMatchObject({
      citations: [{ url: 'https://a.example', title: 'A', start: 1, end: 3 }],
    });
  });

  it('never throws, for any content', () => {
    const odd = [
      null,
      1,
      'x',
      [],
      {},
      { text: 1 },
      { functionCall: 1 },
      { inlineData: {} },
      { fileData: {} },
    ];
    expect(choiceOf(candidate(odd)).parts).toEqual([]);
    expect(decode({ candidates: 'x', usageMetadata: [] })).toMatchObject({ choices: [{ parts: [] }] });
  });
});

describe('an answer for a Google client', () => {
  it('has the platform’s model, the call, and the role model', () => {
    expect(encode(answered({ kind: 'text', text: 'x' }))).toEqual({
      candidates: [{ content: { parts: [{ text: 'x' }], role: 'model' }, finishReason: 'STOP', index: 0 }],
      modelVersion: 'house-model',
      responseId: 'call1',
    });
  });

  it('never has a candidate without a part, nor a part without content', () => {
    const { candidates } = encode(answered({ kind: 'text', text: '' }, { kind: 'reasoning', text: '' }));
    expect(candidates).toMatchObject([{ content: { parts: [{ text: '' }] } }]);
  });

  it('contains the signatures of other vendors in an envelope on the call', () => {
    const signature = {
      issuer: 'anthropic-1',
      form: 'signature',
      place: 'reasoning',
      value: 's',
      text: 't',
    } as const;
    const body = encode(answered({ kind: 'reasoning', text: 't' }, { ...call, signatures: [signature] }));
    const [thought, made] =
      (body.candidates as { content: { parts: Record<string, string>[] } }[])[0]?.content.parts ?? [];
    expect(thought).toEqual({ text: 't', thought: true });
    expect(made).toMatchObject({ functionCall: { id: 'c1', name: 'f', args: { a: 1 } } });
    expect(unwrapSignaturesBase64(made?.thoughtSignature ?? '')).toEqual([signature]);
  });

  it('drops a call that no client could read, and reports it', () => {
    const { candidates } = encode(answered({ ...call, arguments: '{"a":' }));
    expect(candidates).toEqual([
      {
        content: { parts: [{ text: '' }], role: 'model' },
        finishReason: 'MALFORMED_FUNCTION_CALL',
        finishMessage: 'Malformed function call: f',
        index: 0,
      },
    ]);
    const cut = { parts: [{ ...call, arguments: '{"a":' }], finish: { reason: 'length' } } as const;
    expect(encode({ choices: [cut] }).candidates).toMatchObject([{ finishReason: 'MAX_TOKENS' }]);
  });

  const ENDS: readonly (readonly [Choice['finish']['reason'], string])[] = [
    ['stop-sequence', 'STOP'],
    ['tool', 'STOP'],
    ['length', 'MAX_TOKENS'],
    ['context', 'MAX_TOKENS'],
    ['filter', 'SAFETY'],
    ['refusal', 'SAFETY'],
    ['pause', 'STOP'],
  ];

  it.each(ENDS)('that ended with %s ends with %s', (reason, finishReason) => {
    const choices = [{ parts: [], finish: { reason } }];
    expect(encode({ choices }).candidates).toMatchObject([{ finishReason }]);
  });

  it('is an ordinary answer where the refusal is text, and has the reason where it is not', () => {
    const finish = { reason: 'refusal', message: 'cyber' } as const;
    const spoken = encode({ choices: [{ parts: [{ kind: 'refusal', text: 'no' }], finish }] });
    expect(spoken.candidates).toMatchObject([{ content: { parts: [{ text: 'no' }] }, finishReason: 'STOP' }]);
    expect(encode({ choices: [{ parts: [], finish }] }).candidates).toMatchObject([
      { finishReason: 'SAFETY', finishMessage: 'cyber' },
    ]);
  });

  it('reports usage with caches inside the prompt and thoughts beside the candidates', () => {
    const usage: HubUsage = {
      inputFresh: 17,
      cacheRead: 40,
      cacheWrite: 5,
      cacheWriteLong: 5,
      toolPrompt: 7,
      outputText: 20,
      outputReasoning: 30,
      images: 0,
      videos: 0,
    };
    expect(encode({ ...answered(), usage }).usageMetadata).toEqual({
      promptTokenCount: 55,
      cachedContentTokenCount: 40,
      toolUsePromptTokenCount: 7,
      candidatesTokenCount: 20,
      thoughtsTokenCount: 30,
      totalTokenCount: 112,
    });
  });

  it('contains pictures, logprobs, and pages by bytes of UTF-8', () => {
    const logprobs = [{ token: 'a', logprob: -0.5, top: [{ token: 'b', logprob: -1 }] }];
    const citations = [{ url: 'https://a.example', title: 'A', start: 1, end: 2 }];
    const parts: Part[] = [
      { kind: 'text', text: '€€', citations },
      { kind: 'image', source: { kind: 'bytes', mime: 'image/png', base64: 'AAAA' } },
    ];
    expect(encode({ choices: [{ parts, finish: stop, logprobs }] }).candidates).toMatchObject([
      {
        content: { parts: [{ text: '€€' }, { inlineData: { mimeType: 'image/png', data: 'AAAA' } }] },
        groundingMetadata: {
          groundingChunks: [{ web: { uri: 'https://a.example', title: 'A' } }],
          groundingSupports: [
            { segment: { startIndex: 3, endIndex: 6, text: '€' }, groundingChunkIndices: [0] },
          ],
        },
        logprobsResult: {
          chosenCandidates: [{ token: 'a', logProbability: -0.5 }],
          topCandidates: [{ candidates: [{ token: 'b', logProbability: -1 }] }],
        },
      },
    ]);
  });

  it('contains every choice', () => {
    const choices = ['a', 'b'].map((text): Choice => ({ parts: [{ kind: 'text', text }], finish: stop }));
    expect(encode({ choices }).candidates).toMatchObject([
      { index: 0, content: { parts: [{ text: 'a' }] } },
      { index: 1, content: { parts: [{ text: 'b' }] } },
    ]);
  });
});
