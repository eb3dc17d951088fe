import { assert } from '../kernel/assert.ts';
import { MICRO, maxMicro } from '../kernel/money.ts';
import { NO_USAGE, type Usage } from '../kernel/usage.ts';
import type { CatalogSnapshot, Model, Prices, Route } from './contract.ts';
import { effectivePrices, readPrices } from './price-fields.ts';

/** Each rate of rule M-1, in micro-units; 100 (100_000_000n) is list price, the multiplier's is 1. */
export interface Rates {
  readonly rateMultiplierMicro: bigint;
  readonly systemMicro: bigint;
  readonly userMicro: bigint;
  readonly vendorMicro: bigint;
  readonly credentialMicro: bigint;
  readonly nodeMicro: bigint;
  /** Of batches only. */
  readonly batchMicro?: bigint | undefined;
}

/** What a call is charged with: taken when it is routed, never changed afterwards (rule M-5). */
export interface PriceSnapshot {
  readonly prices: Prices;
  readonly rates: Rates;
}

/** What the price of a call on a route depends on, besides the route. */
export interface PriceFactors {
  readonly catalog: Pick<CatalogSnapshot, 'systemRateMicro' | 'nodes'>;
  readonly model: Pick<Model, 'prices'>;
  readonly userRateMicro: bigint;
  readonly nodeName: string;
}

const NO_PRICES: Prices = Object.freeze(readPrices(() => 0n));

/** The one place where a route, an account and a node become a price: calls and shown prices alike. */
export function takeSnapshot(
  route: Route,
  { catalog, model, userRateMicro, nodeName }: PriceFactors,
): PriceSnapshot {
  const node = catalog.nodes.find((one) => one.name === nodeName);
  return Object.freeze({
    // A call with a credential of the account is paid elsewhere, so there is nothing to charge.
    prices: route.credential.ownerAccountId === undefined ? model.prices : NO_PRICES,
    rates: Object.freeze({
      rateMultiplierMicro: route.rateMultiplierMicro,
      systemMicro: catalog.systemRateMicro,
      userMicro: userRateMicro,
      vendorMicro: route.vendor.rateMicro,
      credentialMicro: route.credential.rateMicro,
      nodeMicro: node?.rateMicro ?? LIST_RATE_MICRO,
    }),
  });
}

/**
 * The same for a batch, which has one rate more. Output has one price, also after a cache hit, so that the
 * cost of many items is that of their sum (rule M-37).
 */
export function batchPrice({ prices, rates }: PriceSnapshot, batchMicro: bigint): PriceSnapshot {
  return Object.freeze({
    prices: Object.freeze({ ...prices, cacheOutputMicro: prices.outputMicro }),
    rates: Object.freeze({ ...rates, batchMicro }),
  });
}

/** An unknown node, account or caller pays the list price. */
export const LIST_RATE_MICRO = 100_000_000n;

/** The rates in which routes of a model differ, as one factor: the least is the cheapest route. */
export function routeFactor({ vendor, credential, rateMultiplierMicro }: Route): bigint {
  return vendor.rateMicro * credential.rateMicro * rateMultiplierMicro;
}

const TOKENS_PER_PRICE = 1_000_000n;
const PERCENT_MICRO = 100n * MICRO;
/** The six percentage rates and the multiplier bring these denominators. */
const RATES_DENOMINATOR = MICRO * PERCENT_MICRO ** 6n;
const DENOMINATOR = TOKENS_PER_PRICE * RATES_DENOMINATOR;

/** What one unit of each bucket of usage costs: a million tokens, or one item. */
export type BucketPrices = Readonly<Record<keyof Usage, bigint>>;

/**
 * The one choice of the prices that apply (rule M-2): costs, holds and receipts are made from it. A price
 * that is not set falls back to another one. Output of a call that hit the vendor's cache has its own price.
 */
export function bucketPrices(prices: Prices, { cacheRead }: Pick<Usage, 'cacheRead'>): BucketPrices {
  const each = effectivePrices(prices);
  const outputMicro = cacheRead > 0 ? each.cacheOutputMicro : each.outputMicro;
  return {
    inputFresh: each.inputMicro,
    cacheRead: each.cacheInputMicro,
    cacheWrite: each.cacheWriteMicro,
    outputText: outputMicro,
    outputReasoning: outputMicro,
    images: each.imageMicro,
    videos: each.videoMicro,
  };
}

/** The cost of the usage in micro-yuan: one exact product, cut (not rounded) at six decimals (rule M-1). */
export function costMicro(usage: Usage, snapshot: PriceSnapshot): bigint {
  const { plain, afterCacheHit, numerator, denominator } = toTariff(snapshot);
  const prices = usage.cacheRead > 0 ? afterCacheHit : plain;
  const tokens =
    BigInt(usage.inputFresh) * prices.inputFresh +
    BigInt(usage.cacheRead) * prices.cacheRead +
    BigInt(usage.cacheWrite) * prices.cacheWrite +
    BigInt(usage.outputText) * prices.outputText +
    BigInt(usage.outputReasoning) * prices.outputReasoning;
  const items = BigInt(usage.images) * prices.images + BigInt(usage.videos) * prices.videos;
  const cost = ((tokens + items * TOKENS_PER_PRICE) * numerator) / denominator;
  assert(cost >= 0n, 'a cost is never negative');
  return cost;
}

