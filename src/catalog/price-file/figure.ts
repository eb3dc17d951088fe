import type { Problem } from '../document.ts';
import type { Currency, ListPrices } from '../presets/preset.ts';

/** What a file of prices says of one model. */
export interface Figure {
  /** What the price map calls the vendor. Undefined: `model` is one of the catalogue. */
  readonly provider: string | undefined;
  readonly model: string;
  readonly currency: Currency;
  /** For a million tokens. */
  readonly amounts: ListPrices['amounts'];
  /** Long prompts cost more than this. */
  readonly isTiered: boolean;
}

export const PRICE_FORMATS = ['tollgate', 'litellm'] as const;

export type PriceFile =
  | {
      readonly kind: 'figures';
      readonly format: (typeof PRICE_FORMATS)[number];
      readonly figures: readonly Figure[];
    }
  | { readonly kind: 'invalid'; readonly problems: readonly Problem[] };
