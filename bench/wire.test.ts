import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countEventEnds } from './connection.ts';
import { requestBody, scenarios } from './scenario.ts';
import { chunkOf, MessageReader } from './wire.ts';

/** Feeds the bytes in pieces of the given sizes and answers the bodies of the messages. */
function read(bytes: Buffer, sizes: readonly number[]): { heads: string[]; bodies: string[] } {
  const heads: string[] = [];
  const bodies: string[] = [];
  let body = '';
  const reader = new MessageReader({
    onHead: (head) => heads.push(head),
    onBody: (piece) => {
      body += piece.toString('latin1');
    },
    onEnd: () => {
      bodies.push(body);
      body = '';
    },
  });
  let offset = 0;
  for (let index = 0; offset < bytes.length; index += 1) {
    const size = sizes[index % sizes.length] ?? 1;
    reader.push(bytes.subarray(offset, offset + size));
    offset += size;
  }
  return { heads, bodies };
}

describe('MessageReader', () => {
  const messages = Buffer.concat([
    Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello'),
    Buffer.from('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'),
    chunkOf('data: one\n\n'),
    chunkOf('data: two\n\n'),
    Buffer.from('0\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n'),
    Buffer.from('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'),
  ]);

  it('reads the same messages however the bytes are cut', () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(sizes, (cuts) => {
        const { heads, bodies } = read(messages, cuts);
        expect(bodies).toEqual(['hello', 'data: one\n\ndata: two\n\n', '', '']);
        expect(heads[2]).toBe('HTTP/1.1 204 No Content');
      }),
    );
  });

  it('refuses a line that never ends', () => {
    expect(() => read(Buffer.alloc(200_000, 'x'), [50_000])).toThrow('without end');
  });
});

describe('countEventEnds', () => {
  it('counts every event once however the stream is cut', () => {
    const stream = Buffer.from('data: a\n\ndata: b\ndata: c\n\n: note\n\n');
    for (let cut = 0; cut <= stream.length; cut += 1) {
      const first = stream.subarray(0, cut);
      const second = stream.subarray(cut);
      const seen = countEventEnds(first, 0) + countEventEnds(second, first[first.length - 1] ?? 0);
      expect(seen).toBe(3);
    }
  });
});

describe('requestBody', () => {
  it('is valid JSON of about the size that was asked for, with the marker in front', () => {
    for (const scenario of scenarios('full')) {
      const body = requestBody(scenario);
      expect(JSON.parse(body.toString())).toMatchObject({ model: scenario.model });
      expect(body.subarray(0, 40).toString()).toContain(scenario.model);
      expect(Math.abs(body.length - scenario.requestBytes)).toBeLessThan(scenario.requestBytes * 0.15);
    }
  });
});
