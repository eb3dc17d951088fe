import { describe, expect, it } from 'vitest';
import { finishNow } from '../bytes/slices.ts';
import { Inexpressible } from '../hub/notes.ts';
import { FORMS, readVectors, writeGoogleAnswer, writeOpenAiAnswer } from './answer.ts';
import { readGoogleRequest, readOpenAiRequest, writeGoogleRequest, writeOpenAiRequest } from './request.ts';

const bytes = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
const read = (pieces: readonly Buffer[]): unknown => JSON.parse(Buffer.concat(pieces).toString());
const vectorsOf = (body: unknown, form: keyof typeof FORMS, texts: number): readonly string[] | undefined =>
  finishNow(readVectors(bytes(body), FORMS[form], texts))?.map(String);

describe('a request', () => {
  it('of OpenAI becomes a batch of Google, with its dimensions', () => {
    const request = readOpenAiRequest(bytes({ model: 'm', input: ['a', 'b'], dimensions: 8, user: 'u' }));
    expect(request).toEqual({ texts: ['a', 'b'], dimensions: 8, format: 'float', dropped: ['user'] });
    expect(JSON.parse(writeGoogleRequest(request, 'g').toString())).toEqual({
      requests: ['a', 'b'].map((text) => ({
        model: 'models/g',
        content: { parts: [{ text }] },
        outputDimensionality: 8,
      })),
    });
  });

  it('of Google becomes one of OpenAI, and tells what it loses', () => {
    const one = { content: { parts: [{ text: 'a' }, { text: 'b' }] }, taskType: 'CLUSTERING' };
    const newer = {
      ...one,
      taskType: undefined,
      embedContentConfig: { outputDimensionality: 4, title: 't' },
    };
    const request = readGoogleRequest(bytes({ requests: [newer, newer] }), 'batch');
    expect(request).toEqual({ texts: ['a\nb', 'a\nb'], dimensions: 4, format: 'float', dropped: ['title'] });
    expect(readGoogleRequest(bytes(one), 'one').dropped).toEqual(['taskType']);
    expect(JSON.parse(writeOpenAiRequest(request, 'm').toString())).toEqual({
      ...{ model: 'm', input: ['a\nb', 'a\nb'], encoding_format: 'float', dimensions: 4 },
    });
  });

  it.each([
    ['no input', {}],
    ['an empty list', { input: [] }],
    ['ids of tokens', { input: [1, 2] }],
    ['a format that nobody knows', { input: 'x', encoding_format: 'int8' }],
    ['dimensions that are no number', { input: 'x', dimensions: 'many' }],
  ])('of OpenAI with %s is refused', (_, body) => {
    expect(() => readOpenAiRequest(bytes(body))).toThrow(Inexpressible);
  });

  it.each([
    ['no parts', { content: {} }],
    ['a picture', { content: { parts: [{ inlineData: { data: 'AA==', mimeType: 'image/png' } }] } }],
  ])('of Google with %s is refused', (_, body) => {
    expect(() => readGoogleRequest(bytes(body), 'one')).toThrow(Inexpressible);
  });

  it('of Google with different sizes is refused, because OpenAI takes one for all', () => {
    const content = { parts: [{ text: 'a' }] };
    const requests = [{ content, outputDimensionality: 4 }, { content }];
    expect(() => readGoogleRequest(bytes({ requests }), 'batch')).toThrow(Inexpressible);
  });
});

describe('an answer', () => {
  it('keeps the digits of the vendor, in the order of the texts', () => {
    const data = [
      { index: 1, embedding: [0.5] },
      { index: 0, embedding: [1e-7, -0.25] },
    ];
    expect(vectorsOf({ data }, 'embeddings', 2)).toEqual(['[1e-7,-0.25]', '[0.5]']);
    const embeddings = [{ values: [1] }, { values: [2] }];
    expect(vectorsOf({ embeddings }, 'gemini-embeddings', 2)).toEqual(['[1]', '[2]']);
  });

  it.each([
    ['fewer vectors than texts', { data: [{ index: 0, embedding: [1] }] }],
    ['two of one place', { data: [0, 0].map((index) => ({ index, embedding: [1] })) }],
    ['a text instead of numbers', { data: [0, 1].map((index) => ({ index, embedding: 'AAAA' })) }],
    ['lists in a list', { data: [0, 1].map((index) => ({ index, embedding: [[1]] })) }],
    ['no vectors at all', { data: [{}, {}] }],
    ['no list', { data: null }],
  ])('with %s is no answer', (_, body) => {
    expect(vectorsOf(body, 'embeddings', 2)).toBeUndefined();
  });

  it('is written in the form of the client', () => {
    const vectors = [Buffer.from('[0.5,-2]'), Buffer.from('[1.0,3]')];
    const about = { modelId: 'm', inputTokens: 7 };
    const usage = { prompt_tokens: 7, total_tokens: 7 };
    expect(read(finishNow(writeOpenAiAnswer(vectors, 'float', about)))).toEqual({
      object: 'list',
      data: [
        { object: 'embedding', index: 0, embedding: [0.5, -2] },
        { object: 'embedding', index: 1, embedding: [1, 3] },
      ],
      ...{ model: 'm', usage },
    });
    const packed = read(finishNow(writeOpenAiAnswer(vectors, 'base64', about))) as {
      data: { embedding: string }[];
    };
    const numbers = packed.data.map(({ embedding }) => Buffer.from(embedding, 'base64').readFloatLE(4));
    expect(numbers).toEqual([-2, 3]);
    const usageMetadata = { promptTokenCount: 7, totalTokenCount: 7 };
    expect(read(writeGoogleAnswer(vectors.slice(0, 1), 'one', about))).toEqual({
      ...{ embedding: { values: [0.5, -2] }, usageMetadata },
    });
    expect(read(writeGoogleAnswer(vectors, 'batch', about))).toEqual({
      ...{ embeddings: [{ values: [0.5, -2] }, { values: [1, 3] }], usageMetadata },
    });
  });
});
