import { expect, test } from 'vitest';
import { decodeSegment } from './path-segment.ts';

test('a part of a path is decoded, or not well encoded', () => {
  expect(decodeSegment('a%2Fb%20%E4%BD%A0')).toBe('a/b 你');
  expect(decodeSegment('plain')).toBe('plain');
  expect(['%', '%zz', '%E4%BD'].map(decodeSegment)).toEqual([undefined, undefined, undefined]);
});
