import { describe, expect, it } from 'vitest';
import { Outline } from './outline.ts';
import { skipValue, withOutline } from './skim.ts';

function outlined(text: string, chunkBytes = 1_000): Outline {
  const outline = new Outline();
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += chunkBytes) outline.push(bytes.subarray(at, at + chunkBytes));
  return outline;
}

const LONG = 'x\\"\\\\'.repeat(2_000);
const VECTOR = Array.from({ length: 500 }, (_, index) => (index - 250) / 7e9).join(', ');
const TEXT = `{"a":"${LONG}","b":[{"c":"short"},["${LONG}"],[${VECTOR}]],"d":1}`;

describe('an outline', () => {
  it.each([1, 7, 1_000, 100_000])('has the ends of large values, in chunks of %d', (chunkBytes) => {
    const { ends, absurd } = outlined(TEXT, chunkBytes);
    const bytes = Buffer.from(TEXT);
    expect(absurd).toBe(false);
    expect(ends.size).toBe(6);
    for (const [start, end] of ends) expect(skipValue(bytes, start, bytes.length)).toBe(end);
  });

  it('is used by walks until it is released', () => {
    const bytes = Buffer.from(TEXT);
    const ends = new Map([[0, 5]]);
    expect(withOutline(bytes, ends, () => skipValue(bytes, 0, bytes.length))).toBe(5);
    expect(skipValue(bytes, 0, bytes.length)).toBe(bytes.length);
  });

  it.each(['  ', '1', '\n'])('refuses a text that continues with %j alone', (piece) => {
    expect(outlined(`{"a":${piece.repeat(5_000)}`).absurd).toBe(true);
    expect(outlined(`{"a":"${piece === '\n' ? 'n' : piece.repeat(5_000)}"}`).absurd).toBe(false);
  });
});
