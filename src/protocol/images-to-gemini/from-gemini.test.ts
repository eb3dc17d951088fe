import { describe, expect, test } from 'vitest';
import { IMAGES_PER_CALL_MAX } from '../../bounds.ts';
import type { RequestFacts } from '../dialect.ts';
import { generateContent } from '../gemini/dialect.ts';
import type { JsonObject } from '../hub/content/json.ts';
import { ImageAnswer } from './from-gemini.ts';
import { ImageStream } from './image-stream.ts';

/** The head of a PNG of 1248 × 832 points. */
const PNG = Buffer.from(`89504e470d0a1a0a0000000d49484452${'000004e0'}${'00000340'}0802`, 'hex');
const DATA = PNG.toString('base64');
const PICTURE = { inlineData: { mimeType: 'image/png', data: DATA } };
const USAGE = {
  promptTokenCount: 270,
  candidatesTokenCount: 1290,
  thoughtsTokenCount: 10,
  totalTokenCount: 1570,
  promptTokensDetails: [
    { modality: 'TEXT', tokenCount: 12 },
    { modality: 'IMAGE', tokenCount: 258 },
  ],
};
const USED = {
  input_tokens: 270,
  input_tokens_details: { text_tokens: 12, image_tokens: 258 },
  output_tokens: 1300,
  total_tokens: 1570,
};

const candidate = (parts: readonly object[], rest: object = { finishReason: 'STOP' }) => ({
  candidates: [{ content: { role: 'model', parts }, ...rest }],
});

function painted(...bodies: readonly object[]): ImageAnswer {
  const answer = new ImageAnswer();
  for (const body of bodies) {
    const text = JSON.stringify(body);
    const { figures } = generateContent.readResponse(Buffer.from(text), 'painter');
    answer.take(JSON.parse(text) as JsonObject, figures);
  }
  return answer;
}

describe('an answer of an image model', () => {
  test('has every finished image, its size, its format and the usage', () => {
    const body = { ...candidate([{ text: 'Here you are' }, PICTURE, PICTURE]), usageMetadata: USAGE };
    expect(painted(body).answer(17)).toEqual({
      created: 17,
      data: [{ b64_json: DATA }, { b64_json: DATA }],
      output_format: 'png',
      size: '1248x832',
      usage: USED,
    });
  });

  test('leaves out sketches, sounds and missing usage', () => {
    const sketch = { ...PICTURE, thought: true };
    const sound = { inlineData: { mimeType: 'audio/wav', data: 'AAAA' } };
    const jpeg = { inlineData: { mimeType: 'image/jpeg', data: '_9j_4A' } };
    const made = painted(candidate([sketch, sound, jpeg]));
    expect(made.count).toBe(1);
    const answer = made.answer(1);
    expect(answer).toMatchObject({ data: [{ b64_json: '/9j/4A==' }], output_format: 'jpeg' });
    expect(answer.usage).toBeUndefined();
    expect(answer.size).toBeUndefined();
  });

  test('is bounded in memory', () => {
    const many = Array.from({ length: IMAGES_PER_CALL_MAX + 1 }, () => PICTURE);
    expect(painted(candidate(many))).toMatchObject({ overflowed: true, count: IMAGES_PER_CALL_MAX });
  });

  test.each([
    ['a blocked prompt', { promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } }, /PROHIBITED_CONTENT/],
    ['an unsafe picture', candidate([], { finishReason: 'IMAGE_SAFETY', finishMessage: 'Unsafe' }), /Unsafe/],
    ['no picture', candidate([], { finishReason: 'NO_IMAGE' }), /NO_IMAGE/],
    ['a filter and words', candidate([{ text: 'I must not' }], { finishReason: 'SAFETY' }), /I must not/],
  ])('with %s is blocked by moderation', (_what, body, message) => {
    expect(painted(body).error()).toEqual({
      error: {
        message: expect.stringMatching(message),
        type: 'image_generation_user_error',
        code: 'moderation_blocked',
        param: null,
      },
    });
  });

  test('with text in place of an image reports the text, as an error of the request', () => {
    expect(painted(candidate([{ text: 'Which cat?' }])).error()).toMatchObject({
      error: { message: 'The model made no image: Which cat?', type: 'image_generation_user_error' },
    });
  });

  test.each(['IMAGE_OTHER', 'MAX_TOKENS', 'OTHER'])(
    'with %s and no text is a failure of the vendor',
    (reason) => {
      const error = painted(candidate([], { finishReason: reason })).error();
      expect(error).toMatchObject({ error: { type: 'server_error' } });
    },
  );
});

