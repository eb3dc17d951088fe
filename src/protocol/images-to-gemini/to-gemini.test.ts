import { describe, expect, test } from 'vitest';
import { isRefusal } from '../../kernel/errors.ts';
import { expressible } from '../convert/convert.ts';
import type { RawRequest, RequestFacts } from '../dialect.ts';
import { images } from '../images/dialect.ts';
import { readImageRequest } from './image-request.ts';
import { encodeImageRequest, type FetchedImageRequest } from './to-gemini.ts';

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const JPEG = Buffer.from('ffd8ffe000104a464946', 'hex');
const PNG_URL = `data:image/png;base64,${PNG.toString('base64')}`;
const PAINTER = 'gemini-3-pro-image';

function json(body: object): RawRequest {
  return { body: Buffer.from(JSON.stringify(body)), contentType: 'application/json', path: undefined };
}

/** Fields of a form; a buffer is a file. */
function form(fields: readonly (readonly [string, string | Buffer])[]): RawRequest {
  const parts = fields.flatMap(([name, value]) => {
    const file = typeof value === 'string' ? '' : '; filename="a.bin"\r\nContent-Type: text/plain';
    const head = `--cut\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n`;
    return [Buffer.from(head), Buffer.from(value), Buffer.from('\r\n')];
  });
  const body = Buffer.concat([...parts, Buffer.from('--cut--\r\n')]);
  return { body, contentType: 'multipart/form-data; boundary=cut', path: undefined };
}

function encoded(raw: RawRequest, model = PAINTER) {
  const facts = images.readRequest(raw) as RequestFacts;
  const painted = expressible(() =>
    encodeImageRequest(readImageRequest(raw, facts) as FetchedImageRequest, model),
  );
  if (isRefusal(painted)) return { refused: painted.message, code: painted.error.code };
  return { body: JSON.parse(painted.body.toString()), dropped: painted.dropped };
}

const configOf = (options: object, model = PAINTER) =>
  encoded(json({ model: 'm', prompt: 'a cat', ...options }), model).body?.generationConfig;

describe('a generation becomes generateContent', () => {
  test('with the prompt and both modalities, and nothing else', () => {
    expect(encoded(json({ model: 'm', prompt: 'a cat' }))).toEqual({
      body: {
        contents: [{ role: 'user', parts: [{ text: 'a cat' }] }],
        generationConfig: { responseModalities: ['TEXT', 'IMAGE'] },
      },
      dropped: [],
    });
  });

  test.each([
    ['1024x1024', { aspectRatio: '1:1' }],
    ['1536x1024', { aspectRatio: '3:2' }],
    ['1024x1536', { aspectRatio: '2:3' }],
    ['1792x1024', { aspectRatio: '16:9' }],
    ['1024x1792', { aspectRatio: '9:16' }],
    ['2048x2048', { aspectRatio: '1:1', imageSize: '2K' }],
    ['3840x2160', { aspectRatio: '16:9', imageSize: '4K' }],
    ['auto', undefined],
  ])('with size %s as the nearest supported shape and size', (size, imageConfig) => {
    const { body, dropped } = encoded(json({ model: 'm', prompt: 'a cat', size }));
    expect(body.generationConfig.imageConfig).toEqual(imageConfig);
    expect(dropped).toEqual([]);
  });

  test.each([
    ['1000x4000', PAINTER],
    ['large', PAINTER],
    ['0x5', PAINTER],
    ['2048x2048', 'gemini-2.5-flash-image'],
  ])('with size %s for %s reported as unsupported', (size, model) => {
    expect(encoded(json({ model: 'm', prompt: 'a cat', size }), model).dropped).toEqual(['size']);
  });

  test('without a size for a model of one size', () => {
    expect(configOf({ size: '2048x2048' }, 'gemini-2.5-flash-image').imageConfig).toEqual({
      aspectRatio: '1:1',
    });
  });

  test('with unknown options dropped and reported, except those that the vendor meets anyway', () => {
    const asked = { n: 1, quality: 'high', background: 'transparent', output_format: 'webp', style: 'vivid' };
    const more = { output_compression: 50, moderation: 'low', partial_images: 2, user: 'u', stream: true };
    const { dropped } = encoded(
      json({ model: 'm', prompt: 'a cat', ...asked, ...more, response_format: 'url' }),
    );
    expect([...(dropped ?? [])].sort()).toEqual(
      ['background', 'moderation', 'output_compression', 'output_format', 'partial_images']
        .concat(['quality', 'response_format', 'style', 'user'])
        .sort(),
    );
    const usual = { quality: 'auto', background: 'opaque', output_format: 'png', partial_images: 0 };
    const plain = json({ model: 'm', prompt: 'a cat', ...usual, response_format: 'b64_json', user: null });
    expect(encoded(plain).dropped).toEqual([]);
  });
});

