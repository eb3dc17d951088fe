import { formatMicro, parseDecimal, productMicro } from '../../kernel/money.ts';
import { namePrices, type PriceName } from '../price-fields.ts';
import type { ListPrices } from './preset.ts';

/** What the operator makes of a list price, as decimals. */
export interface Terms {
  /** Yuan for a dollar. Undefined: prices in dollars have no price in yuan. */
  readonly rate: string | undefined;
  /** A factor: 1.2 sells for a fifth more than the list price. */
  readonly margin: string;
}

export const AT_LIST_PRICE = '1';

export type YuanPrices = Readonly<Record<PriceName, string | null>>;

/** List price × rate × margin, exact and rounded up at six decimals; nothing without a figure or a rate. */
export function inYuan(
  list: Pick<ListPrices, 'currency' | 'amounts'> | undefined,
  { rate, margin }: Terms,
): YuanPrices | undefined {
  const factor = list?.currency === 'CNY' ? '1' : rate;
  if (list === undefined || factor === undefined) return undefined;
  return namePrices({ before: '', behind: '' }, ({ name }) => {
    const amount = list.amounts[name];
    return amount === undefined ? null : multiply([amount, factor, margin]);
  });
}

function multiply(texts: readonly string[]): string | null {
  const factors = texts.map(parseDecimal);
  if (factors.includes(undefined)) return null;
  const micro = productMicro(factors.filter((factor) => factor !== undefined));
  return micro === undefined ? null : formatMicro(micro);
}
