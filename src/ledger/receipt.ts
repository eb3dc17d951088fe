import { bucketPrices, creditsMicro, lineCost, type PriceSnapshot } from '../catalog/price.ts';
import { effectivePrices, namePrices, type PriceField } from '../catalog/price-fields.ts';
import { assert } from '../kernel/assert.ts';
import { formatMicro } from '../kernel/money.ts';
import type { Usage } from '../kernel/usage.ts';
import type { CallRecord, FreeReason, Payer } from './contract.ts';

/**
 * A charge as a computation that a person can repeat: quantity × price, line by line, times each rate,
 * rounded down once. Every value is an exact decimal text and follows from those before it. Field names are
 * those of the platform API.
 */
export interface Receipt {
  readonly call_id: string;
  readonly model: string;
  readonly model_asked: string;
  readonly payer: Payer;
  /** Tokens were estimated by the gateway, because the vendor did not report them. */
  readonly estimated: boolean;
  readonly lines: readonly ReceiptLine[];
  /** Sum of the lines, in yuan. */
  readonly list_amount: string;
  readonly rates: readonly ReceiptRate[];
  /** The sum times every factor, not rounded. */
  readonly product: string;
  /** What is cut off after six decimals. */
  readonly cut: string;
  /** Product minus cut: the price of the call in yuan. */
  readonly amount: string;
  readonly credits_per_yuan: number;
  /** Amount × credits_per_yuan. */
  readonly amount_credits: string;
  /** The part of it that is charged; 0 for a free call. */
  readonly charge: string;
  /** The hold of the call at its end. */
  readonly held: string;
  /** Yuan of balance that were exchanged into Credits for this call. */
  readonly exchanged: string;
  /** Credits taken. With the shortfall it is the charge. */
  readonly credits: string;
  readonly shortfall: string;
  readonly free_reason: FreeReason | null;
  readonly free_because: string | null;
  readonly attempts: readonly ReceiptAttempt[];
  readonly entries: readonly ReceiptEntry[];
}

export interface ReceiptLine {
  readonly item: string;
  readonly quantity: number;
  /** Yuan for `per` of them. */
  readonly price: string;
  readonly per: number;
  /** quantity × price / per. */
  readonly amount: string;
}

export interface ReceiptRate {
  readonly name: string;
  /** As in the catalogue: 100 is list price; for the multiplier 1 is list price. */
  readonly rate: string;
  /** The factor of the product. */
  readonly factor: string;
}

export interface ReceiptAttempt {
  readonly route_id: number;
  readonly vendor: string;
  readonly credential: string;
  readonly own: boolean;
  readonly outcome: string;
  readonly duration_ms: number;
}

export interface ReceiptEntry {
  readonly id: string;
  readonly kind: string;
  readonly pool: string;
  readonly change: string;
  readonly after: string;
}

/** The data of the call log, the consumption log and the ledger about a call that reached a vendor. */
export interface ReceiptSource
  extends Pick<CallRecord, 'callId' | 'modelUsed' | 'modelAsked' | 'payer' | 'estimated' | 'usage'>,
    Pick<CallRecord, 'chargeMicro' | 'heldMicro' | 'freeReason' | 'attempts'> {
  readonly price: PriceSnapshot;
  readonly creditsPerYuan: number;
  readonly exchangedMicro: bigint;
  readonly creditsMicro: bigint;
  readonly shortfallMicro: bigint;
  readonly entries: readonly SourceEntry[];
}

export interface SourceEntry {
  readonly id: bigint;
  readonly kind: string;
  readonly pool: string;
  readonly changeMicro: bigint;
  readonly afterMicro: bigint;
}

const FREE_BECAUSE: Readonly<Record<FreeReason, string>> = {
  byok: 'The call used your own credential. The vendor bills you directly.',
  covered: 'Your subscription covers the call.',
  'below-one-credit': 'The price is below 1 Credit.',
  'nothing-produced': 'The call produced nothing.',
};

const TOKENS_PER_PRICE = 1_000_000;
/** Decimals of a price, of a line, of a percentage's factor. */
const MICRO_DECIMALS = 6;
const LINE_DECIMALS = 12;
const PERCENT_DECIMALS = 8;

export function describeReceipt(source: ReceiptSource): Receipt {
  const lines = listLines(source.usage, source.price);
  const listAmount = lines.reduce((sum, line) => sum + line.amount, 0n);
  const rates = listRates(source.price);
  const product = rates.reduce((total, rate) => total * rate.factor, listAmount);
  const decimals = rates.reduce((total, rate) => total + rate.decimals, LINE_DECIMALS);
  const unit = 10n ** BigInt(decimals - MICRO_DECIMALS);
  const amountMicro = product / unit;
  assert(source.creditsMicro + source.shortfallMicro === source.chargeMicro, 'a charge is taken or short');
  return {
    call_id: source.callId,
    model: source.modelUsed,
    model_asked: source.modelAsked,
    payer: source.payer,
    estimated: source.estimated,
    lines: lines.map(({ amount, ...line }) => ({ ...line, amount: formatScaled(amount, LINE_DECIMALS) })),
    list_amount: formatScaled(listAmount, LINE_DECIMALS),
    rates: rates.map(({ name, rateMicro, factor, decimals }) => ({
      name,
      rate: formatMicro(rateMicro),
      factor: formatScaled(factor, decimals),
    })),
    product: formatScaled(product, decimals),
    cut: formatScaled(product % unit, decimals),
    amount: formatMicro(amountMicro),
    ...describePayment(source, amountMicro),
  };
}

