import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../test/support/property-runs.ts';
import {
  FORM_SLICE_BYTES,
  IMAGES_PER_CALL_MAX,
  METERED_KEYS_MAX,
  MULTIPART_HEADER_BYTES_MAX,
  MULTIPART_PARTS_MAX,
} from '../../bounds.ts';
import { isRefusal } from '../../kernel/errors.ts';
import type { RawRequest, RequestFacts } from '../dialect.ts';
import { images } from './dialect.ts';
import { formContentType } from './form.ts';
import { isMultipart } from './multipart.ts';

const BOUNDARY = 'X-BOUNDARY-7';
const TYPE = `multipart/form-data; boundary=${BOUNDARY}`;

function part(name: string, content: string | Buffer, filename = ''): Buffer {
  const file = filename === '' ? '' : `; filename="${filename}"\r\nContent-Type: image/png`;
  return headed(`Content-Disposition: form-data; name="${name}"${file}`, content);
}

function headed(head: string, content: string | Buffer = 'x'): Buffer {
  return Buffer.concat([
    Buffer.from(`--${BOUNDARY}\r\n${head}\r\n\r\n`),
    Buffer.from(content),
    Buffer.from('\r\n'),
  ]);
}

const form = (...parts: Buffer[]): Buffer => Buffer.concat([...parts, Buffer.from(`--${BOUNDARY}--\r\n`)]);

const request = (body: Buffer, contentType = TYPE): RawRequest => ({ body, contentType, path: undefined });

const read = (body: Buffer, contentType = TYPE): RequestFacts =>
  images.readRequest(request(body, contentType)) as RequestFacts;

/** The form as the vendor gets it, our boundary written as `CUT`. */
function sent(body: Buffer, model = 'vendor'): string {
  const facts = read(body);
  const text = Buffer.concat(images.spliceRequest(request(body), facts, model)).toString('latin1');
  return text.replaceAll(facts.form?.boundary ?? '', 'CUT');
}

function refused(body: Buffer, contentType = TYPE): string | undefined {
  const facts: unknown = read(body, contentType);
  return isRefusal(facts) ? `${facts.error.code} ${facts.message}` : undefined;
}

describe('a form', () => {
  const picture = Buffer.from([0x89, 0x50, 0x0d, 0x0a, 0x2d, 0x2d, 0x58, 0x00, 0xff, 0x0d, 0x0a]);

  it('gives model, count, stream and whether it is an edit', () => {
    const body = form(
      part('model', 'gpt-image-1'),
      part('image[]', picture, 'a.png'),
      part('image[]', picture, 'b.png'),
      part('prompt', 'a'.repeat(40)),
      part('n', '3'),
      part('stream', 'true'),
    );
    const facts = read(body);
    expect(facts).toMatchObject({ model: 'gpt-image-1', images: 3, stream: true, edit: true });
    const { mediaTokens = 0, inputTokensEstimate } = facts;
    expect(mediaTokens).toBeGreaterThan(2 * 255);
    expect(inputTokensEstimate).toBeGreaterThanOrEqual(mediaTokens + 10);
    expect(images.countInput(request(body), facts)).toBeGreaterThan(mediaTokens);
  });

  it('without images is not an edit', () => {
    expect(read(form(part('model', 'm'), part('prompt', 'x')))).toMatchObject({ edit: false, images: 1 });
    for (const name of ['image', 'image[]', 'image[0]', 'images', 'mask']) {
      expect(read(form(part('model', 'm'), part(name, 'x', 'a.png'))).edit, name).toBe(true);
    }
  });

  it.each([
    ['curl, browsers and undici', 'Content-Disposition: form-data; name="n"'],
    ['.NET', 'Content-Type: text/plain; charset=utf-8\r\nContent-Disposition: form-data; name=n'],
    ['OkHttp', 'Content-Disposition: form-data; name="n"\r\nContent-Length: 1'],
    [
      'Apache',
      'Content-Disposition: form-data; name="n"\r\nContent-Type: text/plain; charset=UTF-8\r\nContent-Transfer-Encoding: 8bit',
    ],
    ['Guzzle', 'Content-Disposition: form-data; name="n"\r\nContent-Length: 1\r\nX-Own: 1'],
    ['nobody, but by the rules', 'CONTENT-DISPOSITION:form-data;name=n;'],
  ])('is understood as %s writes it', (_client, head) => {
    expect(read(form(part('model', 'm'), headed(head, '7'))).images).toBe(7);
  });

  it('may have a preamble, blanks behind a boundary, empty parts and a quoted boundary', () => {
    const body = Buffer.concat([
      Buffer.from('hello\r\n'),
      form(part('mask', '', 'm.png'), part('model', 'm')),
    ]);
    const type = `Multipart/Form-Data; charset=utf-8; boundary="${BOUNDARY}"`;
    expect(read(body, type)).toMatchObject({ model: 'm', edit: true });
    const padded = Buffer.from(
      form(part('model', 'm')).toString().replace(`${BOUNDARY}\r\n`, `${BOUNDARY} \t\r\n`),
    );
    expect(read(padded)).toMatchObject({ model: 'm' });
  });
});

