import { deflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { inflateWithin } from './inflate.ts';

test('a stream is read within its bound, whatever follows it', () => {
  const stream = Buffer.concat([deflateSync(Buffer.alloc(100, 'x')), Buffer.from('endstream')]);
  expect(inflateWithin(stream, 100)).toEqual(Buffer.alloc(100, 'x'));
  expect(inflateWithin(stream, 99)).toBeUndefined();
  expect(inflateWithin(Buffer.from('no stream'), 100)).toBeUndefined();
});
