import { expect, test } from 'vitest';
import { Collector } from './collector.ts';

const PIECE = Buffer.alloc(64 * 1024, 'abc');

/** A piece as it comes from the socket, with memory of its own. */
function newPiece(): Buffer {
  const piece = Buffer.allocUnsafeSlow(PIECE.length);
  PIECE.copy(piece);
  return piece;
}

function collected(pieces: number, declaredBytes?: number): Collector {
  const collector = new Collector(declaredBytes);
  for (let index = 0; index < pieces; index++) collector.add(newPiece());
  return collector;
}

test('a small body is available at once, and a single piece is not copied', () => {
  const collector = new Collector(undefined);
  collector.add(PIECE);
  expect(collector.take()).toBe(PIECE);
  expect(collected(3).take()).toEqual(Buffer.concat([PIECE, PIECE, PIECE]));
});

test('a large body of declared length is available at once, because it is copied piece by piece', () => {
  const whole = collected(200, 200 * PIECE.length).take();
  expect(whole instanceof Buffer && whole.equals(Buffer.alloc(200 * PIECE.length, PIECE))).toBe(true);
});

test('pieces that were copied are freed at once; a piece of shared memory is not', () => {
  const pieces = Array.from({ length: 8 }, newPiece);
  const shared = Buffer.concat([PIECE, PIECE]);
  const collector = new Collector(10 * PIECE.length);
  for (const piece of pieces) collector.add(piece);
  collector.add(shared.subarray(0, PIECE.length));
  collector.add(shared.subarray(PIECE.length));
  const whole = collector.take();
  expect(whole instanceof Buffer && whole.equals(Buffer.alloc(10 * PIECE.length, PIECE))).toBe(true);
  expect(pieces.map(({ length }) => length)).toEqual(pieces.map(() => 0));
  expect(shared.length).toBe(2 * PIECE.length);
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
