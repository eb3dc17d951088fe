import { expect, test } from 'vitest';
import { ownCopy } from './own-copy.ts';

test('a copy keeps just its size, and what happens to the rest is nothing to it', () => {
  const memory = Buffer.alloc(2_048, 7);
  const kept = ownCopy(memory.subarray(100, 120));
  memory.fill(0);
  expect(kept).toEqual(Buffer.alloc(20, 7));
  expect(kept.buffer.byteLength).toBe(20);
});

test('a copy of nothing', () => {
  expect(ownCopy(Buffer.alloc(0))).toHaveLength(0);
});
