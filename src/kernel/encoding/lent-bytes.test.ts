import { expect, expectTypeOf, test } from 'vitest';
import { joinLent, type LentBytes, ownCopy } from './lent-bytes.ts';

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

test('lent bytes are joined to kept ones in memory of its own', () => {
  const [kept, lent] = [Buffer.from('kept'), Buffer.from('lent')];
  const joined = joinLent(kept, lent);
  lent.fill('#');
  expect(joined.toString()).toBe('keptlent');
});

/** The compiler checks these: `npm run check` fails, not the test. */
test('lent bytes, and their parts, are not kept without a copy', () => {
  expectTypeOf<Buffer>().toExtend<LentBytes>();
  expectTypeOf<LentBytes>().not.toExtend<Buffer>();
  expectTypeOf<LentBytes>().not.toExtend<Uint8Array>();
  expectTypeOf<ReturnType<LentBytes['subarray']>>().not.toExtend<Uint8Array>();
  expectTypeOf<LentBytes>().not.toExtend<Parameters<typeof Buffer.concat>[0][number]>();
  expectTypeOf(ownCopy).returns.toEqualTypeOf<Buffer>();
});
