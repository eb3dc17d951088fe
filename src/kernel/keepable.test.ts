import { expect, test } from 'vitest';
import { keepable } from './keepable.ts';

test('a small view of much memory becomes a copy of just its size', () => {
  const memory = Buffer.alloc(2_048, 7);
  const kept = keepable(memory.subarray(100, 120));
  memory.fill(0);
  expect(kept).toEqual(Buffer.alloc(20, 7));
  expect(kept.buffer.byteLength).toBe(20);
});

test.each([
  ['a view of most of it', Buffer.alloc(2_048).subarray(0, 512)],
  ['nothing of nothing', Buffer.alloc(0)],
])('%s stays as it is', (_name, bytes) => {
  expect(keepable(bytes)).toBe(bytes);
});
