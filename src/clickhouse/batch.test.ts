import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cutBatch, toBatch } from './batch.ts';
import { BATCH_BYTES_MAX } from './bounds.ts';

const line = (number: number, json = `{"n":${number}}`) => ({ number, json });

test('the same calls have the same token, and other calls or another range have another', () => {
  const range = { after: 0, to: 2 };
  const { token, body, calls } = toBatch(range, [line(1), line(2)]);
  expect(body.toString()).toBe('{"n":1}\n{"n":2}\n');
  expect(calls).toBe(2);
  expect(toBatch(range, [line(1), line(2)]).token).toBe(token);
  expect(toBatch(range, [line(1), line(2, '{"n":3}')]).token).not.toBe(token);
  expect(toBatch({ after: 0, to: 3 }, [line(1), line(2)]).token).not.toBe(token);
});

test('a range with all of its calls reaches to its end, one that was cut to its last call', () => {
  const range = { after: 10, to: 100 };
  expect(cutBatch(range, [line(12), line(15)], 3).range).toEqual(range);
  expect(cutBatch(range, [line(12), line(15)], 2).range).toEqual({ after: 10, to: 15 });
  expect(cutBatch(range, [], 2)).toEqual({ range, lines: [] });
});

test('a batch has at most its bytes, and a call that is larger stands alone', () => {
  const large = (number: number, bytes: number) => line(number, 'x'.repeat(bytes - 1));
  const half = BATCH_BYTES_MAX / 2;
  const range = { after: 0, to: 9 };
  expect(cutBatch(range, [large(1, half), large(2, half), large(3, 1)], 10)).toMatchObject({
    range: { after: 0, to: 2 },
    lines: { length: 2 },
  });
  expect(cutBatch(range, [large(4, 3 * half), large(5, 1)], 10).range).toEqual({ after: 0, to: 4 });
});

test('batch after batch, every call of a range is in exactly one', () => {
  const numbers = fc.uniqueArray(fc.integer({ min: 1, max: 200 }), { maxLength: 60 });
  fc.assert(
    fc.property(numbers, fc.integer({ min: 1, max: 20 }), (given, callsMax) => {
      const all = given.toSorted((one, other) => one - other).map((number) => line(number));
      const sent: number[] = [];
      let after = 0;
      while (after < 200) {
        const found = all.filter(({ number }) => number > after).slice(0, callsMax);
        const cut = cutBatch({ after, to: 200 }, found, callsMax);
        sent.push(...cut.lines.map(({ number }) => number));
        after = cut.range.to;
      }
      expect(sent).toEqual(all.map(({ number }) => number));
    }),
  );
});
