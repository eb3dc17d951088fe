import type { Account } from '../../accounts/contract.ts';
import type { CatalogSnapshot, Model, Route } from '../../catalog/contract.ts';
import {
  batchPrice,
  costMicro,
  creditsMicro,
  dearestPrice,
  outputTokensFor,
  type PriceSnapshot,
  takeSnapshot,
} from '../../catalog/price.ts';
import { maxMicro } from '../../kernel/money.ts';
import { NO_USAGE, type Usage } from '../../kernel/usage.ts';
import type { Expected } from '../../ledger/shortfall.ts';
import type { RequestFacts } from '../../protocol/dialect.ts';
import { countsSeconds } from '../../protocol/transcriptions/usage.ts';
import { toTarget } from '../attempt/target.ts';
import { isGeneratingProtocol, lengthRules, mayMakeImages } from './route-protocols.ts';

/** Few accounts have personal rates, but the cache of a route is bounded anyway. */
const SNAPSHOTS_PER_ROUTE_MAX = 1_000;
/** The most tokens that a vendor reports for one image of an Images call. */
const IMAGE_TOKENS_MAX = 8_192;
/** Rule L-28: the output that a share pays for, and the least output that is worth a call. */
const SHARE_TOKENS = 4_096;
const LEAST_TOKENS = 256;

/**
 * Price snapshots: one object per route and personal rate. Each version of the catalogue has new route
 * objects, so an entry never gets stale.
 */
const snapshots = new WeakMap<Route, Map<bigint, PriceSnapshot>>();
const batchSnapshots: typeof snapshots = new WeakMap();

export interface PricingContext {
  readonly catalog: CatalogSnapshot;
  readonly model: Model;
  readonly account: Account;
  readonly nodeName: string;
  /** The call is for a batch, which has a rate of its own. */
  readonly isBatch?: true | undefined;
}

export function priceSnapshot(route: Route, pricing: PricingContext): PriceSnapshot {
  const { userRateMicro } = pricing.account;
  const known = pricing.isBatch === true ? batchSnapshots : snapshots;
  let byRate = known.get(route);
  if (byRate === undefined || byRate.size >= SNAPSHOTS_PER_ROUTE_MAX) {
    byRate = new Map();
    known.set(route, byRate);
  }
  let snapshot = byRate.get(userRateMicro);
  if (snapshot === undefined) {
    const list = takeSnapshot(route, { ...pricing, userRateMicro });
    snapshot = pricing.isBatch === true ? batchPrice(list, pricing.model.batchRateMicro) : list;
    byRate.set(userRateMicro, snapshot);
  }
  return snapshot;
}

/** What a call may cost on the most expensive of its routes, in micro-yuan (rule L-27). */
export interface Quote {
  readonly mostMicro: bigint;
  /** The cost with the output of one share. */
  readonly shareMicro: bigint;
  /** The cost with the least output that is worth a call. */
  readonly leastMicro: bigint;
  /** The request limits its own output, or says how many images it wants. */
  readonly isBounded: boolean;
}

export function quote(facts: RequestFacts, routes: readonly Route[], pricing: PricingContext): Quote {
  let mostMicro = 0n;
  let shareMicro = 0n;
  let leastMicro = 0n;
  for (const route of routes) {
    const most = outputBound(facts, route);
    // The price of images, a video or input alone is known at entry. All of it is held, or it is refused.
    const isWhole = facts.images > 0 || facts.isFixed === true;
    const cost = (tokens: number): bigint =>
      computeCost(isWhole ? most : Math.min(most, tokens), facts, route, pricing);
    mostMicro = maxMicro(mostMicro, cost(most));
    shareMicro = maxMicro(shareMicro, cost(SHARE_TOKENS));
    leastMicro = maxMicro(leastMicro, cost(LEAST_TOKENS));
  }
  const isBounded = facts.outputTokensMax !== undefined || facts.images > 0;
  return { mostMicro, shareMicro, leastMicro, isBounded };
}