const dearest = new WeakMap<PriceSnapshot, PriceSnapshot>();

/** The effect of the vendor's cache is unknown beforehand, so each token has its highest possible price. */
export function dearestPrice(snapshot: PriceSnapshot): PriceSnapshot {
  let most = dearest.get(snapshot);
  if (most === undefined) {
    const { plain, afterCacheHit } = toTariff(snapshot);
    const inputMicro = maxMicro(plain.inputFresh, maxMicro(plain.cacheRead, plain.cacheWrite));
    const outputMicro = maxMicro(plain.outputText, afterCacheHit.outputText);
    most = { rates: snapshot.rates, prices: { ...snapshot.prices, inputMicro, outputMicro } };
    dearest.set(snapshot, most);
  }
  return most;
}

const atCost = new WeakMap<PriceSnapshot, PriceSnapshot>();

/**
 * What the usage costs the platform itself, as far as the catalogue knows: the list price at the rates of the
 * route, the vendor and the credential. What system, user and node add or take away is the seller's matter.
 */
export function vendorCostMicro(usage: Usage, snapshot: PriceSnapshot): bigint {
  let cost = atCost.get(snapshot);
  if (cost === undefined) {
    const seller = { systemMicro: PERCENT_MICRO, userMicro: PERCENT_MICRO, nodeMicro: PERCENT_MICRO };
    cost = { prices: snapshot.prices, rates: { ...snapshot.rates, ...seller } };
    atCost.set(snapshot, cost);
  }
  return costMicro(usage, cost);
}

/** Quantity × price in yuan with twelve decimals: exact, for the lines of a receipt. */
export function lineCost(quantity: number, priceMicro: bigint, per: number): bigint {
  return BigInt(quantity) * priceMicro * (TOKENS_PER_PRICE / BigInt(per));
}

/** A snapshot made ready to multiply with. */
interface Tariff {
  readonly plain: BucketPrices;
  readonly afterCacheHit: BucketPrices;
  /** The rates and their denominators as one fraction in lowest terms: as exact, and small. */
  readonly numerator: bigint;
  readonly denominator: bigint;
}

const tariffs = new WeakMap<PriceSnapshot, Tariff>();

function toTariff(snapshot: PriceSnapshot): Tariff {
  let tariff = tariffs.get(snapshot);
  if (tariff === undefined) {
    const { prices, rates } = snapshot;
    const product =
      rates.rateMultiplierMicro *
      rates.systemMicro *
      rates.userMicro *
      rates.vendorMicro *
      rates.credentialMicro *
      rates.nodeMicro *
      (rates.batchMicro ?? PERCENT_MICRO);
    const divisor = greatestCommonDivisor(product, DENOMINATOR);
    tariff = {
      plain: bucketPrices(prices, { cacheRead: 0 }),
      afterCacheHit: bucketPrices(prices, { cacheRead: 1 }),
      numerator: product / divisor,
      denominator: DENOMINATOR / divisor,
    };
    tariffs.set(snapshot, tariff);
  }
  return tariff;
}

function greatestCommonDivisor(one: bigint, other: bigint): bigint {
  let [larger, smaller] = [one, other];
  while (smaller > 0n) [larger, smaller] = [smaller, larger % smaller];
  return larger;
}

/** Yuan into Credits is a whole factor, so the result is exact. */
export function creditsMicro(amountMicro: bigint, creditsPerYuan: number): bigint {
  return amountMicro * BigInt(creditsPerYuan);
}

/** Rule M-4: an amount below 1 Credit after all rates is not charged; from 1 Credit on it is exact. */
export function chargeableCreditsMicro(amountMicro: bigint, creditsPerYuan: number): bigint {
  const credits = creditsMicro(amountMicro, creditsPerYuan);
  return credits < MICRO ? 0n : credits;
}

/** The micro-yuan that buy at least these Credits: rounded up, so that Credits never fall short. */
export function yuanToBuyMicro(missingCreditsMicro: bigint, creditsPerYuan: number): bigint {
  const factor = BigInt(creditsPerYuan);
  return (missingCreditsMicro + factor - 1n) / factor;
}

/** What paid Credits are worth in micro-yuan: cut, as every amount is. */
export function yuanOfMicro(paidCreditsMicro: bigint, creditsPerYuan: number): bigint {
  return paidCreditsMicro / BigInt(creditsPerYuan);
}

/** How many more output tokens so many micro-Credits pay for; without bound when output is free. */
export function outputTokensFor(
  creditMicro: bigint,
  snapshot: PriceSnapshot,
  creditsPerYuan: number,
): number {
  const million: Usage = { ...NO_USAGE, outputText: 1_000_000 };
  const perMillionMicro = creditsMicro(costMicro(million, snapshot), creditsPerYuan);
  if (perMillionMicro === 0n) return Number.POSITIVE_INFINITY;
  return creditMicro <= 0n ? 0 : Number((creditMicro * TOKENS_PER_PRICE) / perMillionMicro);
}