function describePayment(source: ReceiptSource, amountMicro: bigint) {
  const { freeReason, creditsPerYuan } = source;
  return {
    credits_per_yuan: creditsPerYuan,
    amount_credits: formatMicro(creditsMicro(amountMicro, creditsPerYuan)),
    charge: formatMicro(source.chargeMicro),
    held: formatMicro(source.heldMicro),
    exchanged: formatMicro(source.exchangedMicro),
    credits: formatMicro(source.creditsMicro),
    shortfall: formatMicro(source.shortfallMicro),
    free_reason: freeReason,
    free_because: freeReason === null ? null : FREE_BECAUSE[freeReason],
    attempts: source.attempts.map((attempt) => ({
      route_id: attempt.routeId,
      vendor: attempt.vendor,
      credential: attempt.credential,
      own: attempt.own === true,
      outcome: attempt.outcome,
      duration_ms: attempt.durationMs,
    })),
    entries: source.entries.map((entry) => ({
      id: String(entry.id),
      kind: entry.kind,
      pool: entry.pool,
      change: formatMicro(entry.changeMicro),
      after: formatMicro(entry.afterMicro),
    })),
  };
}

/** A price as on a receipt: exact decimal texts, in yuan per million tokens or per item. */
export interface DescribedPrice {
  /** The product of all rates. */
  readonly factor: string;
  readonly own: Readonly<Record<PriceName, string>>;
}

export type PriceName = `${PriceField['name']}_price`;

/** A price that is not set falls back to another one. */
export function listPrices({ prices }: Pick<PriceSnapshot, 'prices'>): Readonly<Record<PriceName, bigint>> {
  const effective = effectivePrices(prices);
  return namePrices({ before: '', behind: '_price' }, ({ field }) => effective[field]);
}

export function describePrice(price: PriceSnapshot): DescribedPrice {
  const rates = listRates(price);
  const timesRates = (amount: bigint): bigint => rates.reduce((total, rate) => total * rate.factor, amount);
  const decimals = rates.reduce((total, rate) => total + rate.decimals, 0);
  const own = Object.entries(listPrices(price)).map(([name, priceMicro]) => [
    name,
    formatScaled(timesRates(priceMicro), decimals + MICRO_DECIMALS),
  ]);
  return {
    factor: formatScaled(timesRates(1n), decimals),
    own: Object.fromEntries(own) as Record<PriceName, string>,
  };
}

interface ExactLine extends Omit<ReceiptLine, 'amount'> {
  /** With LINE_DECIMALS. */
  readonly amount: bigint;
}

/** The lines of a receipt, in the order in which people read them. */
const ITEMS: readonly (readonly [item: string, bucket: keyof Usage, per: number])[] = [
  ['input_tokens', 'inputFresh', TOKENS_PER_PRICE],
  ['cache_read_tokens', 'cacheRead', TOKENS_PER_PRICE],
  ['cache_write_tokens', 'cacheWrite', TOKENS_PER_PRICE],
  ['output_tokens', 'outputText', TOKENS_PER_PRICE],
  ['reasoning_tokens', 'outputReasoning', TOKENS_PER_PRICE],
  ['images', 'images', 1],
  ['videos', 'videos', 1],
];

function listLines(usage: Usage, { prices }: PriceSnapshot): readonly ExactLine[] {
  const applied = bucketPrices(prices, usage);
  return ITEMS.filter(([, bucket]) => usage[bucket] > 0).map(([item, bucket, per]) => ({
    item,
    quantity: usage[bucket],
    price: formatMicro(applied[bucket]),
    per,
    amount: lineCost(usage[bucket], applied[bucket], per),
  }));
}

interface ExactRate {
  readonly name: string;
  readonly rateMicro: bigint;
  readonly factor: bigint;
  readonly decimals: number;
}

/** A percentage in micro-units is its factor with two more decimals. */
function listRates({ rates }: PriceSnapshot): readonly ExactRate[] {
  const percent = (name: string, rateMicro: bigint): ExactRate => ({
    name,
    rateMicro,
    factor: rateMicro,
    decimals: PERCENT_DECIMALS,
  });
  const multiplier = rates.rateMultiplierMicro;
  return [
    { name: 'rate_multiplier', rateMicro: multiplier, factor: multiplier, decimals: MICRO_DECIMALS },
    percent('system_rate', rates.systemMicro),
    percent('user_rate', rates.userMicro),
    percent('vendor_rate', rates.vendorMicro),
    percent('credential_rate', rates.credentialMicro),
    percent('node_rate', rates.nodeMicro),
    ...(rates.batchMicro === undefined ? [] : [percent('batch_rate', rates.batchMicro)]),
  ];
}

/** `1250n` with three decimals is `1.25`: exact, no trailing zeros. */
function formatScaled(value: bigint, decimals: number): string {
  assert(value >= 0n, 'a figure of a receipt is never negative');
  const digits = value.toString().padStart(decimals + 1, '0');
  const fraction = digits.slice(-decimals).replace(/0{1,99}$/, '');
  const whole = digits.slice(0, -decimals);
  return fraction === '' ? whole : `${whole}.${fraction}`;
}
