import { count, credits, money } from '../../../parts/text/format.ts';

export const plural = (value: number, word: string) => `${value} ${word}${value === 1 ? '' : 's'}`;

const UNITS: readonly (readonly [number, string])[] = [
  [2_592_000, 'month'],
  [604_800, 'week'],
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
];

/** 5 hours. A month here has 30 days. */
export function span(seconds: number): string {
  const [size, word] = UNITS.find(([each]) => seconds >= each && seconds % each === 0) ?? [1, 'second'];
  if (word === 'month') return `${seconds / 86_400} days`;
  if (word === 'week') return `${seconds / 86_400} days`;
  return plural(seconds / size, word);
}

const DIMENSIONS: Readonly<Record<string, string>> = {
  ...{ requests: 'calls', tokens: 'tokens', images: 'images', videos: 'videos', amount: 'amount ¥' },
};
export const VERBS: Readonly<Record<string, string>> = {
  ...{ requests: 'begin', tokens: 'use', images: 'make', videos: 'make', amount: 'spend' },
};

/** `600 calls`, `¥60.00` */
export function measured(dimension: string, limit: string): string {
  return dimension === 'amount' ? money(limit) : `${credits(limit)} ${DIMENSIONS[dimension] ?? dimension}`;
}

export function ordinal(value: number): string {
  const tens = value % 100;
  const end = tens >= 11 && tens <= 13 ? 'th' : (['th', 'st', 'nd', 'rd'][value % 10] ?? 'th');
  return `${count(value)}${end}`;
}

export function listed(parts: readonly string[]): string {
  return parts.length < 2 ? (parts[0] ?? '') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}

export interface PriceEffect {
  readonly model: string;
  readonly price: string;
  readonly before: string | null;
  readonly after: string | null;
}
export interface RateEffect {
  readonly entity: string;
  readonly key: string;
  readonly rate: string;
  readonly before: string | null;
  readonly after: string;
}
export interface LimitEffect {
  readonly name: string;
  readonly limit: string;
  readonly seconds: number | null;
  readonly before: string | null;
  readonly after: string | null;
  readonly accounts: number;
  readonly keys: number;
}

export const limitText = ({ limit, seconds }: LimitEffect, value: string | null): string => {
  if (value === null) return 'no limit';
  if (seconds === null) return `${count(value)} calls at once`;
  return `${measured(limit, value)} in ${span(seconds)}`;
};

export const ENTITIES: Readonly<Record<string, string>> = {};
export const PRICES: Readonly<Record<string, string>> = {
  ...{ input: 'Input', output: 'Output', cache_input: 'Cache read', cache_output: 'Cached output' },
  ...{ cache_write: 'Cache write', image: 'Image', video: 'Video' },
};
const PER_MILLION = new Set(['Input', 'Output', 'Cache read', 'Cached output', 'Cache write']);

export const priced = (price: string, amount: string | null) =>
  amount === null ? 'none' : `${money(amount)}${PER_MILLION.has(price) ? '/M' : ' each'}`;
export const capital = (word: string) => word.slice(0, 1).toUpperCase() + word.slice(1);
export const fieldList = (fields: readonly string[]) => (fields.length === 0 ? '' : `: ${fields.join(', ')}`);

export const PRICE_TEXTS = {
  intro:
    'Change a price, and the drawer beside shows what the calls of yesterday would have brought. Nothing is in force until you apply it. A percentage such as +10% changes the price in force.',
  show: 'Show what if',
  inForce: (price: string) => `in force: ${price}`,
  inForceAs: (price: string, amount: string) => `in force: as ${price.toLowerCase()}, ${amount}`,
  wrong: 'Enter a number with at most six decimals, such as 118.80.',
  asOther: (price: string) => `While it is empty: as ${price.toLowerCase()}.`,
  each: { image: 'an image', video: 'a video' },
  batch: 'Rate of batches',
  batchHelp: 'What tokens cost in a batch, in per cent of these prices. 50 is half the price.',
  help: {
    input: 'Tokens that a call sends.',
    output: 'Tokens that the model writes, with its thinking.',
    image: 'Each picture that is made.',
    video: 'Each film that is made.',
  },
};

export const RATES: Readonly<Record<string, string>> = {
  ...{ rate: 'rate', system_rate: 'system rate', rate_multiplier: 'multiplier' },
  ...{ user_rate: 'account rate', 'defaults.user_rate': 'account rate' },
};
/** A multiplier is no percentage. */
export const rated = (rate: string, value: string | null) =>
  value === null ? 'none' : rate === 'rate_multiplier' ? `× ${value}` : `${value} %`;

export type Routing = 'weight' | 'latency' | 'cost' | 'cache';

const SHARED: Readonly<Record<Routing, string>> = {
  weight: 'shared by weight while any of them is ready',
  latency: 'the fastest of those that are ready',
  cost: 'the cheapest of those that are ready',
  cache: 'a conversation stays with one of them while it is ready',
};

export const ROUTING_TEXTS = {
  order: (at: number, routes: number, routing: Routing): string => {
    if (at > 0) return 'only when nothing above can take the call';
    return routes > 1 ? SHARED[routing] : 'takes every call while it is ready';
  },
  routing: 'Among routes of one priority',
  routings: {
    weight: 'By weight',
    latency: 'The fastest',
    cost: 'The cheapest',
    cache: 'Where the prompt is cached',
  },
  routingHelp: {
    weight: 'At random, in proportion to the weights.',
    latency: 'The shortest measured time to the first token. Routes that are about as fast share by weight.',
    cost: 'The one by which the caller is charged least. Equal ones share by weight.',
    cache: 'A conversation stays with one credential, so that its vendor finds the prompt in its cache.',
  },
};
