import { describe, expect, it } from 'vitest';
import { IMAGES_PER_CALL_MAX } from '../../../bounds.ts';
import { ImageAnswer } from '../../images-to-gemini/from-gemini.ts';
import { Relay } from '../../pass-through/relay.ts';
import { generateContent } from '../dialect.ts';
import { Candidates } from './candidates.ts';
import { GeminiEventReader } from './stream.ts';

const data = 'iVBORw0KGgo=';
const picture = { inlineData: { mimeType: 'image/png', data } };

function walked(candidates: unknown, indent?: number): Candidates {
  const bytes = Buffer.from(JSON.stringify(candidates, null, indent));
  const found = new Candidates();
  expect(found.walk(bytes, 0, bytes.length)).toBe(bytes.length);
  return found;
}

const withParts = (parts: unknown): unknown => [{ content: { role: 'model', parts } }];

const ROWS: readonly (readonly [string, unknown, number])[] = [
  ['a picture', [picture], 1],
  ['pictures between words', [{ text: 'a' }, picture, { text: 'b' }, picture], 2],
  ['a signed picture', [{ ...picture, thoughtSignature: 'c2ln' }], 1],
  ['a sketch', [{ ...picture, thought: true }], 0],
  ['a sketch that says so first', [{ thought: true, ...picture }], 0],
  ['no sketch', [{ ...picture, thought: false }], 1],
  ['data before its type', [{ inlineData: { data, mimeType: 'image/webp' } }], 1],
  ['a type in capitals', [{ inlineData: { mimeType: 'IMAGE/PNG', data } }], 1],
  ['sound', [{ inlineData: { mimeType: 'audio/pcm', data } }], 0],
  ['an empty picture', [{ inlineData: { mimeType: 'image/png', data: '' } }], 0],
  ['a picture without data', [{ inlineData: { mimeType: 'image/png' } }], 0],
  ['data without a type', [{ inlineData: { data } }], 0],
  ['words about a picture', [{ text: JSON.stringify(picture) }], 0],
  ['a picture in arguments', [{ functionCall: { name: 'f', args: picture } }], 0],
  ['what is no part', [null, 'inlineData', [picture], 1, picture], 1],
  ['parts that are no list', picture, 0],
];

describe('images in the parts of an answer', () => {
  it.each(ROWS)('are counted: %s', (_name, parts, count) => {
    const candidates = withParts(parts);
    expect(walked(candidates).pictures).toBe(count);
    expect(walked(candidates, 2).pictures).toBe(count);
    // An Images client is charged for the same ones.
    const painting = new ImageAnswer();
    painting.take(JSON.parse(JSON.stringify({ candidates })), undefined);
    expect(painting.count).toBe(count);
  });

  it('count with an escaped slash in their type', () => {
    const text = JSON.stringify(withParts([picture])).replace('image/png', 'image\\/png');
    const found = new Candidates();
    found.walk(Buffer.from(text), 0, Buffer.byteLength(text));
    expect(found.pictures).toBe(1);
  });

  it('count over all candidates, of the last walk only', () => {
    const found = walked([{ content: { parts: [picture] } }, { content: { parts: [picture] } }]);
    expect(found.pictures).toBe(2);
    found.walk(Buffer.from('[{}]'), 0, 4);
    expect(found.pictures).toBe(0);
  });

  it('do not count in a broken candidate', () => {
    const text = `[{"content" {}},${JSON.stringify(withParts([picture])).slice(1)}`;
    const found = new Candidates();
    expect(found.walk(Buffer.from(text), 0, text.length)).toBe(text.length);
    expect(found.pictures).toBe(1);
  });
});

it.each([
  ['a reason', { finishReason: 'STOP' }, true],
  ['an empty one', { finishReason: '' }, false],
  ['none', { index: 0 }, false],
  ['null', { finishReason: null }, false],
])('a candidate is finished by its reason: %s', (_name, candidate, isFinished) => {
  expect(walked([{ index: 1 }, candidate]).isAnyFinished).toBe(isFinished);
});

describe('images in the usage', () => {
  const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 2, totalTokenCount: 3 };
  const bodyOf = (count: number, rest: object): Buffer => {
    const parts = Array.from({ length: count }, () => picture);
    return Buffer.from(JSON.stringify({ candidates: withParts(parts), ...rest }));
  };

  it('of a plain answer count, with figures and without', () => {
    const answer = generateContent.readResponse(bodyOf(2, { usageMetadata }), 'm');
    expect(answer.usage).toMatchObject({ images: 2, outputText: 2 });
    const silent = generateContent.readResponse(bodyOf(2, {}), 'm');
    expect(silent).toMatchObject({ usage: undefined, images: 2 });
  });

  it('are zero for an answer without candidates, whatever came before', () => {
    generateContent.readResponse(bodyOf(2, {}), 'm');
    const blocked = Buffer.from(JSON.stringify({ promptFeedback: {}, usageMetadata }));
    expect(generateContent.readResponse(blocked, 'm').usage?.images).toBe(0);
  });

  it('count up to the bound per call', () => {
    const body = bodyOf(IMAGES_PER_CALL_MAX + 1, { usageMetadata });
    expect(generateContent.readResponse(body, 'm').usage?.images).toBe(IMAGES_PER_CALL_MAX);
    const relay = new Relay('sse', new GeminiEventReader(), 'm');
    relay.push(Buffer.from(`data: ${body.toString()}\r\n\r\n`));
    expect(relay.usage().usage.images).toBe(IMAGES_PER_CALL_MAX);
  });

  it('of a stream count for each chunk, wherever it is split', () => {
    const relay = new Relay('sse', new GeminiEventReader(), 'm');
    const chunk = `data: ${bodyOf(1, {}).toString()}\r\n\r\n`;
    const text = `${chunk}data: {"usageMetadata":{}}\r\n\r\n${chunk}`;
    for (const byte of Buffer.from(text)) relay.push(Buffer.from([byte]));
    expect(relay.usage().usage.images).toBe(2);
  });
});
