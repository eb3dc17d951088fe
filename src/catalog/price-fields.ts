import type { Prices } from './contract.ts';

/**
 * Every price of a model, in the order in which people read them. `name` is the key in a catalogue file; with
 * an ending it names the column (`input_micro`) and the field of an answer (`input_price`). A price with a
 * `fallback` may be unset: then the other one counts (rule M-2).
 */
const FIELDS = [
  { field: 'inputMicro', name: 'input', fallback: undefined },
  { field: 'outputMicro', name: 'output', fallback: undefined },
  { field: 'cacheInputMicro', name: 'cache_input', fallback: 'inputMicro' },
  { field: 'cacheOutputMicro', name: 'cache_output', fallback: 'outputMicro' },
  { field: 'cacheWriteMicro', name: 'cache_write', fallback: 'inputMicro' },
  { field: 'imageMicro', name: 'image', fallback: undefined },
  { field: 'videoMicro', name: 'video', fallback: undefined },
] as const satisfies readonly {
  readonly field: keyof Prices;
  readonly name: string;
  readonly fallback: keyof Prices | undefined;
}[];

export type PriceField = (typeof FIELDS)[number];
export type PriceName = PriceField['name'];

/** One value for each price, under the field of `Prices`. */
export function mapPriceFields<T>(map: (field: PriceField) => T): Readonly<Record<keyof Prices, T>> {
  const entries = FIELDS.map((each): [keyof Prices, T] => [each.field, map(each)]);
  return Object.fromEntries(entries) as Record<keyof Prices, T>;
}

/** One value for each price, under its name, with what stands before and behind the name. */
export function namePrices<T, Before extends string, Behind extends string>(
  frame: { readonly before: Before; readonly behind: Behind },
  map: (field: PriceField) => T,
): Readonly<Record<`${Before}${PriceName}${Behind}`, T>> {
  const entries = FIELDS.map((each) => [`${frame.before}${each.name}${frame.behind}`, map(each)]);
  return Object.fromEntries(entries) as Record<`${Before}${PriceName}${Behind}`, T>;
}

/** Prices that are read one by one; what is not there is unset, or 0 where a price cannot be unset. */
export function readPrices(read: (field: PriceField) => bigint | undefined): Prices {
  const prices = mapPriceFields((each) => read(each) ?? (each.fallback === undefined ? 0n : undefined));
  return prices as Prices;
}

/** Every price, or the one that it falls back to. */
export function effectivePrices(prices: Prices): Readonly<Record<keyof Prices, bigint>> {
  return mapPriceFields(
    ({ field, fallback }) => prices[field] ?? (fallback === undefined ? 0n : (prices[fallback] ?? 0n)),
  );
}
