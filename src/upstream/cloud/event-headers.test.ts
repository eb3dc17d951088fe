import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readHeaders } from './event-headers.ts';

test('texts are found beside values of every other type', () => {
  const bytes = Buffer.concat([
    ...[header('t', 0, []), header('f', 1, []), header('b', 2, [1]), header('s', 3, [1, 2])],
    ...[header('i', 4, [1, 2, 3, 4]), header('l', 5, new Array(8).fill(0)), header('y', 6, [0, 2, 9, 9])],
    ...[header(':event-type', 7, [0, 5, ...Buffer.from('chunk')]), header('d', 8, new Array(8).fill(0))],
    header('u', 9, new Array(16).fill(0)),
  ]);
  expect(readHeaders(bytes)).toEqual(new Map([[':event-type', 'chunk']]));
  for (let end = 1; end < bytes.length; end++) {
    const found = readHeaders(bytes.subarray(0, end));
    if (found !== undefined) expect([...found.values()].every((value) => value === 'chunk')).toBe(true);
  }
});

test('an unknown type is refused', () => {
  expect(readHeaders(header('x', 10, []))).toBeUndefined();
});

test('no bytes make it throw', () => {
  fc.assert(fc.property(fc.uint8Array(), (bytes) => void readHeaders(Buffer.from(bytes))));
});

function header(name: string, type: number, value: readonly number[]): Buffer {
  return Buffer.from([name.length, ...Buffer.from(name), type, ...value]);
}
