import { assert } from './assert.ts';

/**
 * Money is bigint micro-units: micro-yuan and micro-Credits. A rate (100 = list price) and a multiplier
 * (1 = list price) are bigint micro-units too, so every product in a charge is exact. No binary floating
 * point touches an amount; rounding happens once, in catalog/price.ts, and there it is named.
 */
export const MICRO = 1_000_000n;
/** The maximum amount: a thousand billion. It keeps every sum inside PostgreSQL's bigint. */
export const AMOUNT_MICRO_MAX = 1_000_000_000_000n * MICRO;

const DECIMAL = /^(-?)(\d{1,13})(?:\.(\d{1,6}))?$/;

/** `"12.5"` → `12_500_000n`. Undefined if the text is not a decimal with at most six decimals. */
export function parseMicro(text: string): bigint | undefined {
  const match = DECIMAL.exec(text);
  if (match === null) return undefined;
  const [, sign, whole, fraction] = match;
  assert(whole !== undefined, 'the pattern has a whole part');
  const magnitude = BigInt(whole) * MICRO + BigInt((fraction ?? '').padEnd(6, '0'));
  if (magnitude > AMOUNT_MICRO_MAX) return undefined;
  return sign === '-' ? -magnitude : magnitude;
}

/** `12_500_000n` → `"12.5"`; always exact, no trailing zeros. */
export function formatMicro(amountMicro: bigint): string {
  const negative = amountMicro < 0n;
  const magnitude = negative ? -amountMicro : amountMicro;
  const fraction = (magnitude % MICRO)
    .toString()
    .padStart(6, '0')
    .replace(/0{1,6}$/, '');
  const text = fraction === '' ? `${magnitude / MICRO}` : `${magnitude / MICRO}.${fraction}`;
  return negative ? `-${text}` : text;
}

export function minMicro(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}

/** A quarter, rounded down. */
export function quarterMicro(amountMicro: bigint): bigint {
  return amountMicro / 4n;
}

export function maxMicro(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}

/** An exact decimal of any size: `units` divided by ten to the power of `scale`. */
export interface Decimal {
  readonly units: bigint;
  readonly scale: number;
}

const ANY_DECIMAL = /^(\d{1,24})(?:\.(\d{1,40}))?(?:[eE]([+-]?\d{1,2}))?$/;

/** `"0.28"` and `"1.5e-07"`, exactly as they are written. Undefined if the text is no decimal from 0 on. */
export function parseDecimal(text: string): Decimal | undefined {
  const match = ANY_DECIMAL.exec(text);
  if (match === null) return undefined;
  const [, whole = '', fraction = '', exponent = '0'] = match;
  const units = BigInt(whole + fraction);
  const scale = fraction.length - Number(exponent);
  return scale >= 0 ? { units, scale } : { units: units * 10n ** BigInt(-scale), scale: 0 };
}

/** `{ units: 435n, scale: 3 }` → `"0.435"`; always exact, no trailing zeros. */
export function formatDecimal({ units, scale }: Decimal): string {
  if (scale <= 0) return String(units * 10n ** BigInt(-scale));
  const digits = String(units).padStart(scale + 1, '0');
  const fraction = digits.slice(-scale).replace(/0{1,80}$/, '');
  const whole = digits.slice(0, -scale);
  return fraction === '' ? whole : `${whole}.${fraction}`;
}

const MICRO_DECIMALS = 6;

/**
 * The product in micro-units, rounded up at six decimals: a list price that is converted so is never below
 * what the vendor asks. Undefined above the maximum amount.
 */
export function productMicro(factors: readonly Decimal[]): bigint | undefined {
  const units = factors.reduce((product, factor) => product * factor.units, 1n);
  const scale = factors.reduce((sum, factor) => sum + factor.scale, 0);
  const divisor = 10n ** BigInt(Math.max(0, scale - MICRO_DECIMALS));
  const raised = units * 10n ** BigInt(Math.max(0, MICRO_DECIMALS - scale));
  const micro = (raised + divisor - 1n) / divisor;
  return micro > AMOUNT_MICRO_MAX ? undefined : micro;
}