describe('a rewritten form', () => {
  it('has a new frame and unchanged contents', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.stringMatching(/^[ -~]{1,30}$/), (bytes, model) => {
        const picture = Buffer.from(bytes);
        const body = form(part('image', picture, 'a.png'), part('model', 'm'), part('x', 'name="model"'));
        const facts = read(body);
        const boundary = facts.form?.boundary ?? '';
        expect(boundary).toMatch(/^tollgate-[0-9a-f]{36}$/);
        const wanted = Buffer.concat([
          Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="image"; filename="a.png"\r\n`),
          Buffer.from('Content-Type: image/png\r\n\r\n'),
          picture,
          Buffer.from(`\r\n--${boundary}\r\nContent-Disposition: form-data; name="model"\r\n\r\n${model}`),
          Buffer.from(`\r\n--${boundary}\r\nContent-Disposition: form-data; name="x"\r\n\r\nname="model"`),
          Buffer.from(`\r\n--${boundary}--\r\n`),
        ]);
        expect(Buffer.concat(images.spliceRequest(request(body), facts, model)).equals(wanted)).toBe(true);
      }),
      { numRuns: runs(200) },
    );
  });

  it('has a random boundary, and its files are not copied', () => {
    const body = form(part('model', 'm'), part('image', 'x'.repeat(1_000), 'a.png'));
    const [one, other] = [read(body), read(body)];
    expect(one.form?.boundary).not.toBe(other.form?.boundary);
    expect(one.form && formContentType(one.form)).toBe(`multipart/form-data; boundary=${one.form?.boundary}`);
    expect(images.spliceRequest(request(body), one, 'v').some(({ buffer }) => buffer === body.buffer)).toBe(
      true,
    );
  });

  it('has every repeated model replaced', () => {
    const text = sent(form(part('model', 'a'), part('model', 'b')));
    expect(text.match(/vendor/g)).toHaveLength(2);
    expect(text).not.toMatch(/\r\n[ab]\r\n/);
  });

  it.each([
    ['a.png', 'a.png'],
    ['Ünïcödé 图片.png', 'Ünïcödé 图片.png'],
    ['a%22b.png', 'a%22b.png'],
    ['C:\\pictures\\x.png', 'C__pictures_x.png'],
    ['a; name=model; x=".png', undefined],
    ['a; name=model.png', 'a_ name_model.png'],
    ['a\u2028Content-Type: x.png', undefined],
    ['a\u200bb\u202e.png', 'a_b_.png'],
    [`${'x'.repeat(1_000)}.png`, `${'x'.repeat(196)}.png`],
  ])('has the file name %j as %j', (given, written) => {
    const body = form(part('model', 'm'), part('image', 'x', given));
    if (written === undefined) expect(refused(body)).toContain('40002');
    else
      expect(Buffer.from(sent(body), 'latin1').toString()).toContain(
        `name="image"; filename="${written}"\r\n`,
      );
  });

  it.each([
    [`filename*=utf-8''na%C3%AFve.png`, 'naïve.png'],
    [`filename*=UTF-8'en'a%22%0d%0aX.png`, 'a%22__X.png'],
    [`filename*=iso-8859-1''%e9.png`, 'file'],
    [`filename="a.png"; filename*=utf-8''b.png`, 'a.png'],
    ['filename=""', 'file'],
    ['filename=a.png', 'a.png'],
  ])('has %s as the file name %j', (parameter, written) => {
    const body = form(
      part('model', 'm'),
      headed(`Content-Disposition: form-data; name="image"; ${parameter}`),
    );
    expect(Buffer.from(sent(body), 'latin1').toString()).toContain(`; filename="${written}"\r\n\r\n`);
  });

  it('has the plain type of a file, and no types of texts', () => {
    const file = 'Content-Disposition: form-data; name="image"; filename="a"';
    expect(sent(form(part('model', 'm'), headed(`${file}\r\nContent-Type: image/png; x=y`)))).toContain(
      '\r\nContent-Type: image/png\r\n\r\n',
    );
    const text = 'Content-Disposition: form-data; name="prompt"\r\nContent-Type: application/octet-stream';
    expect(sent(form(part('model', 'm'), headed(text)))).not.toContain('Content-Type');
  });
});

describe('an ambiguous form is refused', () => {
  const model = part('model', 'm');
  const N = 'Content-Disposition: form-data; name="n"';

  it.each([
    ['another name behind quotes', 'Content-Disposition: form-data; x="; name=n"; name="n"; name="y"'],
    ['two names', 'Content-Disposition: form-data; name="x"; name="n"'],
    ['two names in other cases', 'Content-Disposition: form-data; name="x"; NAME="n"'],
    ['an extended name', `Content-Disposition: form-data; name="x"; name*=utf-8''n`],
    ['an extended name alone', `Content-Disposition: form-data; name*=utf-8''n`],
    ['a name in pieces', 'Content-Disposition: form-data; name="x"; name*0="n"'],
    ['blanks around the equals sign', 'Content-Disposition: form-data; name = "n"'],
    ['a blank before the colon', 'Content-Disposition : form-data; name="n"'],
    ['a folded header', 'Content-Disposition: form-data;\r\n name="n"'],
    ['a folded header with a tab', `Content-Disposition: form-data; name="x"\r\n\t; name="n"`],
    ['a bare line end', `Content-Disposition: form-data; name="x"\nContent-Disposition: form-data; name="n"`],
    ['a bare carriage return', `X: y\r${N}`],
    ['a null byte', 'Content-Disposition: form-data; name="n\0"'],
    ['two dispositions', `Content-Disposition: form-data; name="x"\r\n${N}`],
    ['two types', `${N}\r\nContent-Type: text/plain\r\nContent-Type: image/png`],
    ['another disposition', 'Content-Disposition: attachment; name="n"'],
    ['no disposition', 'Content-Type: text/plain'],
    ['an open quote', 'Content-Disposition: form-data; name="n'],
    ['something behind the quote', 'Content-Disposition: form-data; name="n"x'],
    ['a comma', 'Content-Disposition: form-data; name="x", form-data; name="n"'],
    ['a file where a text is needed', `${N}; filename="a"`],
    ['an extended file', `${N}; filename*=utf-8''a`],
    ['another charset', `${N}\r\nContent-Type: text/plain; charset=utf-16`],
    ['a broken type', `${N}\r\nContent-Type: text plain`],
    ['a form inside', `${N}\r\nContent-Type: multipart/mixed; boundary=x`],
    ['a message inside', `${N}\r\nContent-Type: message/rfc822`],
    ['base64', `${N}\r\nContent-Transfer-Encoding: base64`],
    ['quoted-printable', `${N}\r\nContent-Transfer-Encoding: Quoted-Printable`],
    ['no header', 'hello'],
    ['the boundary in a header', `${N}\r\nX: --${BOUNDARY}`],
  ])('%s', (_what, head) => {
    expect(refused(form(model, headed(head, '1')))).toMatch(/^40002 /);
  });

  it.each([
    'N',
    'n[]',
    'n[0]',
    'n.x',
    'MODEL',
    'Model',
    'model[]',
    '_model',
    'str-eam',
    'Image',
    'IMAGE[]',
    'image[x]',
    'Mask',
  ])('for a field called %s', (name) => {
    expect(refused(form(model, part(name, '1')))).toMatch(/^40002 .* may be read as /);
  });

  it.each(['', 'n%22', 'ſtream', 'a b', 'x"', 'ｎ', 'x'.repeat(65), '\\n', 'a;b', '\u{1f600}'])(
    'for an unusual field name: %j',
    (name) => {
      expect(refused(form(model, part(name, '1')))).toMatch(/^40002 /);
    },
  );

  it.each([
    '',
    ' 10',
    '10\n',
    '4.5',
    '-1',
    '+1',
    'ten',
    '1e1',
    '0x1',
    '1_0',
    '１',
    '129',
    '0010',
    ' '.repeat(5_000),
  ])('for a count of %j', (text) => {
    expect(refused(form(model, part('n', text)))).toBe(
      `40004 "n" must be a whole number up to ${IMAGES_PER_CALL_MAX}`,
    );
  });

  it.each(['', '1', '0', 'True', 'TRUE', 'yes', 'on', ' true', 'true\r\n', 'null'])(
    'for a flag of %j',
    (text) => {
      expect(refused(form(model, part('stream', text)))).toBe('40004 "stream" must be true or false');
    },
  );

  it('for a count or a flag that comes twice, and too many models', () => {
    expect(refused(form(model, part('n', '1'), part('n', '1')))).toBe('40002 "n" comes more than once');
    expect(refused(form(model, part('stream', 'true'), part('stream', 'true')))).toContain('more than once');
    expect(refused(form(...Array<Buffer>(METERED_KEYS_MAX).fill(model)))).toBeUndefined();
    expect(refused(form(...Array<Buffer>(METERED_KEYS_MAX + 1).fill(model)))).toContain('40002');
  });

  it.each([
    'multipart/form-data',
    'multipart/form-data; boundary=',
    'multipart/form-data; boundary=""',
    `multipart/form-data; boundary=A; boundary=${BOUNDARY}`,
    `multipart/form-data; boundary=A; Boundary=${BOUNDARY}`,
    `multipart/form-data; boundary = ${BOUNDARY}`,
    `multipart/form-data; boundary*=utf-8''${BOUNDARY}`,
    `multipart/form-data boundary=${BOUNDARY}`,
    `multipart/form-data; boundary=${BOUNDARY}, multipart/form-data; boundary=A`,
    `multipart/form-data; boundary="${BOUNDARY}`,
    `multipart/form-data; boundary="${BOUNDARY}\\\\"`,
    `multipart/form-data; boundary="${BOUNDARY} "`,
    `multipart/form-data; boundary=${'b'.repeat(71)}`,
  ])('for a content type of %s', (contentType) => {
    expect(refused(form(model), contentType)).toMatch(/^40002 /);
  });

  it('by the boundary of its header, wherever else one seems to stand', () => {
    const type = `multipart/form-data; x="; boundary=A"; boundary=${BOUNDARY}`;
    expect(read(form(model), type).model).toBe('m');
  });

  it('for other line ends', () => {
    const text = form(model, part('n', '2')).toString();
    for (const end of ['\n', '\r', '\n\r']) {
      expect(refused(Buffer.from(text.replaceAll('\r\n', end)))).toMatch(/^40002 /);
    }
  });
});

describe('a malformed form is refused', () => {
  const whole = form(part('model', 'm'));

  it('with 40002 at any truncation', () => {
    for (let at = 0; at < whole.length - 4; at++) {
      expect(refused(whole.subarray(0, at))).toMatch(/^40002 /);
    }
  });

  it('with 40002 for too many parts, or endless headers', () => {
    const many = form(
      ...Array.from({ length: MULTIPART_PARTS_MAX }, () => part('x', '1')),
      part('model', 'm'),
    );
    expect(refused(many)).toContain(`more than ${MULTIPART_PARTS_MAX} parts`);
    const long = `Content-Disposition: form-data; name="x"\r\nX: ${'y'.repeat(MULTIPART_HEADER_BYTES_MAX)}`;
    expect(refused(form(part('model', 'm'), headed(long)))).toMatch(/^40002 /);
  });

  it('with 40003 without a model, or with an empty, endless or broken one', () => {
    for (const body of [
      form(part('prompt', 'x')),
      form(part('model', '')),
      form(part('model', 'm'.repeat(257))),
      form(part('model', Buffer.from([0x6d, 0xff]))),
    ]) {
      expect(refused(body)).toMatch(/^40003 /);
    }
  });

  it('without an exception', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        const text = Buffer.from(bytes).toString('latin1');
        read(Buffer.concat([Buffer.from(`--${BOUNDARY}\r\n`), Buffer.from(bytes)]));
        read(form(headed(text)));
        read(whole, `multipart/form-data;${text}`);
        expect(isMultipart(text)).toBe(false);
      }),
    );
  });
});

describe('a large form', () => {
  it.each([
    ['of nothing but line ends', '\r\n'],
    ['of what only begins as the boundary', `\r\n--${BOUNDARY.slice(0, -1)}`],
  ])('%s is read over many turns', async (_what, filling) => {
    const content = Buffer.alloc(8 * FORM_SLICE_BYTES, filling);
    let turns = 0;
    let timer = setImmediate(function count() {
      turns++;
      timer = setImmediate(count);
    });
    const reading = images.readRequest(request(form(part('image', content, 'a.png'), part('model', 'm'))));
    const facts = await reading;
    clearImmediate(timer);
    expect(facts).toMatchObject({ model: 'm', edit: true });
    expect(turns).toBeGreaterThanOrEqual(7);
  });
});
