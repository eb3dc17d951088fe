import type { Account } from '../accounts/contract.ts';
import { REPORTED_TOKENS_MAX } from '../bounds.ts';
import type { CatalogSnapshot, Model, Prices, Route } from '../catalog/contract.ts';
import { costMicro, type PriceSnapshot } from '../catalog/price.ts';
import { maxMicro } from '../kernel/money.ts';
import { NO_USAGE, type Usage } from '../kernel/usage.ts';
import type { RequestFacts } from '../protocol/dialect.ts';
import { mayPaint } from './spoken.ts';

const LIST_RATE_MICRO = 100_000_000n;
const NO_PRICES: Prices = Object.freeze({
  inputMicro: 0n,
  outputMicro: 0n,
  cacheInputMicro: 0n,
  cacheOutputMicro: 0n,
  cacheWriteMicro: 0n,
  imageMicro: 0n,
  videoMicro: 0n,
});
/** Personal rates differ between few accounts; the cache per route is bounded all the same. */
const SNAPSHOTS_PER_ROUTE_MAX = 1_000;
/** What an answer may be long when neither the client nor the catalogue says. */
const OUTPUT_TOKENS_UNKNOWN = 8_192;

/**
 * Prices of calls. A snapshot is one object per route and personal rate for as long as the catalogue lives:
 * routes are new objects in every catalogue version, so nothing is ever stale.
 */
const snapshots = new WeakMap<Route, Map<bigint, PriceSnapshot>>();

export interface Tariff {
  readonly catalog: CatalogSnapshot;
  readonly model: Model;
  readonly account: Account;
  readonly nodeName: string;
}

export function priceSnapshot(route: Route, tariff: Tariff): PriceSnapshot {
  const { userRateMicro } = tariff.account;
  let byRate = snapshots.get(route);
  if (byRate === undefined || byRate.size >= SNAPSHOTS_PER_ROUTE_MAX) {
    byRate = new Map();
    snapshots.set(route, byRate);
  }
  let snapshot = byRate.get(userRateMicro);
  if (snapshot === undefined) {
    snapshot = makeSnapshot(route, tariff);
    byRate.set(userRateMicro, snapshot);
  }
  return snapshot;
}

function makeSnapshot(route: Route, { catalog, model, account, nodeName }: Tariff): PriceSnapshot {
  const node = catalog.nodes.find((one) => one.name === nodeName);
  return Object.freeze({
    // What runs on the account's own credential is paid for elsewhere: there is nothing to charge.
    prices: route.credential.ownerAccountId === undefined ? model.prices : NO_PRICES,
    rates: Object.freeze({
      rateMultiplierMicro: route.rateMultiplierMicro,
      systemMicro: catalog.systemRateMicro,
      userMicro: account.userRateMicro,
      vendorMicro: route.vendor.rateMicro,
      credentialMicro: route.credential.rateMicro,
      nodeMicro: node?.rateMicro ?? LIST_RATE_MICRO,
    }),
  });
}

/** What a call may cost at most, and what its input alone costs, on the dearest of its routes; micro-yuan. */
export interface Quote {
  readonly mostMicro: bigint;
  readonly inputMicro: bigint;
}

export function quote(facts: RequestFacts, routes: readonly Route[], tariff: Tariff): Quote {
  // Spec 7.3: an overrun is the vendor's to reject; nothing longer than the model's own maximum comes back.
  const longest = tariff.model.maxOutputTokens ?? REPORTED_TOKENS_MAX;
  const asked = facts.outputTokensMax ?? tariff.model.maxOutputTokens ?? OUTPUT_TOKENS_UNKNOWN;
  const output = Math.min(asked, longest);
  const input: Usage = { ...NO_USAGE, inputFresh: facts.inputTokensEstimate };
  const most: Usage = { ...input, outputText: output * facts.answers, images: facts.images };
  const painted: Usage = isUnsaid(facts, tariff.model) ? { ...most, images: facts.answers } : most;
  let mostMicro = 0n;
  let inputMicro = 0n;
  for (const route of routes) {
    const snapshot = priceSnapshot(route, tariff);
    mostMicro = maxMicro(mostMicro, costMicro(mayPaint(route, facts) ? painted : most, snapshot));
    inputMicro = maxMicro(inputMicro, costMicro(input, snapshot));
  }
  return { mostMicro, inputMicro };
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
