import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../test/support/property-runs.ts';
import { formatMicro } from '../kernel/money.ts';
import { NO_USAGE, type Usage } from '../kernel/usage.ts';
import type { Prices } from './contract.ts';
import {
  batchPrice,
  chargeableCreditsMicro,
  costMicro,
  creditsMicro,
  dearestPrice,
  type Rates,
} from './price.ts';

const LIST: Rates = {
  rateMultiplierMicro: 1_000_000n,
  systemMicro: 100_000_000n,
  userMicro: 100_000_000n,
  vendorMicro: 100_000_000n,
  credentialMicro: 100_000_000n,
  nodeMicro: 100_000_000n,
};

const count = fc.oneof(fc.constant(0), fc.nat(50), fc.nat(100_000_000));
const usage: fc.Arbitrary<Usage> = fc.record({
  inputFresh: count,
  cacheRead: count,
  cacheWrite: count,
  outputText: count,
  outputReasoning: count,
  images: fc.nat(100),
  videos: fc.nat(100),
});
const price = fc.bigInt({ min: 0n, max: 1_000_000_000n });
const prices: fc.Arbitrary<Prices> = fc.record({
  inputMicro: price,
  outputMicro: price,
  cacheInputMicro: fc.option(price, { nil: undefined }),
  cacheOutputMicro: fc.option(price, { nil: undefined }),
  cacheWriteMicro: fc.option(price, { nil: undefined }),
  imageMicro: price,
  videoMicro: price,
});
const rate = fc.oneof(fc.constant(100_000_000n), fc.bigInt({ min: 0n, max: 300_000_000n }));
const rates: fc.Arbitrary<Rates> = fc.record({
  rateMultiplierMicro: fc.bigInt({ min: 0n, max: 5_000_000n }),
  systemMicro: rate,
  userMicro: rate,
  vendorMicro: rate,
  credentialMicro: rate,
  nodeMicro: rate,
});

/** A decimal as digits and a count of decimals: the oracle multiplies texts as a person does on paper. */
interface Decimal {
  readonly digits: bigint;
  readonly decimals: number;
}

function decimal(text: string): Decimal {
  const [whole = '', fraction = ''] = text.split('.');
  return { digits: BigInt(whole + fraction), decimals: fraction.length };
}

function times(one: Decimal, other: Decimal): Decimal {
  return { digits: one.digits * other.digits, decimals: one.decimals + other.decimals };
}

function plus(one: Decimal, other: Decimal): Decimal {
  const decimals = Math.max(one.decimals, other.decimals);
  const aligned = (value: Decimal): bigint =>
    BigInt(`${value.digits}${'0'.repeat(decimals - value.decimals)}`);
  return { digits: aligned(one) + aligned(other), decimals };
}

const hundredth = (value: Decimal): Decimal => ({ ...value, decimals: value.decimals + 2 });
const millionth = (value: Decimal): Decimal => ({ ...value, decimals: value.decimals + 6 });

/** Cuts the printed number after six decimals: text, not division. */
function cutMicro({ digits, decimals }: Decimal): bigint {
  const text = digits.toString().padStart(decimals + 1, '0');
  const whole = text.slice(0, text.length - decimals);
  const fraction = text.slice(text.length - decimals).padEnd(6, '0');
  return BigInt(whole + fraction.slice(0, 6));
}

/** The sentence of rule M-1, read again and written differently. */
function oracle(used: Usage, list: Prices, factors: Rates): bigint {
  const yuan = (micro: bigint): Decimal => decimal(formatMicro(micro));
  const number = (whole: number): Decimal => decimal(String(whole));
  const hit = used.cacheRead > 0;
  const output = hit && list.cacheOutputMicro !== undefined ? list.cacheOutputMicro : list.outputMicro;
  const perMillion: [number, bigint][] = [
    [used.inputFresh, list.inputMicro],
    [used.cacheRead, list.cacheInputMicro === undefined ? list.inputMicro : list.cacheInputMicro],
    [used.cacheWrite, list.cacheWriteMicro === undefined ? list.inputMicro : list.cacheWriteMicro],
    [used.outputText, output],
    [used.outputReasoning, output],
  ];
  let total = plus(
    times(number(used.images), yuan(list.imageMicro)),
    times(number(used.videos), yuan(list.videoMicro)),
  );
  for (const [tokens, each] of perMillion) total = plus(total, millionth(times(number(tokens), yuan(each))));
  total = times(total, yuan(factors.rateMultiplierMicro));
  for (const factor of [
    factors.systemMicro,
    factors.userMicro,
    factors.vendorMicro,
    factors.credentialMicro,
    factors.nodeMicro,
  ]) {
    total = hundredth(times(total, yuan(factor)));
  }
  return cutMicro(total);
}

