import { formatMicro, parseMicro } from '../../kernel/money.ts';
import type { Prices } from '../contract.ts';
import type { StoredCatalog, StoredModel, StoredRoute } from '../document.ts';
import { listText } from '../file/catalog-text.ts';
import { AT_LIST_PRICE, inYuan, type Terms, type YuanPrices } from '../presets/in-yuan.ts';
import type { ListPrices } from '../presets/preset.ts';
import { findPresetOfVendor } from '../presets/presets.ts';
import { effectivePrices, mapPriceFields, type PriceName } from '../price-fields.ts';
import type { Figure } from './figure.ts';

export interface Wanted {
  readonly figures: readonly Figure[];
  readonly terms: Terms;
  /** Undefined: all models of the catalogue. */
  readonly models: ReadonlySet<string> | undefined;
}

/** A model of the catalogue that the file has a price for. */
export interface PricedModel {
  /** With its new prices. */
  readonly model: StoredModel;
  readonly figure: Figure;
  /** Whose price it is. Undefined: the file says it of the model itself. */
  readonly route: StoredRoute | undefined;
}

/** A price of a model below what a vendor that serves it asks. */
export interface BelowCost {
  readonly modelId: string;
  readonly route: StoredRoute;
  readonly price: PriceName;
  readonly own: string;
  readonly asked: string;
}

/** A model that the catalogue has not. Without a vendor: the file names it as one of the catalogue. */
export interface UnknownModel {
  readonly vendorCode: string | undefined;
  readonly figure: Figure;
}

export interface PriceImport {
  readonly priced: readonly PricedModel[];
  /** Models of the catalogue that the file has no price for. */
  readonly unpriced: readonly string[];
  /** Models of the file, of vendors of the catalogue, that the catalogue has not. */
  readonly unknown: readonly UnknownModel[];
  readonly below: readonly BelowCost[];
}

/** What a file of prices makes of a catalogue. It adds no model, and what it does not say stays. */
export function importPrices(stored: StoredCatalog, { figures, terms, models }: Wanted): PriceImport {
  const found = new Map(figures.map((figure) => [keyOf(figure), figure]));
  const all = [...stored.models.values()];
  const wanted = all.filter(({ modelId }) => models === undefined || models.has(modelId));
  const priced = wanted.flatMap((model) => priceModel(model, found, terms));
  const after = new Map(priced.map(({ model }) => [model.modelId, model]));
  return {
    priced,
    unpriced: wanted.filter(({ modelId }) => !after.has(modelId)).map(({ modelId }) => modelId),
    unknown: listUnknown(stored, figures),
    below: all.flatMap((model) => listBelow(after.get(model.modelId) ?? model, found, terms.rate)),
  };
}

/** The models with their prices, as a part of a catalogue. It names a price that becomes 0: others stay. */
export function importText(stored: StoredCatalog, { priced }: PriceImport): string {
  const models = priced.map(({ model: { modelId, prices } }) => {
    const old = stored.models.get(modelId)?.prices;
    const named = mapPriceFields(({ field, name }): readonly [PriceName, string][] => {
      const micro = prices[field];
      const isSaid = micro !== undefined && (micro !== 0n || old?.[field] !== 0n);
      return isSaid ? [[name, formatMicro(micro)]] : [];
    });
    return { model_id: modelId, prices: Object.fromEntries(Object.values(named).flat()) };
  });
  return listText('models', models);
}

function keyOf({ provider, model }: Pick<Figure, 'provider' | 'model'>): string {
  return `${provider ?? ''} ${model}`;
}

/** What the price map calls a vendor of the catalogue. */
function providerOf(vendorCode: string): string {
  return findPresetOfVendor(vendorCode)?.priceMap ?? vendorCode;
}

type Found = ReadonlyMap<string, Figure>;

function findOfRoute(found: Found, { vendorCode, forwardModelId }: StoredRoute): Figure | undefined {
  return found.get(keyOf({ provider: providerOf(vendorCode), model: forwardModelId }));
}

/** A model with several routes has the price of the one that is tried first. */
function priceModel(model: StoredModel, found: Found, terms: Terms): readonly PricedModel[] {
  const own = found.get(keyOf({ provider: undefined, model: model.modelId }));
  const routes = model.routes
    .filter(({ status }) => status === 'enabled')
    .toSorted((one, other) => one.priority - other.priority);
  const route = own === undefined ? routes.find((each) => findOfRoute(found, each)) : undefined;
  const figure = own ?? (route && findOfRoute(found, route));
  const yuan = figure && inYuan(figure, terms);
  if (figure === undefined || yuan === undefined) return [];
  return [{ model: { ...model, prices: withPrices(model.prices, yuan) }, figure, route }];
}

function withPrices(prices: Prices, yuan: YuanPrices): Prices {
  return mapPriceFields(({ field, name }) => {
    const text = yuan[name];
    return text === null ? prices[field] : parseMicro(text);
  }) as Prices;
}

function listUnknown(
  { vendors, models }: StoredCatalog,
  figures: readonly Figure[],
): readonly UnknownModel[] {
  const codes = new Map([...vendors.keys()].map((code) => [providerOf(code), code]));
  const routes = [...models.values()].flatMap((model) => model.routes);
  const served = new Set(
    routes.map(({ vendorCode, forwardModelId }) =>
      keyOf({ provider: providerOf(vendorCode), model: forwardModelId }),
    ),
  );
  return figures.flatMap((figure): readonly UnknownModel[] => {
    const { provider, model } = figure;
    if (provider === undefined) return models.has(model) ? [] : [{ vendorCode: undefined, figure }];
    const vendorCode = codes.get(provider);
    return vendorCode === undefined || served.has(keyOf(figure)) ? [] : [{ vendorCode, figure }];
  });
}

/** What the vendor of the route asks: by the file, else by the list prices that Tollgate knows. */
function askedFor(route: StoredRoute, found: Found): Pick<ListPrices, 'currency' | 'amounts'> | undefined {
  const known = findPresetOfVendor(route.vendorCode)?.models.find(
    ({ id, forward }) => (forward ?? id) === route.forwardModelId,
  );
  return findOfRoute(found, route) ?? known?.prices;
}

function listBelow(model: StoredModel, found: Found, rate: string | undefined): readonly BelowCost[] {
  const own = effectivePrices(model.prices);
  const names = mapPriceFields((each) => each);
  return model.routes.flatMap((route) => {
    const list = route.status === 'enabled' ? askedFor(route, found) : undefined;
    const asked = inYuan(list, { rate, margin: AT_LIST_PRICE });
    if (asked === undefined) return [];
    return Object.values(names).flatMap(({ field, name }): BelowCost[] => {
      const text = asked[name];
      const askedMicro = text === null ? undefined : parseMicro(text);
      if (text === null || askedMicro === undefined || own[field] >= askedMicro) return [];
      return [{ modelId: model.modelId, route, price: name, own: formatMicro(own[field]), asked: text }];
    });
  });
}
