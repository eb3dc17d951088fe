import { parseDecimal } from '../../kernel/money.ts';
import { type Fields, optional, type Reader, report, text } from '../file/reader.ts';
import { namePrices, type PriceName } from '../price-fields.ts';

/** Its exact text is kept: what it becomes in yuan is computed from all of its digits. */
const listPrice: Reader<string> = (place) => {
  const written = text({ lengthMax: 24 })(place);
  if (written === '' || parseDecimal(written) !== undefined) return written;
  return report(place, 'must be a decimal from 0 on', '');
};

export type Amounts = Record<PriceName, string | undefined>;

/** Every list price as an optional field of a file. */
export const AMOUNTS = namePrices({ before: '', behind: '' }, ({ name }) =>
  optional<string | undefined>(name, listPrice, undefined),
) as Fields<Amounts>;

export function knownAmounts(amounts: Amounts): Readonly<Partial<Record<PriceName, string>>> {
  const known = Object.entries(amounts).filter(([, amount]) => amount !== undefined);
  return Object.fromEntries(known) as Partial<Record<PriceName, string>>;
}
