import type { Row } from '../terminal.ts';
import type { Address, Preset, Prices } from './vendor-choice.ts';

/** A vendor that is to be added, with everything that is decided about it. */
export interface Offer {
  readonly preset: Preset;
  readonly address: Address;
  readonly secret: string;
  readonly credential: string;
  /** The vendor as the catalogue has it already. */
  readonly vendor: Row | undefined;
  readonly models: ReadonlyMap<string, Prices>;
  /** The models that the catalogue has already. */
  readonly known: ReadonlySet<string>;
}

export interface DescribedOffer {
  /** A part of a catalogue. */
  readonly yaml: string;
  /** Routes to models that stay as they are. */
  readonly routes: readonly Row[];
  readonly said: readonly string[];
}

/** The vendor, its credential and its new models as a catalogue file; what is known gets a route only. */
export function describeOffer(offer: Offer): DescribedOffer {
  const { preset, address, credential, vendor, models, known } = offer;
  const fresh = [...models].filter(([model]) => !known.has(model));
  const others = [...models.keys()].filter((model) => known.has(model));
  const isElsewhere = vendor !== undefined && vendor.base_url !== address.base_url;
  const file = {
    vendors: vendor === undefined ? [newVendor(preset, address)] : [],
    credentials: [
      {
        ...{ name: credential, vendor: preset.code, secret: offer.secret },
        ...(isElsewhere && { base_url: address.base_url }),
      },
    ],
    models: fresh.map(([model, prices]) => newModel(offer, model, prices)),
  };
  return {
    yaml: toYaml(file),
    routes: others.map((model) => ({ model_id: model, forward_model_id: model, ...routeOf(offer) })),
    said: [
      vendor === undefined
        ? `vendor ${preset.code} added: ${address.base_url}`
        : `vendor ${preset.code} was there already and stays as it is`,
      `credential ${credential} added`,
      ...fresh.map(([model, prices]) => `model ${model} added: ${priceText(prices)}`),
      ...others.map((model) => `model ${model} was there already: it has a route more, at its own price`),
    ],
  };
}

/** JSON is YAML. What begins a variable in a catalogue file is written twice. */
function toYaml(file: object): string {
  return JSON.stringify(file).replaceAll('${', () => '$${');
}

function newVendor({ code, name }: Preset, { protocols, base_url: url }: Address): object {
  return { code, name, protocols, base_url: url };
}

function routeOf({ preset, credential, address, vendor }: Offer): Row {
  const spoken = (vendor?.protocols as readonly string[] | undefined) ?? address.protocols;
  return {
    ...{ vendor: preset.code, credential },
    protocols: spoken.filter((protocol) => protocol !== 'images'),
    ...(preset.capabilities !== null && { capabilities: preset.capabilities }),
  };
}

function newModel(offer: Offer, model: string, prices: Prices): object {
  const known = offer.preset.models.find(({ model_id: id }) => id === model);
  const { name = model, features = ['text'], context_window: context, max_output_tokens: most } = known ?? {};
  return {
    ...{ model_id: model, name, support_features: features, prices },
    ...(context != null && { context_window: context }),
    ...(most != null && { max_output_tokens: most }),
    routes: [routeOf(offer)],
  };
}

function priceText(prices: Prices): string {
  return Object.entries(prices)
    .map(([name, price]) => `${name} ¥${price}`)
    .join(', ');
}
