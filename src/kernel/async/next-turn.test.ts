import { expect, test } from 'vitest';
import { joinPieces, nextTurn } from './next-turn.ts';

test('a turn lets timers and sockets go first', async () => {
  const order: string[] = [];
  setImmediate(() => order.push('other'));
  await nextTurn();
  order.push('we');
  expect(order).toEqual(['other', 'we']);
});

test('pieces are joined in order; many of them over several turns', async () => {
  const one = Buffer.from('abc');
  expect(joinPieces([one], 3)).toBe(one);
  expect(String(joinPieces([one, Buffer.from('de')], 5))).toBe('abcde');
  const pieces = Array.from({ length: 100 }, (_, index) => Buffer.alloc(65_536, index));
  const joining = joinPieces(pieces, 100 * 65_536);
  expect(joining).toBeInstanceOf(Promise);
  expect((await joining).equals(Buffer.concat(pieces))).toBe(true);
});