/**
 * A vendor takes no limit for the output of a compaction, so all of it is held. It is hardly longer than what
 * it replaces, but a short conversation may grow.
 */
export function compactionFacts(facts: RequestFacts): RequestFacts {
  return {
    ...facts,
    stream: false,
    isFixed: true,
    outputTokensMax: Math.max(facts.inputTokensEstimate, LEAST_TOKENS),
  };
}

/** The most output tokens of one answer: the request's own limit, but not more than the model can produce. */
export function outputBound(facts: RequestFacts, route: Route): number {
  const { outputTokensMax, images } = facts;
  if (facts.isFixed === true) return outputTokensMax ?? 0;
  let longest = 0;
  for (const protocol of route.protocols) {
    if (!isGeneratingProtocol(protocol)) continue;
    const { capabilities } = toTarget(route, lengthRules(protocol), 'own');
    longest = Math.max(longest, capabilities.maxOutputTokens);
  }
  if (images > 0) return images * IMAGE_TOKENS_MAX;
  return outputTokensMax === undefined ? longest : Math.min(outputTokensMax, longest);
}

/** The cost in micro-yuan of the input, the expected images, and this many output tokens in each answer. */
function computeCost(tokens: number, facts: RequestFacts, route: Route, pricing: PricingContext): bigint {
  const hasImages = imagesAreUnknown(facts, pricing.model) && mayMakeImages(route, facts);
  const { secondsMost } = facts;
  const bySeconds = secondsMost !== undefined && countsSeconds(route.forwardModelId);
  const usage: Usage = {
    ...NO_USAGE,
    // Seconds of sound are charged as input, and its words are not charged then (rule M-31).
    inputFresh: bySeconds ? secondsMost : facts.inputTokensEstimate,
    outputText: bySeconds ? 0 : tokens * facts.answers,
    images: hasImages ? facts.answers : facts.images,
    videos: facts.videos ?? 0,
  };
  return costMicro(usage, dearestPrice(priceSnapshot(route, pricing)));
}

/**
 * How many output tokens of each answer these micro-Credits pay for, after the input and the expected images
 * of a text call on this route. Less than 1: they do not even pay for the input and the images.
 */
export function outputTokensPaid(
  heldMicro: bigint,
  facts: RequestFacts,
  route: Route,
  { pricing, creditsPerYuan }: { readonly pricing: PricingContext; readonly creditsPerYuan: number },
): number {
  const costCredits = (tokens: number): bigint =>
    creditsMicro(computeCost(tokens, facts, route, pricing), creditsPerYuan);
  const leftMicro = heldMicro - costCredits(0);
  if (leftMicro < 0n) return 0;
  const price = dearestPrice(priceSnapshot(route, pricing));
  const tokens = Math.floor(outputTokensFor(leftMicro, price, creditsPerYuan) / facts.answers);
  // Each cost is cut to six decimals separately, so two costs may add up to one micro-yuan less.
  return costCredits(tokens) <= heldMicro ? tokens : tokens - 1;
}

/** The most that the call is expected to use. A larger bill can then name what was exceeded. */
export function expectUsage(
  facts: RequestFacts,
  route: Route,
  { model, outputLimit }: { readonly model: Model; readonly outputLimit: number | undefined },
): Expected {
  return {
    inputTokens: facts.inputTokensEstimate,
    outputTokens: (outputLimit ?? outputBound(facts, route)) * facts.answers,
    images: Math.max(facts.images, imagesExpected(facts, model)),
  };
}

/**
 * How many images a text call may be answered with on any route of the model. One image per answer is
 * expected until the answer ends.
 */
export function imagesExpected(facts: RequestFacts, model: Model): number {
  return imagesAreUnknown(facts, model) && model.routes.some((route) => mayMakeImages(route, facts))
    ? facts.answers
    : 0;
}

/**
 * A text call does not say beforehand whether its answer has an image. Only models with an image price count.
 */
function imagesAreUnknown({ images }: RequestFacts, { prices }: Model): boolean {
  return images === 0 && prices.imageMicro > 0n;
}
