import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AMOUNT_MICRO_MAX, formatMicro, maxMicro, minMicro, parseMicro } from './money.ts';

const amount = fc.bigInt({ min: -AMOUNT_MICRO_MAX, max: AMOUNT_MICRO_MAX });

describe('money', () => {
  it('reads what it prints, exactly', () => {
    fc.assert(
      fc.property(amount, (micro) => {
        expect(parseMicro(formatMicro(micro))).toBe(micro);
      }),
    );
  });

  it('prints no trailing zeros and no exponent', () => {
    fc.assert(
      fc.property(amount, (micro) => {
        expect(formatMicro(micro)).toMatch(/^-?\d+(\.\d{0,5}[1-9])?$/);
      }),
    );
  });

  it.each([
    ['0', 0n],
    ['12.5', 12_500_000n],
    ['0.000001', 1n],
    ['-3', -3_000_000n],
    ['007', 7_000_000n],
    ['0.85', 850_000n],
    ['1000000000000', AMOUNT_MICRO_MAX],
  ])('reads %s', (text, micro) => expect(parseMicro(text)).toBe(micro));

  it.each([
    '',
    ' 1',
    '1 ',
    '1.',
    '.5',
    '1.0000001',
    '1e3',
    '+1',
    '0x1',
    'NaN',
    '1,5',
    '１',
    '1000000000001',
    '--1',
  ])('refuses "%s"', (text) => expect(parseMicro(text)).toBeUndefined());

  it('never throws', () => {
    fc.assert(fc.property(fc.string(), (text) => void parseMicro(text)));
  });

  it('compares', () => {
    fc.assert(
      fc.property(amount, amount, (one, other) => {
        expect([minMicro(one, other), maxMicro(one, other)]).toEqual(
          one < other ? [one, other] : [other, one],
        );
      }),
    );
  });
});
