import { type Fields, micro, objectWith, orUnset } from '../kernel/encoding/reader.ts';
import type { Prices } from './contract.ts';
import type { PriceSnapshot, Rates } from './price.ts';
import { mapPriceFields } from './price-fields.ts';

/** A price that is not set is null in the journal and absent in the database. */
const prices = mapPriceFields(({ fallback }) => (fallback === undefined ? micro : orUnset(micro)));

/** The snapshot of a call as the journal and the call log have it, with amounts as texts. */
export const readPrice = objectWith<PriceSnapshot>({
  prices: objectWith<Prices>(prices as Fields<Prices>),
  rates: objectWith<Rates>({
    rateMultiplierMicro: micro,
    systemMicro: micro,
    userMicro: micro,
    vendorMicro: micro,
    credentialMicro: micro,
    nodeMicro: micro,
    batchMicro: orUnset(micro),
  }),
});
