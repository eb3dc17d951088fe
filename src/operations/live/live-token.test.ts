import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LIVE_RESUME_MS, LIVE_TOKEN_CALLS_MAX, LIVE_TOKEN_CHARS_MAX } from '../bounds.ts';
import { readPlace, writePlace } from './live-token.ts';

const NOW = 1_800_000_000_000;
const number = fc.integer({ min: 0, max: 2 ** 45 });

test('a place is read as it was written, and what does not fit counts as done', () => {
  fc.assert(
    fc.property(
      number,
      fc.uniqueArray(fc.integer({ min: 1, max: 50_000 }), { maxLength: 100 }),
      (floor, steps) => {
        const known = steps.map((step) => floor + step).toSorted((one, other) => one - other);
        const text = writePlace({ floor, known }, NOW);
        expect(text.length).toBeLessThanOrEqual(LIVE_TOKEN_CHARS_MAX);
        const kept = known.slice(-LIVE_TOKEN_CALLS_MAX);
        const lowest = known.at(-LIVE_TOKEN_CALLS_MAX - 1) ?? floor;
        expect(readPlace(text, NOW)).toEqual({ floor: lowest, known: kept });
      },
    ),
  );
});

test('a place is good for a while, and any other text is none', () => {
  const text = writePlace({ floor: 7, known: [9] }, NOW);
  expect(readPlace(text, NOW + LIVE_RESUME_MS)).toEqual({ floor: 7, known: [9] });
  expect(readPlace(text, NOW + LIVE_RESUME_MS + 1_000)).toBeUndefined();
  fc.assert(fc.property(fc.string(), (any) => void readPlace(any, NOW)));
  for (const none of ['', '1', '1.', '1.2.', '1.2.3-', `1.${'z'.repeat(12)}`, '1.zzzzzzzzzzz', 'A.B']) {
    expect(readPlace(none, 0)).toBeUndefined();
  }
});
