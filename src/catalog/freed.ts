import { formatMicro } from '../kernel/money.ts';
import type { CatalogChange } from './diff.ts';
import type { StoredCatalog } from './document.ts';
import { effectivePrices, mapPriceFields } from './price-fields.ts';

/** A price or a rate that becomes 0, or a price that is removed. It needs an explicit yes (rule I-102). */
export interface Freed {
  readonly entity: string;
  readonly key: string;
  /** As in the file: `prices.output`. */
  readonly field: string;
  readonly before: string;
  /** Null: the price is removed, and another one is charged in its place. */
  readonly after: string | null;
}

/** Only of entries that exist before and after: a new one names its own prices. */
export function listFreed(
  before: StoredCatalog,
  { after, changes }: { readonly after: StoredCatalog; readonly changes: readonly CatalogChange[] },
): readonly Freed[] {
  const models = [...after.models.keys()].flatMap((modelId) => freedPrices(modelId, before, after));
  return [...models, ...changes.flatMap(freedRates)];
}

export function formatFreed({ entity, key, field, before, after }: Freed): string {
  return `${entity} ${key}: ${field} ${before} → ${after ?? 'none'}`;
}

function freedPrices(modelId: string, before: StoredCatalog, after: StoredCatalog): readonly Freed[] {
  const [old, fresh] = [before.models.get(modelId)?.prices, after.models.get(modelId)?.prices];
  if (old === undefined || fresh === undefined) return [];
  const charged = effectivePrices(old);
  const freed = mapPriceFields(({ field, name }): readonly Freed[] => {
    const [one, other] = [old[field], fresh[field]];
    const isRemoved = one !== undefined && other === undefined;
    if (!isRemoved && (other !== 0n || charged[field] === 0n)) return [];
    const shown = { before: formatMicro(charged[field]), after: isRemoved ? null : '0' };
    return [{ entity: 'model', key: modelId, field: `prices.${name}`, ...shown }];
  });
  return Object.values(freed).flat();
}

/** Factors and prices of other entries. An amount is a product, so one factor of 0 makes it 0. */
const RATES: ReadonlySet<string> = new Set([
  'rate',
  'rate_multiplier',
  'batch_rate',
  'system_rate',
  'defaults.user_rate',
  'price',
]);

function freedRates({ kind, entity, key, fields }: CatalogChange): readonly Freed[] {
  if (kind !== 'updated') return [];
  return fields.flatMap(({ name, values }): readonly Freed[] => {
    const isFreed = RATES.has(name) && values?.after === '0';
    return isFreed ? [{ entity, key, field: name, before: values.before ?? '', after: '0' }] : [];
  });
}
