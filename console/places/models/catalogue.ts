import type { Data } from '../../api/api.ts';
import { isEmbeddingProtocol, isForPlayground } from '../../api/protocols.ts';
import type { ModelsSearch } from './search.ts';

export type Prices = Data<'listPrices'>;
export type Route = Prices['models'][number];
export type Rates = Pick<Prices, 'system_rate' | 'user_rate' | 'node_rate'>;

/** A model with the routes it has, the one that is tried first at the head. */
export interface Model {
  readonly id: string;
  readonly name: string;
  readonly first: Route;
  readonly routes: readonly Route[];
  /** Calls of the last week, against the model with the most: 0 to 1. */
  readonly used: number;
  readonly tokensPerSecond: number | null;
  readonly firstTokenMs: number | null;
}

/** Kinds of billing: a sum of these. */
const TOKENS = 1;
const IMAGES = 2;

/** It makes vectors and no text. */
export function isEmbedding({ routes }: Pick<Model, 'routes'>): boolean {
  return routes.every(({ protocols }) => protocols.every(isEmbeddingProtocol));
}

/** How the playground opens with a model. Undefined: it has no place for it. */
export function playgroundSearch({ id, routes }: Pick<Model, 'id' | 'routes'>): object | undefined {
  const spoken = routes.flatMap(({ protocols }) => protocols).filter(isForPlayground);
  if (spoken.length === 0) return undefined;
  return spoken.every((protocol) => protocol === 'images')
    ? { model: id, protocol: 'images' }
    : { model: id };
}

export function isPaidByTokens({ first }: Model): boolean {
  return (first.billing_modes & TOKENS) !== 0;
}

export function itemOf({ first }: Model): 'image' | 'video' {
  return (first.billing_modes & IMAGES) !== 0 ? 'image' : 'video';
}

export function pricesOf({ first }: Model, list: true | undefined) {
  return list === true ? first : first.own;
}

/** A rate of 87.5 is the factor 0.875: its point moves by two, no digit is lost. */
export function factorOf(rate: number): string {
  const [whole = '0', decimals = ''] = String(rate).split('.');
  const digits = whole.padStart(3, '0');
  const moved = `${digits.slice(0, -2)}.${digits.slice(-2)}${decimals}`;
  return moved.replace(/0+$/, '').replace(/\.$/, '');
}

export function isShown(model: Model, search: ModelsSearch): boolean {
  const { q, vendor, takes, speaks, price, callable } = search;
  const wanted = q?.toLowerCase();
  const { first, routes } = model;
  return (
    (wanted === undefined || `${model.name}\n${model.id}`.toLowerCase().includes(wanted)) &&
    (vendor === undefined || routes.some(({ vendor_code: code }) => code === vendor)) &&
    (takes === undefined || first.support_features.includes(takes)) &&
    (speaks === undefined || routes.some(({ protocols }) => protocols.includes(speaks))) &&
    (price === undefined ||
      (isPaidByTokens(model) && Number(pricesOf(model, search.list).input_price) <= price)) &&
    (callable !== true || first.refusal === null)
  );
}

const UNKNOWN = Number.NEGATIVE_INFINITY;

function rank(model: Model, search: ModelsSearch): number {
  const prices = pricesOf(model, search.list);
  const paid = (amount: string) => (isPaidByTokens(model) ? Number(amount) : UNKNOWN);
  switch (search.sort) {
    case 'context':
      return model.first.context_window ?? UNKNOWN;
    case 'speed':
      return model.tokensPerSecond ?? UNKNOWN;
    case 'first':
      return model.firstTokenMs ?? UNKNOWN;
    case 'cached':
      return paid(prices.cache_input_price);
    case 'input':
      return paid(prices.input_price);
    case 'output':
      return paid(prices.output_price);
    default:
      return model.used;
  }
}

/** For order alone; what is written are the server's digits. What is unknown comes last. */
export function sorted(models: readonly Model[], search: ModelsSearch): readonly Model[] {
  const sign = search.dir === 'up' ? 1 : -1;
  return models.toSorted((one, other) => {
    if (search.sort === 'name') return sign * (one.name < other.name ? -1 : 1);
    const [a, b] = [rank(one, search), rank(other, search)];
    if (a === b) return one.name < other.name ? -1 : 1;
    if (a === UNKNOWN || b === UNKNOWN) return a === UNKNOWN ? 1 : -1;
    return sign * (a - b);
  });
}
