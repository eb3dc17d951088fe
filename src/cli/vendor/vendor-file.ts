import type { Row } from '../terminal.ts';
import { type Address, type Picked, type Preset, type Prices, protocolsOf } from './vendor-choice.ts';

/** A model with what it is sold for. */
export interface Sold extends Picked {
  readonly prices: Prices;
}

/** A vendor that is to be added, with everything that is decided about it. */
export interface Offer {
  readonly preset: Preset;
  /** Of the vendor in the catalogue. A cloud has one for each region. */
  readonly code: string;
  readonly cloud: Row | undefined;
  readonly address: Address;
  readonly secret: string;
  readonly credential: string;
  /** The vendor as the catalogue has it already. */
  readonly vendor: Row | undefined;
  readonly models: readonly Sold[];
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
  const { code, address, credential, vendor, models, known } = offer;
  const fresh = models.filter(({ id }) => !known.has(id));
  const others = models.filter(({ id }) => known.has(id));
  const isElsewhere = vendor !== undefined && vendor.base_url !== address.base_url;
  const file = {
    vendors: vendor === undefined ? [newVendor(offer)] : [],
    credentials: [
      {
        ...{ name: credential, vendor: code, secret: offer.secret },
        ...(isElsewhere && { base_url: address.base_url }),
      },
    ],
    models: fresh.map((model) => newModel(offer, model)),
  };
  return {
    yaml: toYaml(file),
    routes: others.map((model) => ({ model_id: model.id, ...routeOf(offer, model) })),
    said: [
      vendor === undefined
        ? `vendor ${code} added: ${address.base_url}`
        : `vendor ${code} was there already and stays as it is`,
      `credential ${credential} added`,
      ...fresh.map(({ id, prices }) => `model ${id} added: ${priceText(prices)}`),
      ...others.map(({ id }) => `model ${id} was there already: it has a route more, at its own price`),
    ],
  };
}

/** JSON is YAML. What begins a variable in a catalogue file is written twice. */
function toYaml(file: object): string {
  return JSON.stringify(file).replaceAll('${', () => '$${');
}

function newVendor({ code, preset, address, cloud }: Offer): object {
  const { protocols, base_url: url } = address;
  return { code, name: preset.name, protocols, base_url: url, ...(cloud && { cloud }) };
}

function routeOf({ preset, code, credential, address, vendor }: Offer, model: Picked): Row {
  const spoken = (vendor?.protocols as readonly string[] | undefined) ?? address.protocols;
  return {
    ...{ vendor: code, credential, forward_model_id: model.forward },
    protocols: protocolsOf(preset, spoken, model),
    ...(preset.capabilities !== null && { capabilities: preset.capabilities }),
  };
}

/** Tokens are the usual mode of billing. */
const ITEM_MODES: Readonly<Record<string, number>> = { image: 2, video: 4 };

function newModel(offer: Offer, sold: Sold): object {
  const { id, prices } = sold;
  const known = offer.preset.models.find((each) => each.model_id === id);
  const { name = id, features = ['text'], context_window: context, max_output_tokens: most } = known ?? {};
  const [only = '', ...more] = Object.keys(prices);
  const mode = more.length === 0 ? ITEM_MODES[only] : undefined;
  return {
    ...{ model_id: id, name, support_features: features, prices },
    ...(mode !== undefined && { billing_modes: mode }),
    ...(context != null && { context_window: context }),
    ...(most != null && { max_output_tokens: most }),
    routes: [routeOf(offer, sold)],
  };
}

function priceText(prices: Prices): string {
  return Object.entries(prices)
    .map(([name, price]) => `${name} ¥${price}`)
    .join(', ');
}
