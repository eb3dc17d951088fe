import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { lend } from '../../../test/support/suite/lend.ts';
import { AnswerReader } from './answer-reader.ts';

interface Read {
  readonly heads: string[];
  body: string;
  end: number | undefined;
  complaint: string | undefined;
}

/** Reads one answer whose bytes come in the given pieces; what comes behind its end is not looked at. */
function read(pieces: readonly Buffer[], ending: 'open' | 'closed' = 'open'): Read {
  const seen: Read = { heads: [], body: '', end: undefined, complaint: undefined };
  const reader = new AnswerReader({
    onAnswerHead: ({ status, headers }) => seen.heads.push(`${status} ${JSON.stringify(headers)}`),
    onAnswerBody: (bytes) => {
      seen.body += bytes.toString('latin1');
    },
    onAnswerEnd: (keepMs) => {
      seen.end = keepMs;
    },
  });
  reader.expect();
  for (const piece of pieces) {
    seen.complaint = lend(piece, (lent) => reader.push(lent));
    if (seen.complaint !== undefined || seen.end !== undefined) return seen;
  }
  if (ending === 'closed') reader.close();
  return seen;
}

const readText = (text: string, ending: 'open' | 'closed' = 'open'): Read =>
  read([Buffer.from(text, 'latin1')], ending);

function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const ends = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b);
  return [...ends, bytes.length].map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
}

const chunked = (chunks: readonly string[], extension = ''): string =>
  `${chunks.map((chunk) => `${chunk.length.toString(16)}${extension}\r\n${chunk}\r\n`).join('')}0${extension}\r\n`;

const CHUNKED_HEAD = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n';

