import type { Prices } from '../../catalog/contract.ts';
import type { PriceSnapshot, Rates } from '../../catalog/price.ts';
import { mapPriceFields } from '../../catalog/price-fields.ts';
import { assert } from '../../kernel/assert.ts';

/** JSON has no bigint, so amounts are texts. Unset values are left out. */
export type PriceJson = { readonly prices: AmountTexts; readonly rates: AmountTexts };
type AmountTexts = Readonly<Record<string, string>>;

/** The gateway uses one snapshot for many calls, so its JSON is made once. */
const encoded = new WeakMap<PriceSnapshot, PriceJson>();

export function encodePrice(snapshot: PriceSnapshot): PriceJson {
  let json = encoded.get(snapshot);
  if (json === undefined) {
    json = { prices: encodeAmounts(snapshot.prices), rates: encodeAmounts(snapshot.rates) };
    encoded.set(snapshot, json);
  }
  return json;
}

function encodeAmounts(amounts: Prices | Rates): AmountTexts {
  const texts: Record<string, string> = {};
  for (const [name, amount] of Object.entries(amounts))
    if (amount !== undefined) texts[name] = String(amount);
  return texts;
}

/** Throws if the stored snapshot is invalid. */
export function decodePrice(json: PriceJson): PriceSnapshot {
  const { prices, rates } = json;
  return {
    prices: mapPriceFields(({ field, fallback }) =>
      fallback === undefined ? amount(prices, field) : optionalAmount(prices, field),
    ) as Prices,
    rates: {
      rateMultiplierMicro: amount(rates, 'rateMultiplierMicro'),
      systemMicro: amount(rates, 'systemMicro'),
      userMicro: amount(rates, 'userMicro'),
      vendorMicro: amount(rates, 'vendorMicro'),
      credentialMicro: amount(rates, 'credentialMicro'),
      nodeMicro: amount(rates, 'nodeMicro'),
    },
  };
}

function amount(texts: AmountTexts, name: string): bigint {
  const value = optionalAmount(texts, name);
  assert(value !== undefined, `a price snapshot has ${name}`);
  return value;
}

function optionalAmount(texts: AmountTexts, name: string): bigint | undefined {
  const text: unknown = texts[name];
  if (text === undefined) return undefined;
  assert(
    typeof text === 'string' && /^\d{1,30}$/.test(text),
    `${name} of a price snapshot is a whole number`,
  );
  return BigInt(text);
}
