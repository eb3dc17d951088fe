import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../test/support/property-runs.ts';
import { chargeableCreditsMicro, costMicro, type PriceSnapshot } from '../catalog/price.ts';
import type { Usage } from '../kernel/usage.ts';
import { describeReceipt, type Receipt, type ReceiptSource } from './receipt.ts';
import { SAMPLE_PRICE, sampleUsage } from './suite/sample.ts';

function sampleSource(parts: Partial<ReceiptSource> = {}): ReceiptSource {
  const usage = parts.usage ?? sampleUsage(1_000, 500);
  const price = parts.price ?? SAMPLE_PRICE;
  const creditsPerYuan = parts.creditsPerYuan ?? 1_000;
  const chargeMicro = parts.chargeMicro ?? chargeableCreditsMicro(costMicro(usage, price), creditsPerYuan);
  return {
    callId: 'req_1',
    modelUsed: 'm-2',
    modelAsked: 'm-1',
    payer: 'credits',
    estimated: false,
    usage,
    price,
    chargeMicro,
    heldMicro: chargeMicro,
    freeReason: null,
    attempts: [{ routeId: 3, vendor: 'acme', credential: 'main', outcome: 'ok', durationMs: 12.5 }],
    creditsPerYuan,
    exchangedMicro: 0n,
    creditsMicro: chargeMicro,
    shortfallMicro: 0n,
    entries: [{ id: 9n, kind: 'consumption', pool: 'credits', changeMicro: -chargeMicro, afterMicro: 7n }],
    ...parts,
  };
}

describe('a receipt', () => {
  it('has quantities, prices, rates, the truncation, the payment and the entries', () => {
    const usage = { ...sampleUsage(1_000, 500), cacheRead: 10, outputReasoning: 1, images: 2 };
    const rates = { ...SAMPLE_PRICE.rates, rateMultiplierMicro: 1_500_000n, userMicro: 33_333_333n };
    const receipt = describeReceipt(sampleSource({ usage, price: { ...SAMPLE_PRICE, rates } }));
    expect(receipt).toMatchObject({
      call_id: 'req_1',
      model: 'm-2',
      model_asked: 'm-1',
      payer: 'credits',
      lines: [
        { item: 'input_tokens', quantity: 1_000, price: '7', per: 1_000_000, amount: '0.007' },
        { item: 'cache_read_tokens', quantity: 10, price: '0.7', per: 1_000_000, amount: '0.000007' },
        { item: 'output_tokens', quantity: 500, price: '28', per: 1_000_000, amount: '0.014' },
        { item: 'reasoning_tokens', quantity: 1, price: '28', per: 1_000_000, amount: '0.000028' },
        { item: 'images', quantity: 2, price: '0.04', per: 1, amount: '0.08' },
      ],
      list_amount: '0.101035',
      product: '0.050517499494825',
      amount: '0.050517',
      cut: '0.000000499494825',
      amount_credits: '50.517',
      charge: '50.517',
      credits: '50.517',
      shortfall: '0',
      free_reason: null,
      free_because: null,
      attempts: [
        { route_id: 3, vendor: 'acme', credential: 'main', own: false, outcome: 'ok', duration_ms: 12.5 },
      ],
      entries: [{ id: '9', kind: 'consumption', pool: 'credits', change: '-50.517', after: '0.000007' }],
    });
    expect(receipt.rates.slice(0, 3)).toEqual([
      { name: 'rate_multiplier', rate: '1.5', factor: '1.5' },
      { name: 'system_rate', rate: '100', factor: '1' },
      { name: 'user_rate', rate: '33.333333', factor: '0.33333333' },
    ]);
  });

  it('has the reason why a free call is free', () => {
    const free = (freeReason: ReceiptSource['freeReason']) =>
      describeReceipt(sampleSource({ freeReason, chargeMicro: 0n, creditsMicro: 0n, entries: [] }))
        .free_because;
    expect(free('covered')).toContain('subscription');
    expect(free('byok')).toContain('your own credential');
    expect(free('below-one-credit')).toContain('below 1 Credit');
    expect(free('nothing-produced')).toContain('produced nothing');
  });
});

/** A decimal as a whole number and its decimals: read from the printed text, nothing else of ours. */
interface Decimal {
  readonly digits: bigint;
  readonly decimals: number;
}

function read(text: string): Decimal {
  expect(text).toMatch(/^\d+(\.\d*[1-9])?$/);
  const [whole = '', fraction = ''] = text.split('.');
  return { digits: BigInt(whole + fraction), decimals: fraction.length };
}