describe('a valid answer', () => {
  test.each([
    ['a length', 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello', 'hello', 30_000],
    ['no bytes at all', 'HTTP/1.1 200 \r\nContent-Length:0\r\n\r\n', '', 30_000],
    ['no reason', 'HTTP/1.1 404\r\ncontent-length: 1\r\n\r\nx', 'x', 30_000],
    ['chunks', `${CHUNKED_HEAD}\r\n${chunked(['he', 'llo'])}\r\n`, 'hello', 30_000],
    ['chunks with extensions', `${CHUNKED_HEAD}\r\n${chunked(['hello'], ' ;a="b c"')}\r\n`, 'hello', 30_000],
    [
      'chunks with trailers',
      `${CHUNKED_HEAD}\r\n${chunked(['hello'])}x-a: 1\r\nx-b: 2\r\n\r\n`,
      'hello',
      30_000,
    ],
    ['204', 'HTTP/1.1 204 No Content\r\n\r\n', '', 30_000],
    ['204 that speaks of a body', 'HTTP/1.1 204 No Content\r\ncontent-length: 9\r\n\r\n', '', 0],
    ['204 that speaks of chunks', 'HTTP/1.1 204 No\r\ntransfer-encoding: chunked\r\n\r\n', '', 0],
    [
      '304 with the length of what it did not send',
      'HTTP/1.1 304 No\r\ncontent-length: 9\r\n\r\n',
      '',
      30_000,
    ],
    [
      'a close that is announced',
      'HTTP/1.1 200 OK\r\nconnection: X, Close\r\ncontent-length: 1\r\n\r\na',
      'a',
      0,
    ],
    ['HTTP/1.0', 'HTTP/1.0 200 OK\r\ncontent-length: 1\r\n\r\na', 'a', 0],
    [
      'HTTP/1.0 that lasts',
      'HTTP/1.0 200 OK\r\nconnection: keep-alive\r\ncontent-length: 1\r\n\r\na',
      'a',
      30_000,
    ],
    [
      'a time named',
      'HTTP/1.1 200 OK\r\nkeep-alive: timeout=5, max=9\r\ncontent-length: 1\r\n\r\na',
      'a',
      4_000,
    ],
    ['a time too short', 'HTTP/1.1 200 OK\r\nkeep-alive: timeout=1\r\ncontent-length: 1\r\n\r\na', 'a', 0],
    [
      'a time too long',
      'HTTP/1.1 200 OK\r\nkeep-alive: timeout=900\r\ncontent-length: 1\r\n\r\na',
      'a',
      30_000,
    ],
    ['more than it announced', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\naHTTP/1.1 200 OK\r\n', 'a', 0],
    ['more behind its last chunk', `${CHUNKED_HEAD}\r\n${chunked(['a'])}\r\nx`, 'a', 0],
  ])('%s', (_name, text, body, keepMs) => {
    const { body: seen, end, complaint } = readText(text);
    expect([seen, end, complaint]).toEqual([body, keepMs, undefined]);
  });

  test('without length and chunks lasts until the connection is closed', () => {
    const text = 'HTTP/1.1 200 OK\r\n\r\nall of it';
    expect(readText(text)).toMatchObject({ body: 'all of it', end: undefined });
    expect(readText(text, 'closed')).toMatchObject({ body: 'all of it', end: 0 });
  });

  test('does not end with a close inside its body, its chunks or its head', () => {
    for (const text of [
      'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhell',
      `${CHUNKED_HEAD}\r\n5\r\nhello\r\n`,
      `${CHUNKED_HEAD}\r\n5\r\nhello\r\n0\r\n`,
      'HTTP/1.1 200 OK\r\ncontent-le',
    ]) {
      expect([text, readText(text, 'closed').end]).toEqual([text, undefined]);
    }
  });

  test('has lower-case names and joined repeated headers, and no name is special', () => {
    const { heads } = readText(
      'HTTP/1.1 200 OK\r\nSet-Cookie: a\r\nset-cookie:\t b \r\nconstructor: c\r\n__proto__: d\r\ncontent-length: 0\r\n\r\n',
    );
    const headers = '{"set-cookie":"a, b","constructor":"c","__proto__":"d","content-length":"0"}';
    expect(heads).toEqual([`200 ${headers}`]);
  });

  test('may follow interim answers', () => {
    const { heads, body } = readText(
      'HTTP/1.1 103 Early Hints\r\nlink: a\r\n\r\nHTTP/1.1 102 Wait\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\na',
    );
    expect([heads.map((head) => head.slice(0, 3)), body]).toEqual([['103', '102', '200'], 'a']);
  });
});

test.each([
  ['not HTTP', 'SSH-2.0-OpenSSH\r\n'],
  ['HTTP/2', 'HTTP/2 200\r\n\r\n'],
  ['HTTP/0.9', '<html>'],
  ['a status of two digits', 'HTTP/1.1 20 OK\r\n\r\n'],
  ['a status of four digits', 'HTTP/1.1 2000 OK\r\n\r\n'],
  ['a control character in the reason', 'HTTP/1.1 200 O\0K\r\n\r\n'],
  ['an unasked 100', 'HTTP/1.1 100 Continue\r\n\r\n'],
  ['an interim answer of no meaning', 'HTTP/1.1 199 What\r\n\r\n'],
  ['a status of no class', 'HTTP/1.1 600 What\r\ncontent-length: 0\r\n\r\n'],
  ['the last number of three digits', 'HTTP/1.1 999 What\r\ncontent-length: 0\r\n\r\n'],
  ['an unasked upgrade', 'HTTP/1.1 101 Switching\r\nupgrade: h2c\r\n\r\n'],
  ['a length and chunks', `${CHUNKED_HEAD}content-length: 5\r\n\r\n`],
  ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\n'],
  ['one length twice', 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 5\r\n\r\n'],
  ['a negative length', 'HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n'],
  ['a length with a sign', 'HTTP/1.1 200 OK\r\ncontent-length: +5\r\n\r\n'],
  ['a length in hexadecimal', 'HTTP/1.1 200 OK\r\ncontent-length: 0x5\r\n\r\n'],
  ['a length beyond numbers', 'HTTP/1.1 200 OK\r\ncontent-length: 9999999999999999\r\n\r\n'],
  ['an empty length', 'HTTP/1.1 200 OK\r\ncontent-length:\r\n\r\n'],
  ['another coding', 'HTTP/1.1 200 OK\r\ntransfer-encoding: gzip\r\n\r\n'],
  ['two codings', 'HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n'],
  ['chunked twice', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n\r\n'],
  ['a folded header', 'HTTP/1.1 200 OK\r\nx: a\r\n b\r\ncontent-length: 0\r\n\r\n'],
  ['a length with a no-break space', 'HTTP/1.1 200 OK\r\ncontent-length: 5\xa0\r\n\r\n'],
  ['a coding with a no-break space', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\xa0\r\n\r\n'],
  ['a space before the colon', 'HTTP/1.1 200 OK\r\ncontent-length : 0\r\n\r\n'],
  ['a header without colon', 'HTTP/1.1 200 OK\r\nnonsense\r\n\r\n'],
  ['a header without name', 'HTTP/1.1 200 OK\r\n: a\r\n\r\n'],
  ['a bare line feed', 'HTTP/1.1 200 OK\r\nx: a\ncontent-length: 0\r\n\r\n'],
  ['a bare carriage return', 'HTTP/1.1 200 OK\r\nx: a\rcontent-length: 0\r\n\r\n'],
  ['a NUL in a value', 'HTTP/1.1 200 OK\r\nx: a\0b\r\n\r\n'],
  ['a chunk without size', `${CHUNKED_HEAD}\r\n\r\n`],
  ['a chunk size that is none', `${CHUNKED_HEAD}\r\nxyz\r\n`],
  ['a negative chunk size', `${CHUNKED_HEAD}\r\n-1\r\n`],
  ['a chunk size with 0x', `${CHUNKED_HEAD}\r\n0x5\r\n`],
  ['a space before the chunk size', `${CHUNKED_HEAD}\r\n 5\r\nhello\r\n`],
  ['a chunk size beyond bounds', `${CHUNKED_HEAD}\r\n100000000f\r\n`],
  ['a chunk longer than its size', `${CHUNKED_HEAD}\r\n4\r\nhello\r\n`],
  ['a line feed alone behind a chunk', `${CHUNKED_HEAD}\r\n5\r\nhello\n0\r\n\r\n`],
  ['a line feed alone in an extension', `${CHUNKED_HEAD}\r\n5;a\nb\r\nhello\r\n`],
  ['a head without end', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(65_600)}`],
  ['headers without end', `HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(11_000)}`],
  ['trailers without end', `${CHUNKED_HEAD}\r\n0\r\n${'x: y\r\n'.repeat(11_000)}`],
  ['an extension without end', `${CHUNKED_HEAD}\r\n5;${'a'.repeat(5_000)}`],
])('%s is refused', (_name, text) => {
  const { complaint, end } = readText(text);
  expect([typeof complaint, end]).toEqual(['string', undefined]);
});

const anAnswer = fc
  .record({
    interim: fc.nat(2),
    chunks: fc.array(fc.string({ unit: 'binary-ascii', minLength: 1, maxLength: 40 }), { maxLength: 8 }),
    framing: fc.constantFrom('length', 'chunks', 'extended'),
    trailers: fc.nat(2),
  })
  .map(({ interim, chunks, framing, trailers }) => {
    const before = 'HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n'.repeat(interim);
    const body = chunks.join('');
    if (framing === 'length') {
      return { body, text: `${before}HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}` };
    }
    const coded = chunked(chunks, framing === 'extended' ? ';a=b' : '');
    return { body, text: `${before}${CHUNKED_HEAD}\r\n${coded}${'t: x\r\n'.repeat(trailers)}\r\n` };
  });
const places = fc.array(fc.nat(), { maxLength: 30 });

test('an answer is the same for any split of its bytes, and ends with its last byte', () => {
  fc.assert(
    fc.property(anAnswer, places, ({ body, text }, cuts) => {
      const bytes = Buffer.from(text, 'latin1');
      const whole = read([bytes]);
      expect([whole.body, whole.end]).toEqual([body, 30_000]);
      expect(read(cut(bytes, cuts))).toEqual(whole);
      expect(read([...bytes].map((byte) => Buffer.of(byte)))).toEqual(whole);
      expect(read(cut(bytes.subarray(0, -1), cuts)).end).toBeUndefined();
    }),
  );
});

test('arbitrary bytes are an answer, an unfinished one, or an error', () => {
  const noise = fc.oneof(
    fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
    fc.tuple(anAnswer, fc.nat(), fc.nat(255)).map(([{ text }, place, byte]) => {
      const bytes = Buffer.from(text, 'latin1');
      bytes[place % bytes.length] = byte;
      return bytes;
    }),
  );
  fc.assert(
    fc.property(noise, places, (bytes, cuts) => {
      const whole = read([bytes]);
      const inPieces = read(cut(bytes, cuts));
      expect(inPieces.end === undefined).toBe(whole.end === undefined);
      expect(inPieces.complaint === undefined).toBe(whole.complaint === undefined);
      expect(inPieces.body).toBe(whole.body);
    }),
  );
});

test('a reader that stopped gets no more, and unexpected bytes are refused', () => {
  const bodies: string[] = [];
  const reader: AnswerReader = new AnswerReader({
    onAnswerHead: () => {},
    onAnswerBody: (bytes) => {
      bodies.push(bytes.toString());
      reader.stop();
    },
    onAnswerEnd: () => bodies.push('end'),
  });
  reader.expect();
  expect(reader.push(Buffer.from(`${CHUNKED_HEAD}\r\n${chunked(['a', 'b'])}\r\n`))).toBeUndefined();
  expect(bodies, 'chunks that came together are one piece, and its end is not told').toEqual(['ab']);
  expect(reader.push(Buffer.from('more'))).toBe('bytes that nobody asked for');
});