const FACTS = { stream: true } as RequestFacts;

function streamOf(purpose: 'image_generation' | 'image_edit' = 'image_generation'): ImageStream {
  return new ImageStream({
    purpose,
    createdAtS: 17,
    vendor: generateContent.relayStream('sse', FACTS, 'painter'),
  });
}

const chunk = (body: object): Buffer => Buffer.from(`data: ${JSON.stringify(body)}\r\n\r\n`);

describe('a stream of an image model', () => {
  const CHUNKS = [
    candidate([{ text: 'Here' }], {}),
    candidate([PICTURE], {}),
    { ...candidate([{ text: '' }]), usageMetadata: USAGE },
  ].map(chunk);

  test.each(['image_generation', 'image_edit'] as const)('is one %s.completed with the usage', (purpose) => {
    const stream = streamOf(purpose);
    const told = CHUNKS.map((bytes) => stream.push(bytes));
    expect(told.slice(0, 2)).toEqual([undefined, undefined]);
    const [name, data = ''] = (told[2]?.toString() ?? '').split('\n');
    expect(name).toBe(`event: ${purpose}.completed`);
    expect(JSON.parse(data.slice('data: '.length))).toEqual({
      type: `${purpose}.completed`,
      created_at: 17,
      b64_json: DATA,
      background: 'auto',
      output_format: 'png',
      quality: 'auto',
      size: '1248x832',
      usage: USED,
    });
    expect(told[2]?.toString().endsWith('\n\n')).toBe(true);
    expect(stream).toMatchObject({ first: 'data', terminated: true, concluded: true, failed: false });
    expect(stream.finish()).toEqual({ rest: undefined, complete: true });
    expect(stream.usage()).toMatchObject({ usage: { images: 1, outputText: 1290 }, estimated: false });
  });

  test('is the same for any split of its bytes', () => {
    const whole = Buffer.concat(CHUNKS);
    const [byBytes, atOnce] = [streamOf(), streamOf()];
    const pieces = Array.from(whole, (_, at) => Buffer.from(byBytes.push(whole.subarray(at, at + 1)) ?? []));
    expect(Buffer.concat(pieces)).toEqual(atOnce.push(whole));
  });

  test('emits nothing twice, whatever follows the end', () => {
    const stream = streamOf();
    stream.push(Buffer.concat(CHUNKS));
    expect(stream.push(chunk(candidate([PICTURE])))).toBeUndefined();
    expect(stream.usage().usage.images).toBe(1);
  });

  test('that is blocked is an ordinary error, with what it cost', () => {
    const stream = streamOf();
    stream.push(chunk(candidate([{ text: 'Hm' }], {})));
    expect(stream.first).toBe('none');
    const end = candidate([], { finishReason: 'IMAGE_SAFETY' });
    expect(stream.push(chunk({ ...end, usageMetadata: USAGE }))).toBeUndefined();
    expect(stream).toMatchObject({ first: 'error', failed: true, concluded: false });
    expect(JSON.parse(stream.firstError ?? '').error.code).toBe('moderation_blocked');
    expect(stream.usage()).toMatchObject({ usage: { inputFresh: 270, images: 0 }, inputReported: true });
  });

  test('that fails in the middle has the vendor’s own error', () => {
    const stream = streamOf();
    stream.push(chunk(candidate([PICTURE], {})));
    stream.push(chunk({ error: { code: 503, message: 'busy', status: 'UNAVAILABLE' } }));
    expect(stream.first).toBe('error');
    expect(JSON.parse(stream.firstError ?? '').error.code).toBe(503);
  });

  test('without a terminator is not complete', () => {
    const stream = streamOf();
    stream.push(chunk(candidate([PICTURE], {})));
    expect(stream.finish().complete).toBe(false);
    expect(stream.first).toBe('none');
  });
});
