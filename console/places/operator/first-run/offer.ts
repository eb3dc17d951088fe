import type { Data } from '../../../api/api.ts';
import { prettyJson } from '../../../snippets/literals.ts';

export type Preset = Data<'listVendorPresets'>[number];
export type VendorProtocol = Preset['addresses'][number]['protocols'][number];

/** A vendor's key that works, as it was stored. */
export interface StoredKey {
  readonly vendor: string;
  readonly name: string;
  readonly protocols: readonly VendorProtocol[];
  /** The model that the test has called. */
  readonly model: string;
}

/** One model as it is to be offered. Prices are as typed: yuan for a million tokens, or for an image. */
export interface OfferRow {
  readonly model: string;
  readonly name: string;
  readonly isOffered: boolean;
  readonly input: string;
  readonly output: string;
  readonly image: string;
  readonly rate: string;
  /** Not typed here, but part of the offer. */
  readonly rest: {
    readonly cacheInput: string | null;
    readonly cacheWrite: string | null;
    readonly contextWindow: number | null;
    readonly maxOutputTokens: number | null;
  };
}

const NO_REST = { cacheInput: null, cacheWrite: null, contextWindow: null, maxOutputTokens: null };

/** The models that are known of a vendor, and the one that the test has called. */
export function rowsOf(preset: Preset | undefined, { model }: StoredKey): readonly OfferRow[] {
  const known = (preset?.models ?? []).map((each) => ({
    ...{ model: each.model_id, name: each.name, isOffered: true, rate: '1' },
    input: each.prices.input ?? '',
    output: each.prices.output ?? '',
    image: each.prices.image ?? '',
    rest: {
      ...{ cacheInput: each.prices.cache_input, cacheWrite: each.prices.cache_write },
      ...{ contextWindow: each.context_window, maxOutputTokens: each.max_output_tokens },
    },
  }));
  if (known.some((each) => each.model === model)) return known;
  const tested = { model, name: model, isOffered: true, input: '', output: '', image: '', rate: '1' };
  return [{ ...tested, rest: NO_REST }, ...known];
}

export const isPicture = (row: OfferRow): boolean => row.image !== '' && row.input === '';

/** The prices and the rate must be decimals before anything is sent. */
export function isComplete(row: OfferRow): boolean {
  const prices = isPicture(row) ? [row.image] : [row.input, row.output];
  return [...prices, row.rate].every((text) => /^\d{1,9}(\.\d{1,6})?$/.test(text));
}

/** The file that is applied, and that is shown as code: all models and their routes. */
export function catalogueOf({ vendor, name, protocols }: StoredKey, rows: readonly OfferRow[]): string {
  const models = rows
    .filter(({ isOffered }) => isOffered)
    .map((row) => {
      const { cacheInput, cacheWrite, contextWindow, maxOutputTokens } = row.rest;
      const prices = isPicture(row)
        ? { image: row.image }
        : {
            ...{ input: row.input, output: row.output },
            ...(cacheInput !== null && { cache_input: cacheInput }),
            ...(cacheWrite !== null && { cache_write: cacheWrite }),
          };
      const own = protocols.filter((each) => (each === 'images') === isPicture(row));
      const route = {
        ...{ vendor, credential: name, protocols: own },
        ...(row.rate !== '1' && { rate_multiplier: row.rate }),
      };
      return [
        `  - model_id: ${JSON.stringify(row.model)}`,
        `    name: ${JSON.stringify(row.name)}`,
        `    support_features: ${isPicture(row) ? '[image]' : '[text, image]'}`,
        `    prices: ${prettyJson(prices).replaceAll('\n', '\n    ')}`,
        ...(isPicture(row) ? ['    billing_modes: 2'] : []),
        ...(contextWindow === null ? [] : [`    context_window: ${contextWindow}`]),
        ...(maxOutputTokens === null ? [] : [`    max_output_tokens: ${maxOutputTokens}`]),
        '    routes:',
        `      - ${prettyJson(route).replaceAll('\n', '\n        ')}`,
      ].join('\n');
    });
  return `models:\n${models.join('\n')}`;
}
