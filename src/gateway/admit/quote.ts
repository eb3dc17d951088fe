import type { Account } from '../../accounts/contract.ts';
import type { CatalogSnapshot, Model, Route } from '../../catalog/contract.ts';
import {
  costMicro,
  creditsMicro,
  outputTokensFor,
  type PriceSnapshot,
  takeSnapshot,
} from '../../catalog/price.ts';
import { maxMicro } from '../../kernel/money.ts';
import { NO_USAGE, type Usage } from '../../kernel/usage.ts';
import type { Expected } from '../../ledger/shortfall.ts';
import type { RequestFacts } from '../../protocol/dialect.ts';
import { toTarget } from '../attempt/target.ts';
import { isTextProtocol, mayPaint } from './route-protocols.ts';

/** Personal rates differ between few accounts; the cache per route is bounded all the same. */
const SNAPSHOTS_PER_ROUTE_MAX = 1_000;
/** The most tokens that a vendor reports for one picture of an Images call. */
const IMAGE_TOKENS_MAX = 8_192;
/** Rule L-28: output that a share pays for, and the least that is worth a call. */
const SHARE_TOKENS = 4_096;
const LEAST_TOKENS = 256;

/**
 * Prices of calls. A snapshot is one object per route and personal rate for as long as the catalogue lives:
 * routes are new objects in every catalogue version, so nothing is ever stale.
 */
const snapshots = new WeakMap<Route, Map<bigint, PriceSnapshot>>();

export interface PricingContext {
  readonly catalog: CatalogSnapshot;
  readonly model: Model;
  readonly account: Account;
  readonly nodeName: string;
}

export function priceSnapshot(route: Route, pricing: PricingContext): PriceSnapshot {
  const { userRateMicro } = pricing.account;
  let byRate = snapshots.get(route);
  if (byRate === undefined || byRate.size >= SNAPSHOTS_PER_ROUTE_MAX) {
    byRate = new Map();
    snapshots.set(route, byRate);
  }
  let snapshot = byRate.get(userRateMicro);
  if (snapshot === undefined) {
    snapshot = takeSnapshot(route, { ...pricing, userRateMicro });
    byRate.set(userRateMicro, snapshot);
  }
  return snapshot;
}

/** What a call may cost on the dearest of its routes, micro-yuan (rule L-27). */
export interface Quote {
  readonly mostMicro: bigint;
  /** With as much output as makes a share. */
  readonly shareMicro: bigint;
  /** With the least output that is worth a call. */
  readonly leastMicro: bigint;
  /** The request itself says how long its answer may be, or how many pictures it wants. */
  readonly isBounded: boolean;
}

export function quote(facts: RequestFacts, routes: readonly Route[], pricing: PricingContext): Quote {
  let mostMicro = 0n;
  let shareMicro = 0n;
  let leastMicro = 0n;
  for (const route of routes) {
    const most = outputBound(facts, route);
    // Pictures have a price that is known at entry: all of it is held, or the call is refused.
    const isWhole = facts.images > 0;
    const cost = (tokens: number): bigint =>
      costOf(isWhole ? most : Math.min(most, tokens), facts, route, pricing);
    mostMicro = maxMicro(mostMicro, cost(most));
    shareMicro = maxMicro(shareMicro, cost(SHARE_TOKENS));
    leastMicro = maxMicro(leastMicro, cost(LEAST_TOKENS));
  }
  const isBounded = facts.outputTokensMax !== undefined || facts.images > 0;
  return { mostMicro, shareMicro, leastMicro, isBounded };
}

/** The most output tokens of one answer: as the request says, but no more than the model can make. */
export function outputBound({ outputTokensMax, images }: RequestFacts, route: Route): number {
  let longest = 0;
  for (const protocol of route.protocols) {
    if (!isTextProtocol(protocol)) continue;
    longest = Math.max(longest, toTarget(route, protocol, 'own').capabilities.maxOutputTokens);
  }
  if (images > 0) return images * IMAGE_TOKENS_MAX;
  return outputTokensMax === undefined ? longest : Math.min(outputTokensMax, longest);
}

/** Micro-yuan of the input, the pictures that must be expected, and so many output tokens in each answer. */
function costOf(tokens: number, facts: RequestFacts, route: Route, pricing: PricingContext): bigint {
  const isPainted = isUnsaid(facts, pricing.model) && mayPaint(route, facts);
  const usage: Usage = {
    ...NO_USAGE,
    inputFresh: facts.inputTokensEstimate,
    outputText: tokens * facts.answers,
    images: isPainted ? facts.answers : facts.images,
  };
  return costMicro(usage, atMost(priceSnapshot(route, pricing)));
}

const dearest = new WeakMap<PriceSnapshot, PriceSnapshot>();

/** Nobody knows beforehand what the vendor's cache does: every token is taken at its dearest price. */
function atMost(snapshot: PriceSnapshot): PriceSnapshot {
  let most = dearest.get(snapshot);
  if (most === undefined) {
    const { prices, rates } = snapshot;
    const { inputMicro, outputMicro } = prices;
    const input = maxMicro(prices.cacheInputMicro ?? inputMicro, prices.cacheWriteMicro ?? inputMicro);
    most = {
      rates,
      prices: {
        ...prices,
        inputMicro: maxMicro(inputMicro, input),
        outputMicro: maxMicro(outputMicro, prices.cacheOutputMicro ?? outputMicro),
      },
    };
    dearest.set(snapshot, most);
  }
  return most;
}

/**
 * How many output tokens so many micro-Credits pay for in each answer of a text call on one route, behind its
 * input and the pictures that must be expected. Less than 1: not even those.
 */
export function outputTokensPaid(
  heldMicro: bigint,
  facts: RequestFacts,
  route: Route,
  { pricing, creditsPerYuan }: { readonly pricing: PricingContext; readonly creditsPerYuan: number },
): number {
  const costCredits = (tokens: number): bigint =>
    creditsMicro(costOf(tokens, facts, route, pricing), creditsPerYuan);
  const leftMicro = heldMicro - costCredits(0);
  if (leftMicro < 0n) return 0;
  const price = atMost(priceSnapshot(route, pricing));
  const tokens = Math.floor(outputTokensFor(leftMicro, price, creditsPerYuan) / facts.answers);
  // Each cost is cut at six decimals by itself, so that the sum of two may come to one micro-yuan less.
  return costCredits(tokens) <= heldMicro ? tokens : tokens - 1;
}

/** What the call is expected to use at most. Whoever is billed more knows which of it was exceeded. */
export function expectUsage(
  facts: RequestFacts,
  route: Route,
  { model, outputLimit }: { readonly model: Model; readonly outputLimit: number | undefined },
): Expected {
  return {
    inputTokens: facts.inputTokensEstimate,
    outputTokens: (outputLimit ?? outputBound(facts, route)) * facts.answers,
    images: Math.max(facts.images, picturesExpected(facts, model)),
  };
}

/**
 * Pictures that a text call may be answered with, by whichever route of the model: they are expected, one in
 * each answer, until it ends.
 */
export function picturesExpected(facts: RequestFacts, model: Model): number {
  return isUnsaid(facts, model) && model.routes.some((route) => mayPaint(route, facts)) ? facts.answers : 0;
}

/** Nobody says beforehand whether a text call will be answered with a picture; only some models paint. */
function isUnsaid({ images }: RequestFacts, { prices }: Model): boolean {
  return images === 0 && prices.imageMicro > 0n;
}
