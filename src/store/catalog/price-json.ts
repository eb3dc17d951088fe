import type { Prices } from '../../catalog/contract.ts';
import type { PriceSnapshot, Rates } from '../../catalog/price.ts';
import { readPrice } from '../../catalog/price-reader.ts';
import { readOwn } from '../../kernel/encoding/reader.ts';

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
  return readOwn(readPrice, json, 'a price snapshot');
}