describe('the cost of a call', () => {
  it('is the exact product of rule M-1, cut at six decimals', () => {
    fc.assert(
      fc.property(usage, prices, rates, (used, list, factors) => {
        expect(costMicro(used, { prices: list, rates: factors })).toBe(oracle(used, list, factors));
      }),
      { numRuns: runs(10_000) },
    );
  });

  it('is never negative, and zero for a call that used nothing', () => {
    fc.assert(
      fc.property(usage, prices, rates, (used, list, factors) => {
        expect(costMicro(used, { prices: list, rates: factors })).toBeGreaterThanOrEqual(0n);
        expect(costMicro(NO_USAGE, { prices: list, rates: factors })).toBe(0n);
      }),
    );
  });

  it('never falls when more is used', () => {
    // A cache hit may change the price of all output, so the read bucket only grows where it is already used.
    const bucket = fc.constantFrom<keyof Usage>(
      'inputFresh',
      'cacheWrite',
      'outputText',
      'outputReasoning',
      'images',
      'videos',
    );
    fc.assert(
      fc.property(
        usage,
        prices,
        rates,
        fc.tuple(bucket, fc.nat(1_000_000)),
        (used, list, factors, [name, more]) => {
          const snapshot = { prices: list, rates: factors };
          const larger = { ...used, [name]: used[name] + more };
          expect(costMicro(larger, snapshot)).toBeGreaterThanOrEqual(costMicro(used, snapshot));
        },
      ),
    );
  });

  it('is never more than the same tokens at the dearest price', () => {
    fc.assert(
      fc.property(usage, prices, rates, (usage, prices, rates) => {
        const snapshot = { prices, rates };
        const { inputFresh, cacheRead, cacheWrite } = usage;
        const uncached = {
          ...usage,
          inputFresh: inputFresh + cacheRead + cacheWrite,
          cacheRead: 0,
          cacheWrite: 0,
        };
        expect(costMicro(uncached, dearestPrice(snapshot))).toBeGreaterThanOrEqual(
          costMicro(usage, snapshot),
        );
      }),
    );
  });

  it('does not depend on how a vendor splits output into text and reasoning', () => {
    fc.assert(
      fc.property(usage, prices, rates, (used, list, factors) => {
        const merged = { ...used, outputText: used.outputText + used.outputReasoning, outputReasoning: 0 };
        const snapshot = { prices: list, rates: factors };
        expect(costMicro(merged, snapshot)).toBe(costMicro(used, snapshot));
      }),
    );
  });

  const PRICES: Prices = {
    inputMicro: 10_000_000n,
    outputMicro: 30_000_000n,
    cacheInputMicro: 1_000_000n,
    cacheOutputMicro: 20_000_000n,
    cacheWriteMicro: 12_500_000n,
    imageMicro: 300_000n,
    videoMicro: 2_000_000n,
  };

  it.each<[string, Partial<Usage>, Partial<Rates>, bigint]>([
    ['a million input tokens cost the input price', { inputFresh: 1_000_000 }, {}, 10_000_000n],
    ['cached input has its own price', { cacheRead: 1_000_000 }, {}, 1_000_000n],
    ['written cache has its own price', { cacheWrite: 1_000_000 }, {}, 12_500_000n],
    ['output without a hit costs the output price', { outputText: 1_000_000 }, {}, 30_000_000n],
    [
      'output of a hit costs the cached output price',
      { cacheRead: 1, outputText: 1_000_000 },
      {},
      20_000_001n,
    ],
    ['images and videos count per item', { images: 2, videos: 1 }, {}, 2_600_000n],
    ['a rate of 85 takes 15 percent off', { images: 1 }, { userMicro: 85_000_000n }, 255_000n],
    ['what is below a micro-yuan is cut, not rounded', { inputFresh: 1 }, { systemMicro: 19_000_000n }, 1n],
    ['a rate of nothing makes it free', { images: 1 }, { nodeMicro: 0n }, 0n],
  ])('%s', (_sentence, used, factors, expected) => {
    const snapshot = { prices: PRICES, rates: { ...LIST, ...factors } };
    expect(costMicro({ ...NO_USAGE, ...used }, snapshot)).toBe(expected);
  });
});

describe('the charge', () => {
  it('is nothing below one Credit and exact from one Credit on', () => {
    expect(chargeableCreditsMicro(999n, 1000)).toBe(0n);
    expect(chargeableCreditsMicro(1_000n, 1000)).toBe(1_000_000n);
    expect(chargeableCreditsMicro(1_001n, 1000)).toBe(1_001_000n);
    expect(chargeableCreditsMicro(0n, 1000)).toBe(0n);
  });

  it('is the amount times the Credits per yuan, or 0', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 10n ** 15n }),
        fc.integer({ min: 1, max: 100_000 }),
        (amount, perYuan) => {
          const credits = creditsMicro(amount, perYuan);
          expect(credits).toBe(amount * BigInt(perYuan));
          expect(chargeableCreditsMicro(amount, perYuan)).toBe(credits >= 1_000_000n ? credits : 0n);
        },
      ),
    );
  });
});

describe('the price of a batch', () => {
  const add = (one: Usage, other: Usage): Usage => {
    const sums = Object.entries(one).map(([key, value]) => [key, value + other[key as keyof Usage]]);
    return Object.fromEntries(sums) as Usage;
  };

  it('is that of the sum of its items: at most a micro-yuan more for each than if they were cut alone', () => {
    fc.assert(
      fc.property(usage, usage, prices, (one, other, some) => {
        const half = batchPrice({ prices: some, rates: LIST }, 50_000_000n);
        const parts = costMicro(one, half) + costMicro(other, half);
        const whole = costMicro(add(one, other), half);
        expect(whole - parts >= 0n && whole - parts <= 1n).toBe(true);
      }),
    );
  });

  it('is a percentage of the list price, and output has one price', () => {
    const some = { inputMicro: 10_000_000n, outputMicro: 40_000_000n, cacheOutputMicro: 99_000_000n };
    const unset = { cacheInputMicro: undefined, cacheWriteMicro: undefined, imageMicro: 0n, videoMicro: 0n };
    const list = { prices: { ...some, ...unset }, rates: { ...LIST, rateMultiplierMicro: 3_000_000n } };
    const used = { ...NO_USAGE, cacheRead: 1_000_000, outputText: 1_000_000 };
    expect(costMicro(used, batchPrice(list, 50_000_000n))).toBe(75_000_000n);
    expect(costMicro(used, batchPrice(list, 0n))).toBe(0n);
  });
});
