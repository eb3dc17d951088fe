import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../test/support/property-runs.ts';
import type { UpstreamRequest } from '../contract.ts';
import { complaintAbout, requestBytes } from './request-bytes.ts';

const REQUEST: UpstreamRequest = {
  origin: 'https://api.example.com',
  reach: 'any',
  path: '/v1/models?a=b',
  method: 'POST',
  headers: ['content-type', 'application/json', 'x-note', 'caf\xe9'],
  body: [Buffer.from('{"a":'), Buffer.from('1}')],
  timeouts: { connectMs: 1, firstByteMs: 1, idleMs: 1 },
};

test('a small request is one write', () => {
  const pieces = requestBytes(REQUEST, 'api.example.com', 'keep-alive');
  expect(pieces.map((piece) => piece.toString('latin1'))).toEqual([
    'POST /v1/models?a=b HTTP/1.1\r\nhost: api.example.com\r\nconnection: keep-alive\r\n' +
      'content-type: application/json\r\nx-note: caf\xe9\r\ncontent-length: 7\r\n\r\n{"a":1}',
  ]);
});

test('a GET has no body and no length, an empty POST has its length', () => {
  const text = (method: UpstreamRequest['method']): string =>
    requestBytes({ ...REQUEST, method, headers: [], body: [] }, 'a', 'close').join('');
  expect(text('GET')).toBe('GET /v1/models?a=b HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n');
  expect(text('POST')).toMatch(/\r\ncontent-length: 0\r\n\r\n$/);
  expect(text('DELETE')).toMatch(/^DELETE .*\r\ncontent-length: 0\r\n\r\n$/s);
});

test('a large request is split into pieces of the same bytes', () => {
  const body = [Buffer.alloc(700_000, 97), Buffer.from('x'), Buffer.alloc(70_000, 98)];
  const pieces = requestBytes({ ...REQUEST, body }, 'a', 'keep-alive');
  expect(pieces.slice(1).every((piece) => piece.length <= 256 * 1024)).toBe(true);
  expect(Buffer.concat(pieces.slice(1)).equals(Buffer.concat(body))).toBe(true);
  expect(pieces[0]?.toString()).toContain('content-length: 770001\r\n\r\n');
});

test('characters that could end a line, a head or a message early are never written', () => {
  for (const path of ['', 'v1', '/a b', '/a\r\nx: y', '/\xe9', '/a\0']) {
    expect([path, complaintAbout({ ...REQUEST, path })]).toEqual([path, expect.stringContaining('path')]);
  }
  const OURS = ['Host', 'connection', 'Content-Length', 'transfer-encoding', 'expect', 'upgrade', 'te'];
  for (const name of ['', 'a b', 'a:', 'a\r\n', 'é', ...OURS]) {
    expect([name, complaintAbout({ ...REQUEST, headers: [name, 'x'] })]).toEqual([name, expect.any(String)]);
  }
  for (const value of ['a\r\nb: c', 'a\nb', 'a\rb', '\0', '\x7f', '→']) {
    const complaint = complaintAbout({ ...REQUEST, headers: ['x-a', value] });
    expect([value, complaint]).toEqual([value, 'a value of header x-a that none may have']);
  }
  expect(complaintAbout(REQUEST)).toBeUndefined();
});

test('an accepted head has exactly the expected number of lines', () => {
  const text = fc.string({ unit: fc.constantFrom(...'aB1-: \r\n\t\0\x7fé'), minLength: 1, maxLength: 3 });
  let passed = 0;
  fc.assert(
    fc.property(text, text, text, (path, name, value) => {
      const request = { ...REQUEST, path: `/${path}`, headers: [name, value], body: [] };
      if (complaintAbout(request) !== undefined) return;
      passed += 1;
      // Six line ends of two characters each, and nothing else that ends a line.
      expect(requestBytes(request, 'a', 'close').join('').split(/\r|\n/).length).toBe(2 * 6 + 1);
    }),
    { numRuns: runs(2_000) },
  );
  expect(passed).toBeGreaterThan(20);
});
