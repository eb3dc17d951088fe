import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  AMOUNT_MICRO_MAX,
  formatDecimal,
  formatMicro,
  MICRO,
  maxMicro,
  minMicro,
  parseDecimal,
  parseMicro,
  productMicro,
} from './money.ts';

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

describe('decimals of any size', () => {
  it.each([
    ['1.5e-07', 15n, 8],
    ['0.28', 28n, 2],
    ['3.625E-9', 3625n, 12],
    ['2e3', 2000n, 0],
    ['0', 0n, 0],
  ])('reads %s exactly', (text, units, scale) => expect(parseDecimal(text)).toEqual({ units, scale }));

  it.each(['', '-1', '1.', '.5', 'e5', '1e', '1e100', 'NaN', '1,5', ' 1'])('refuses "%s"', (text) =>
    expect(parseDecimal(text)).toBeUndefined(),
  );

  it('multiplies exactly and rounds up at six decimals', () => {
    const product = (...texts: readonly string[]): bigint | undefined =>
      productMicro(texts.map((text) => parseDecimal(text) ?? { units: 0n, scale: 0 }));
    expect(product('0.1', '0.2')).toBe(20_000n);
    expect(product('1.5e-07', '1000000', '7.1853')).toBe(1_077_795n);
    expect(product('0.000001', '0.1')).toBe(1n);
    expect(product('0', '7.2')).toBe(0n);
    expect(product('1e13', '1')).toBeUndefined();
  });

  it('is never below what the vendor asks', () => {
    const whole = fc.bigInt({ min: 0n, max: 10n ** 9n });
    const places = fc.integer({ min: 0, max: 12 });
    fc.assert(
      fc.property(whole, whole, places, (one, other, scale) => {
        const micro =
          productMicro([
            { units: one, scale },
            { units: other, scale: 6 },
          ]) ?? 0n;
        const exact = one * other * MICRO;
        const divisor = 10n ** BigInt(scale + 6);
        expect(micro * divisor >= exact && (micro - 1n) * divisor < exact).toBe(true);
      }),
    );
  });
});

describe('a decimal of any size as a text', () => {
  it.each([
    [{ units: 435n, scale: 3 }, '0.435'],
    [{ units: 1_500n, scale: 2 }, '15'],
    [{ units: 28n, scale: 4 }, '0.0028'],
    [{ units: 3n, scale: -2 }, '300'],
    [{ units: 0n, scale: 5 }, '0'],
  ])('%o is %s', (decimal, text) => {
    expect(formatDecimal(decimal)).toBe(text);
  });
});
