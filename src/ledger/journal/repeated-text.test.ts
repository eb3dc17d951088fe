import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../test/support/property-runs.ts';
import { anyEnd, anyOpen } from '../suite/sample.ts';
import { encodeEnd, encodeOpen, FRAME_BYTES_MAX, frameInto } from './record.ts';
import { decodeLine } from './record-reader.ts';

const frame = Buffer.alloc(FRAME_BYTES_MAX);

function readBack(json: string): unknown {
  const length = frameInto(frame, json) ?? 0;
  return decodeLine(Buffer.from(frame.subarray(0, length - 1)));
}

const KEY = { keyId: 7 };

test('calls of one key have their own fields, in any alternation', () => {
  fc.assert(
    fc.property(anyOpen, anyOpen, anyEnd, (first, second, ended) => {
      const fields = Object.keys(first) as (keyof typeof first)[];
      for (const field of fields) {
        const one = { ...first, ...KEY };
        const other = { ...first, [field]: second[field], ...KEY };
        for (const call of [one, other, one])
          expect(readBack(encodeOpen(call))).toEqual({ kind: 'open', call });
      }
      const end = { ...ended, ...KEY };
      for (const _ of [1, 2]) expect(readBack(encodeEnd(end))).toEqual({ kind: 'end', call: end });
    }),
    { numRuns: runs(30) },
  );
});

test('an open call and its end share common text, and each window has its own use', () => {
  fc.assert(
    fc.property(anyOpen, anyEnd, (open, ended) => {
      const windows = open.windows.map((window, index) => ({ ...window, used: BigInt(index) }));
      const { inputTokens: _1, images: _2, windows: _3, credential: _4, own: _5, ...rest } = open;
      const { outputTokensMax: _6, ...said } = rest;
      const call = { ...ended, ...said, windows };
      expect(readBack(encodeOpen(open))).toEqual({ kind: 'open', call: open });
      expect(readBack(encodeEnd(call))).toEqual({ kind: 'end', call });
    }),
    { numRuns: runs(100) },
  );
});
