import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IMAGES_PER_CALL_MAX, MULTIPART_PARTS_MAX } from '../../bounds.ts';
import { isRefusal } from '../../kernel/errors.ts';
import type { RawRequest, RequestFacts } from '../dialect.ts';
import { images } from './dialect.ts';
import { findBoundary, findParts, isMultipart } from './multipart.ts';

const BOUNDARY = 'X-BOUNDARY-7';

function part(name: string, content: string | Buffer, filename = ''): Buffer {
  const file = filename === '' ? '' : `; filename="${filename}"\r\nContent-Type: image/png`;
  const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), Buffer.from(content), Buffer.from('\r\n')]);
}

const form = (...parts: Buffer[]): Buffer => Buffer.concat([...parts, Buffer.from(`--${BOUNDARY}--\r\n`)]);

const request = (body: Buffer): RawRequest => ({
  body,
  contentType: `multipart/form-data; boundary=${BOUNDARY}`,
  path: undefined,
});

const read = (body: Buffer): RequestFacts => images.readRequest(request(body)) as RequestFacts;

describe('a form is read where it stands', () => {
  const picture = Buffer.from([0x89, 0x50, 0x0d, 0x0a, 0x2d, 0x2d, 0x58, 0x00, 0xff, 0x0d, 0x0a]);

  it('gives model, count, stream and the wish to edit', () => {
    const body = form(
      part('model', 'gpt-image-1'),
      part('image[]', picture, 'a.png'),
      part('image[]', picture, 'b.png'),
      part('prompt', 'a'.repeat(40)),
      part('n', '3'),
      part('stream', 'true'),
    );
    expect(read(body)).toMatchObject({ model: 'gpt-image-1', images: 3, stream: true, edit: true });
    expect(read(body).inputTokensEstimate).toBeGreaterThanOrEqual(2_010);
    expect(images.countInput(request(body))).toBeGreaterThan(2 * 765);
  });

  it.each([
    [10, [' 10']],
    [10, ['10\n']],
    [4, ['4.5']],
    [1, ['']],
    [1, ['-1']],
    [7, ['7', '2']],
    [IMAGES_PER_CALL_MAX, ['ten']],
    [IMAGES_PER_CALL_MAX, [`${' '.repeat(5_000)}10`]],
  ])('asks for %i images with such a count (%#)', (count, texts) => {
    const body = form(part('model', 'm'), ...texts.map((text) => part('n', text)));
    expect(read(body).images).toBe(count);
  });

  it('is no edit without images', () => {
    expect(read(form(part('model', 'm'), part('prompt', 'x')))).toMatchObject({ edit: false, images: 1 });
  });

  it('has the value of its model replaced and not one byte more', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 300 }),
        fc.string({ minLength: 1, maxLength: 30 }),
        (bytes, name) => {
          const around = (model: string): Buffer =>
            form(part('image', Buffer.from(bytes), 'model'), part('model', model), part('x', 'name="model"'));
          const body = around('client-model');
          const sent = images.spliceRequest(request(body), read(body), name);
          expect(Buffer.concat(sent).equals(around(name))).toBe(true);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('replaces every one of repeated models', () => {
    const body = form(part('model', 'a'), part('model', 'b'));
    expect(read(body).model).toBe('b');
    expect(Buffer.concat(images.spliceRequest(request(body), read(body), 'vendor')).toString()).toBe(
      form(part('model', 'vendor'), part('model', 'vendor')).toString(),
    );
  });

  it('may have a preamble, empty parts and a quoted boundary', () => {
    const body = Buffer.concat([Buffer.from('hello\r\n'), form(part('mask', ''), part('model', 'm'))]);
    const facts = images.readRequest({
      ...request(body),
      contentType: `Multipart/Form-Data; charset=utf-8; boundary="${BOUNDARY}"`,
    });
    expect(facts).toMatchObject({ model: 'm', edit: true });
  });
});

describe('a form that is none is refused', () => {
  const whole = form(part('model', 'm'));
  const codeOf = (facts: unknown): number | undefined => (isRefusal(facts) ? facts.error.code : undefined);

  it('with 40002 wherever it is cut', () => {
    for (let at = 0; at < whole.length - 4; at++) expect(codeOf(read(whole.subarray(0, at)))).toBe(40002);
  });

  it('with 40002 without a boundary, or with too many parts', () => {
    const facts = images.readRequest({ ...request(whole), contentType: 'multipart/form-data' });
    expect(codeOf(facts)).toBe(40002);
    const many = form(...Array.from({ length: MULTIPART_PARTS_MAX + 1 }, () => part('x', '1')));
    expect(codeOf(read(many))).toBe(40002);
  });

  it('with 40003 without a model, or with an empty or endless one', () => {
    expect(codeOf(read(form(part('prompt', 'x'))))).toBe(40003);
    expect(codeOf(read(form(part('model', ''))))).toBe(40003);
    expect(codeOf(read(form(part('model', 'm'.repeat(257)))))).toBe(40003);
  });

  it('and never throws', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        findParts(Buffer.concat([Buffer.from(`--${BOUNDARY}\r\n`), Buffer.from(bytes)]), BOUNDARY);
        findBoundary(Buffer.from(bytes).toString('latin1'));
        expect(isMultipart(Buffer.from(bytes).toString('latin1'))).toBe(false);
      }),
    );
  });
});
