import fc from 'fast-check';

/** A form that a client may send to make us and a vendor read different things. */
export interface AmbiguousForm {
  readonly contentType: string;
  readonly body: Buffer;
}

const BOUNDARY = 'frontier';

const NAMES = [
  'model',
  'n',
  'stream',
  'prompt',
  'image',
  'image[]',
  'x',
  'N',
  'Model',
  'n[]',
  'ſtream',
  'n%22',
  '',
];

/** The headers of a part: how its field could be named, and what else could be said of it. */
const HEADS: readonly ((name: string, other: string) => string)[] = [
  ...Array<(name: string) => string>(8).fill((name) => `Content-Disposition: form-data; name="${name}"`),
  (name) => `content-disposition:form-data;name=${name || 'x'}`,
  (name) => `Content-Disposition: form-data; name="${name}"\r\nContent-Type: text/plain; charset=utf-8`,
  (name) => `Content-Disposition: form-data; name="${name}"\r\nContent-Length: 3\r\nX-Own: y`,
  (name, other) =>
    `Content-Disposition: form-data; name="${name}"; filename="${other}.png"\r\nContent-Type: image/png`,
  (name) => `Content-Disposition: form-data; name="${name}"; filename="a; name=n; .png"`,
  (name) => `Content-Disposition: form-data; filename="a\\"; name=\\"n.png"; name="${name}"`,
  (name) => `Content-Disposition: form-data; filename="ü 图.png"; name="${name}"`,
  (name) => `Content-Disposition: form-data; name="${name}"; filename=""`,
  (name) => `Content-Disposition: form-data; name="${name}"; filename*=utf-8''%22%0d%0a.png`,
  (name, other) => `Content-Disposition: form-data; x="; name=${other}"; name="${name}"`,
  (name, other) => `Content-Disposition: form-data; name="${other}"; name="${name}"`,
  (name, other) => `Content-Disposition: form-data; name="${other}"; name*=utf-8''${name}`,
  (name, other) => `Content-Disposition: form-data; name="${other}"; NAME="${name}"`,
  (name, other) =>
    `Content-Disposition: form-data; name="${other}"\r\nContent-Disposition: form-data; name="${name}"`,
  (name) => `Content-Disposition: form-data;\r\n name="${name}"`,
  (name) => `Content-Disposition: form-data; name = "${name}"`,
  (name) => `Content-Disposition : form-data; name="${name}"`,
  (name, other) =>
    `X: y\nContent-Disposition: form-data; name="${other}"\r\nContent-Disposition: form-data; name="${name}"`,
  (name) => `Content-Disposition: form-data; name="${name}\0"`,
  (name) => `Content-Disposition: attachment; name="${name}"`,
  (name) => `Content-Disposition: form-data; name="${name}"\r\nContent-Transfer-Encoding: base64`,
  (name) => `Content-Disposition: form-data; name="${name}"\r\nContent-Transfer-Encoding: quoted-printable`,
  (name) => `Content-Disposition: form-data; name="${name}"\r\nContent-Type: application/octet-stream`,
  (name) =>
    `Content-Disposition: form-data; name="${name}"\r\nContent-Type: multipart/mixed; boundary=${BOUNDARY}2`,
  () => 'Content-Type: text/plain',
];

const CONTENTS = [
  ...[
    'm',
    'm',
    'other',
    'true',
    'false',
    '1',
    '3',
    '10',
    ' 10',
    '1e1',
    'True',
    '',
    'MTA=',
    '=31',
    'ü',
    '\0',
    '\r\n',
  ],
  ...[
    `\n--${BOUNDARY}\nContent-Disposition: form-data; name="n"\n\n10`,
    `--${BOUNDARY}`,
    `\r\n--${BOUNDARY}x\r\n`,
  ],
  ...[
    `\r\n--tollgate-0\r\nContent-Disposition: form-data; name="n"\r\n\r\n9`,
    '\r\n\r\n',
    '--',
    'a\r',
    'b\n',
  ],
];

const TYPES = [
  ...Array<string>(12).fill(`multipart/form-data; boundary=${BOUNDARY}`),
  `multipart/form-data; boundary="${BOUNDARY}"`,
  `multipart/form-data; charset=utf-8; boundary=${BOUNDARY}`,
  `multipart/form-data; x="; boundary=other"; boundary=${BOUNDARY}`,
  `multipart/form-data; boundary=other; boundary=${BOUNDARY}`,
  `multipart/form-data; boundary*=utf-8''${BOUNDARY}`,
  `multipart/form-data; boundary = ${BOUNDARY}`,
  'multipart/form-data',
];

const part = fc
  .tuple(
    fc.constantFrom(...NAMES),
    fc.constantFrom('x', 'n', 'model'),
    fc.constantFrom(...HEADS),
    fc.constantFrom(...CONTENTS),
  )
  .map(([name, other, head, content]) => `--${BOUNDARY}\r\n${head(name, other)}\r\n\r\n${content}\r\n`);

const honest = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="model"\r\n\r\nm\r\n`;

const FRAMES: readonly ((parts: string) => string)[] = [
  ...Array<(parts: string) => string>(10).fill((parts) => `${parts}--${BOUNDARY}--\r\n`),
  (parts) => `preamble\r\n${parts}--${BOUNDARY}--`,
  (parts) => `${parts}--${BOUNDARY}--\r\n${honest}--${BOUNDARY}--\r\n`,
  (parts) => `${parts}--${BOUNDARY}--\r\n`.replaceAll('\r\n', '\n'),
  (parts) => parts,
];

export const ambiguousForm: fc.Arbitrary<AmbiguousForm> = fc
  .record({
    parts: fc.array(part, { maxLength: 4 }),
    place: fc.nat(4),
    contentType: fc.constantFrom(...TYPES),
    frame: fc.constantFrom(...FRAMES),
  })
  .map(({ parts, place, contentType, frame }) => {
    const all = [...parts.slice(0, place), honest, ...parts.slice(place)];
    return { contentType, body: Buffer.from(frame(all.join(''))) };
  });