const times = (one: Decimal, other: Decimal): Decimal => ({
  digits: one.digits * other.digits,
  decimals: one.decimals + other.decimals,
});

function atDecimals({ digits, decimals }: Decimal, wanted: number): bigint {
  return digits * 10n ** BigInt(wanted - decimals);
}

const plus = (one: Decimal, other: Decimal): Decimal => {
  const decimals = Math.max(one.decimals, other.decimals);
  return { digits: atDecimals(one, decimals) + atDecimals(other, decimals), decimals };
};

function isEqual(one: Decimal, other: Decimal): boolean {
  const decimals = Math.max(one.decimals, other.decimals);
  return atDecimals(one, decimals) === atDecimals(other, decimals);
}

const NOTHING: Decimal = { digits: 0n, decimals: 0 };

/** Goes down the receipt as a person with a pencil would, and answers the charge it comes to. */
function recompute(receipt: Receipt): Decimal {
  let sum = NOTHING;
  for (const { quantity, price, per, amount } of receipt.lines) {
    const share: Decimal = { digits: 1n, decimals: String(per).length - 1 };
    const line = times(times(read(String(quantity)), read(price)), share);
    expect(isEqual(line, read(amount))).toBe(true);
    sum = plus(sum, line);
  }
  expect(isEqual(sum, read(receipt.list_amount))).toBe(true);
  let product = sum;
  for (const { name, rate, factor } of receipt.rates) {
    const percent: Decimal = { digits: 1n, decimals: name === 'rate_multiplier' ? 0 : 2 };
    expect(isEqual(times(read(rate), percent), read(factor))).toBe(true);
    product = times(product, read(factor));
  }
  expect(isEqual(product, read(receipt.product))).toBe(true);
  const amount = read(receipt.amount);
  const cut = read(receipt.cut);
  expect(amount.decimals).toBeLessThanOrEqual(6);
  expect(isEqual(plus(amount, cut), product)).toBe(true);
  // Cut, not rounded: what was cut is less than the sixth decimal.
  expect(atDecimals(cut, Math.max(cut.decimals, 6)) < 10n ** BigInt(Math.max(cut.decimals, 6) - 6)).toBe(
    true,
  );
  const credits = times(amount, read(String(receipt.credits_per_yuan)));
  expect(isEqual(credits, read(receipt.amount_credits))).toBe(true);
  return atDecimals(credits, 6) < 1_000_000n ? NOTHING : credits;
}

const count = fc.oneof(fc.constant(0), fc.nat(200), fc.nat(2_000_000));
const micro = fc.oneof(fc.constant(0n), fc.bigInt({ min: 1n, max: 999_999_999n }));
/** One zero makes the whole product nothing; most charges shall be some. */
const rate = fc.oneof(
  { weight: 1, arbitrary: fc.constant(0n) },
  { weight: 60, arbitrary: fc.bigInt({ min: 1n, max: 300_000_000n }) },
);
const unset = fc.option(micro, { nil: undefined });
const anyUsage: fc.Arbitrary<Usage> = fc.record({
  inputFresh: count,
  cacheRead: count,
  cacheWrite: count,
  outputText: count,
  outputReasoning: count,
  images: fc.nat(10),
  videos: fc.nat(3),
});
const anyPrice: fc.Arbitrary<PriceSnapshot> = fc.record({
  prices: fc.record({
    inputMicro: micro,
    outputMicro: micro,
    cacheInputMicro: unset,
    cacheOutputMicro: unset,
    cacheWriteMicro: unset,
    imageMicro: micro,
    videoMicro: micro,
  }),
  rates: fc.record({
    rateMultiplierMicro: rate,
    systemMicro: rate,
    userMicro: rate,
    vendorMicro: rate,
    credentialMicro: rate,
    nodeMicro: rate,
    batchMicro: fc.option(rate, { nil: undefined }),
  }),
});

describe('a reader of the receipt alone', () => {
  it('recomputes a thousand random charges to the last decimal', () => {
    let charged = 0;
    const property = fc.property(
      anyUsage,
      anyPrice,
      fc.constantFrom(1, 3, 1_000, 999_983),
      (usage, price, creditsPerYuan) => {
        const source = sampleSource({ usage, price, creditsPerYuan });
        const charge = recompute(describeReceipt(source));
        expect(atDecimals(charge, 6)).toBe(source.chargeMicro);
        if (source.chargeMicro > 0n) charged += 1;
      },
    );
    fc.assert(property, { numRuns: runs(1_000) });
    expect(charged).toBeGreaterThan(300);
  });
});
