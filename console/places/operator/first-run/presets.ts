import { useApi } from '../../../api/api.ts';
import type { Preset } from '../../../parts/cloud/cloud-draft.ts';

/** About what a dollar costs, for a server that was not told. */
const YUAN_PER_DOLLAR = '7.2';

const isInYuan = ({ models }: Preset): boolean =>
  models.some(({ list_prices: list, prices }) => list?.currency === 'USD' && prices.input !== null);

export interface Presets {
  readonly presets: readonly Preset[] | undefined;
  /** Prices in dollars were converted by a rate that nobody has set. */
  readonly guessedRate: string | undefined;
}

/** The vendors that are known, with prices in yuan by the rate of the server. */
export function usePresets(): Presets {
  const asked = useApi('listVendorPresets', {}).data?.data;
  const isSet = asked?.some(isInYuan) === true;
  const enabled = asked !== undefined && !isSet;
  const guessed = useApi('listVendorPresets', { query: { rate: YUAN_PER_DOLLAR } }, { enabled });
  if (isSet) return { presets: asked, guessedRate: undefined };
  return { presets: guessed.data?.data, guessedRate: YUAN_PER_DOLLAR };
}
