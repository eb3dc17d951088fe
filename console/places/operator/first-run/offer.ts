import { type Preset, protocolsFor, type VendorProtocol } from '../../../parts/cloud/cloud-draft.ts';
import { prettyJson } from '../../../snippets/literals.ts';

/** A vendor's key that works, as it was stored. */
export interface StoredKey {
  readonly vendor: string;
  /** Of its preset: a cloud has a vendor for each region. */
  readonly preset: string;
  readonly name: string;
  readonly protocols: readonly VendorProtocol[];
  /** The model that the test has called. */
  readonly model: string;
  /** What the vendor itself lists. */
  readonly listed: readonly string[];
}

/** One model as it is to be offered. Prices are as typed: yuan for a million tokens, or for an image. */
export interface OfferRow {
  readonly model: string;
  /** What the vendor calls it. */
  readonly forward: string;
  /** What it is served by. */
  readonly protocols: readonly VendorProtocol[];
  readonly name: string;
  readonly isOffered: boolean;
  readonly input: string;
  readonly output: string;
  readonly image: string;
  readonly video: string;
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
export function rowsOf(preset: Preset | undefined, stored: StoredKey): readonly OfferRow[] {
  const known = (preset?.models ?? []).map((each) => ({
    ...{ model: each.model_id, forward: each.forward_model_id, name: each.name, rate: '1' },
    // What has no price yet is there to be picked.
    isOffered: each.prices.input !== null || each.prices.image !== null || each.prices.video !== null,
    protocols: protocolsFor(preset, stored.protocols, each.model_id),
    video: each.prices.video ?? '',
    input: each.prices.input ?? '',
    output: each.prices.output ?? '',
    image: each.prices.image ?? '',
    rest: {
      ...{ cacheInput: each.prices.cache_input, cacheWrite: each.prices.cache_write },
      ...{ contextWindow: each.context_window, maxOutputTokens: each.max_output_tokens },
    },
  }));
  if (known.some((each) => each.forward === stored.model)) return known;
  return [newRow(preset, stored, stored.model), ...known];
}

/** A model that no preset knows. Its prices are typed. */
export function newRow(preset: Preset | undefined, { protocols }: StoredKey, model: string): OfferRow {
  return {
    ...{ model, forward: model, name: model, isOffered: true, rate: '1', rest: NO_REST },
    ...{ input: '', output: '', image: '', video: '' },
    protocols: protocolsFor(preset, protocols, model),
  };
}

/** What is sold by the piece. Undefined: tokens are. */
export function itemOf(row: OfferRow): 'image' | 'video' | undefined {
  const [only, ...others] = row.protocols;
  if (others.length === 0 && only === 'videos') return 'video';
  if (others.length === 0 && only === 'images') return 'image';
  return row.image !== '' && row.input === '' ? 'image' : undefined;
}

/** The prices and the rate must be decimals before anything is sent. */
export function isComplete(row: OfferRow): boolean {
  const item = itemOf(row);
  const prices = item === undefined ? [row.input, row.output] : [row[item]];
  return [...prices, row.rate].every((text) => /^\d{1,9}(\.\d{1,6})?$/.test(text));
}

/** The file that is applied, and that is shown as code: all models and their routes. */
export function catalogueOf({ vendor, name, protocols }: StoredKey, rows: readonly OfferRow[]): string {
  const models = rows
    .filter(({ isOffered }) => isOffered)
    .map((row) => {
      const { cacheInput, cacheWrite, contextWindow, maxOutputTokens } = row.rest;
      const item = itemOf(row);
      const prices =
        item !== undefined
          ? { [item]: row[item] }
          : {
              ...{ input: row.input, output: row.output },
              ...(cacheInput !== null && { cache_input: cacheInput }),
              ...(cacheWrite !== null && { cache_write: cacheWrite }),
            };
      const images = protocols.filter((each) => each === 'images');
      const route = {
        ...{ vendor, credential: name, protocols: item === 'image' ? images : row.protocols },
        ...(row.forward !== row.model && { forward_model_id: row.forward }),
        ...(row.rate !== '1' && { rate_multiplier: row.rate }),
      };
      return [
        `  - model_id: ${JSON.stringify(row.model)}`,
        `    name: ${JSON.stringify(row.name)}`,
        `    support_features: ${item === undefined ? '[text, image]' : `[${item}]`}`,
        `    prices: ${prettyJson(prices).replaceAll('\n', '\n    ')}`,
        ...(item === undefined ? [] : [`    billing_modes: ${item === 'image' ? 2 : 4}`]),
        ...(contextWindow === null ? [] : [`    context_window: ${contextWindow}`]),
        ...(maxOutputTokens === null ? [] : [`    max_output_tokens: ${maxOutputTokens}`]),
        '    routes:',
        `      - ${prettyJson(route).replaceAll('\n', '\n        ')}`,
      ].join('\n');
    });
  return `models:\n${models.join('\n')}`;
}
