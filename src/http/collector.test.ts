import { expect, test } from 'vitest';
import { Collector } from './collector.ts';

const PIECE = Buffer.alloc(64 * 1024, 'abc');

function collected(pieces: number, declaredBytes?: number): Collector {
  const collector = new Collector(declaredBytes);
  for (let index = 0; index < pieces; index++) collector.add(PIECE);
  return collector;
}

test('a small body is available at once, and a single piece is not copied', () => {
  expect(collected(1).take()).toBe(PIECE);
  expect(collected(3).take()).toEqual(Buffer.concat([PIECE, PIECE, PIECE]));
});

test('a large body of declared length is available at once, because it is copied piece by piece', () => {
  const whole = collected(200, 200 * PIECE.length).take();
  expect(whole).toBeInstanceOf(Buffer);
});

test('a large body of unknown length is joined over several turns', async () => {
  const collector = collected(200);
  const whole = collector.take();
  expect(whole).toBeInstanceOf(Promise);
  let turns = 0;
  const count = (): void => {
    turns++;
    next = setImmediate(count);
  };
  let next = setImmediate(count);
  const bytes = await whole;
  clearImmediate(next);
  expect(turns).toBeGreaterThan(1);
  expect(bytes.equals(Buffer.alloc(200 * PIECE.length, PIECE))).toBe(true);
});