describe('an edit', () => {
  test.each([
    ['images of objects', { images: [{ image_url: PNG_URL }, { image_url: { url: PNG_URL } }] }],
    ['a list of addresses', { image: [PNG_URL, PNG_URL] }],
    ['both fields', { image: PNG_URL, images: [{ image_url: PNG_URL }] }],
  ])('in JSON with %s has its pictures behind the prompt', (_how, fields) => {
    const { body } = encoded(json({ model: 'm', prompt: 'a hat', ...fields }));
    const picture = { inlineData: { mimeType: 'image/png', data: PNG.toString('base64') } };
    expect(body.contents[0].parts).toEqual([{ text: 'a hat' }, picture, picture]);
  });

  test('in a form has its files in order, with the types of their bytes', () => {
    const raw = form([
      ['prompt', 'ein Hütchen'],
      ['image[]', PNG],
      ['n', '1'],
      ['image[]', JPEG],
      ['quality', 'low'],
      ['model', 'm'],
    ]);
    const { body, dropped } = encoded(raw);
    expect(body.contents[0].parts).toEqual([
      { text: 'ein Hütchen' },
      { inlineData: { mimeType: 'image/png', data: PNG.toString('base64') } },
      { inlineData: { mimeType: 'image/jpeg', data: JPEG.toString('base64') } },
    ]);
    expect(dropped).toEqual(['quality']);
  });

  test('corrects a type that its bytes contradict', () => {
    const image = `data:image/png;base64,${JPEG.toString('base64url')}`;
    const { body } = encoded(json({ model: 'm', prompt: 'x', image }));
    expect(body.contents[0].parts[1].inlineData).toEqual({
      mimeType: 'image/jpeg',
      data: JPEG.toString('base64'),
    });
  });

  test('by address is fetched by the gateway', () => {
    const request = readImageRequest(
      json({ model: 'm', prompt: 'x', image: 'https://a.example/b.png?s=1' }),
      {},
    );
    expect(request.pictures).toEqual([{ kind: 'url', url: 'https://a.example/b.png?s=1' }]);
  });
});

describe('40004 names what cannot be expressed', () => {
  const GIF = Buffer.from('GIF89a').toString('base64');
  test.each([
    ['n', { n: 2 }, 'n: this model makes one image at a time'],
    ['no n at all', { n: 0 }, 'n: this model makes one image at a time'],
    ['an absurd n', { n: 1e300 }, 'n: this model makes one image at a time'],
    ['a mask', { mask: { image_url: PNG_URL } }, 'mask: this model edits without masks'],
    ['a file id', { images: [{ file_id: 'file-1' }] }, /^images\[0\]\.file_id: /],
    [
      'an address of another scheme',
      { image: 'ftp://a.example/b' },
      /^image: is neither an http address nor a data address/,
    ],
    ['a picture that is none', { image: [5] }, 'image[0]: an address is needed'],
    ['a picture it does not read', { image: `data:image/gif;base64,${GIF}` }, /^image\[0\]: must be PNG/],
    ['a prompt that is none', { prompt: 7 }, 'prompt: a text is needed'],
    ['no prompt', { prompt: '' }, 'prompt: a text is needed'],
  ])('%s', (_what, fields, message) => {
    const result = encoded(json({ model: 'm', prompt: 'x', ...fields }));
    expect(result.code).toBe(40004);
    expect(result.refused).toMatch(message);
  });

  test('such as a mask and a number in a form', () => {
    const rest = [
      ['model', 'm'],
      ['prompt', 'x'],
      ['image', PNG],
    ] as const;
    expect(encoded(form([...rest, ['mask', PNG]])).refused).toMatch(/^mask: /);
    expect(encoded(form([...rest, ['n', '3']])).refused).toMatch(/^n: /);
  });
});
