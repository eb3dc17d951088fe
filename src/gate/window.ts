import {
  type CoverageWindow,
  DIMENSIONS,
  type Dimension,
  type Policy,
  type PolicyWindow,
} from '../catalog/contract.ts';
import { creditsMicro, yuanToBuyMicro } from '../catalog/price.ts';
import { assert } from '../kernel/assert.ts';
import type { EnterRequest, LeasedWindow, MoneyRequest, WindowLook } from './contract.ts';

/** The end of running calls is unknown. Clients retry after a second anyway. */
export const GUESS_MS = 1_000;

/**
 * One running window. It ends by itself, and the next use makes a new object. So a late correction of a call
 * that was admitted under an old window changes only the old object, never the new one.
 */
export interface Window {
  /** As in the store; created once, so that a lease can name its windows without allocation. */
  readonly leased: LeasedWindow;
  /** By the monotonic clock. */
  readonly endsAtMs: number;
  /** A count, or micro-yuan in a window of `amount`. */
  used: bigint;
  /** Micro-Credits held by running calls; only in a window of `amount`. */
  heldMicro: bigint;
}

/** A window of a policy, prepared for every call. */
export interface Rule extends PolicyWindow {
  /** One number for dimension and length. */
  readonly key: number;
}

/** In the order of the policy. */
export interface Rules {
  readonly all: readonly Rule[];
  /** The windows that bound money. They are checked whenever the money of a call changes. */
  readonly amounts: readonly Rule[];
}

export interface WindowRefusal {
  readonly rule: Rule;
  readonly used: bigint;
  readonly retryAfterMs: number;
}

const NO_RULES: Rules = Object.freeze({ all: Object.freeze([]), amounts: Object.freeze([]) });
const rulesByPolicy = new WeakMap<Policy, Rules>();
const rulesByCoverage = new WeakMap<readonly CoverageWindow[], readonly Rule[]>();

export function toRules(policy: Policy | undefined): Rules {
  if (policy === undefined) return NO_RULES;
  const known = rulesByPolicy.get(policy);
  if (known !== undefined) return known;
  const all = strictest(policy.windows);
  const rules: Rules = { all, amounts: all.filter((rule) => rule.dimension === 'amount') };
  rulesByPolicy.set(policy, rules);
  return rules;
}

/** Coverage is counted like an amount, in the scope of its subscription. */
export function toCoverageRules(windows: readonly CoverageWindow[]): readonly Rule[] {
  const known = rulesByCoverage.get(windows);
  if (known !== undefined) return known;
  const rules = strictest(
    windows.map(({ seconds, amountMicro }) => ({ dimension: 'amount', seconds, limit: amountMicro })),
  );
  rulesByCoverage.set(windows, rules);
  return rules;
}

export function windowKey(dimension: Dimension, seconds: number): number {
  return seconds * DIMENSIONS.length + DIMENSIONS.indexOf(dimension);
}

/** Of two with the same dimension and length, the stricter one counts. */
function strictest(windows: readonly PolicyWindow[]): readonly Rule[] {
  const rules = new Map<number, Rule>();
  for (const { dimension, seconds, limit } of windows) {
    assert(seconds > 0, 'a window has a length');
    const key = windowKey(dimension, seconds);
    const twin = rules.get(key);
    if (twin === undefined || limit < twin.limit) rules.set(key, { dimension, seconds, limit, key });
  }
  return Object.freeze([...rules.values()]);
}

/**
 * The first rule, in the order of the policy, that refuses the call. The wait is that of the last window to
 * open, so it is long enough for all rules. `running` is parallel to `rules`.
 */
export function findRefusal(
  rules: readonly Rule[],
  running: readonly (Window | undefined)[],
  request: EnterRequest,
  nowMs: number,
): WindowRefusal | undefined {
  let refusal: WindowRefusal | undefined;
  for (let index = 0; index < rules.length; index++) {
    const rule = rules[index];
    if (rule === undefined || !uses(rule.dimension, request)) continue;
    const window = running[index];
    if (admits(rule, window, request)) continue;
    const waitMs = waitFor(rule, window, request.money, nowMs);
    if (refusal === undefined)
      refusal = { rule, used: toldUsed(window, request.money), retryAfterMs: waitMs };
    else if (waitMs > refusal.retryAfterMs) refusal = { ...refusal, retryAfterMs: waitMs };
  }
  return refusal;
}

/** Every call uses requests and tokens. The others only if it may produce some, or costs something here. */
export function uses(dimension: Dimension, request: EnterRequest): boolean {
  if (dimension === 'amount') return request.money !== undefined;
  if (dimension === 'images') return imagesTaken(request) > 0;
  if (dimension === 'videos') return request.videos > 0;
  return true;
}

/** What a call takes when it enters. For an amount it holds money instead. */
export function amountTaken(dimension: Dimension, request: EnterRequest): bigint {
  switch (dimension) {
    case 'requests':
      return 1n;
    case 'tokens':
      return BigInt(request.inputTokens);
    case 'images':
      return BigInt(imagesTaken(request));
    case 'videos':
      return BigInt(request.videos);
    case 'amount':
      return 0n;
  }
}

export function imagesTaken({ images, imagesGuess }: EnterRequest): number {
  return images + imagesGuess;
}

/** What is added to the windows at the end, when `made` is known. A negative amount is returned. */
export function imagesBeyond(request: EnterRequest, made: number): number {
  return Math.max(request.images, made) - imagesTaken(request);
}

function admits(rule: Rule, window: Window | undefined, request: EnterRequest): boolean {
  if (rule.dimension === 'amount') {
    const { money } = request;
    if (money === undefined) return true;
    if (rule.limit <= 0n && money.wantMicro > 0n) return false;
    return leftMicro(rule, window, money.creditsPerYuan) >= money.leastMicro;
  }
  if (rule.limit <= 0n) return false;
  const used = window === undefined ? 0n : window.used;
  if (used + amountTaken(rule.dimension, request) <= rule.limit) return true;
  // A call whose estimate alone is over the limit could never pass; it gets a fresh window for itself.
  return rule.dimension === 'tokens' && used === 0n;
}

/** Micro-Credits that are neither used nor held. Yuan are compared as Credits; the factor is whole. */
export function leftMicro(rule: Rule, window: Window | undefined, creditsPerYuan: number): bigint {
  if (window === undefined) return creditsMicro(rule.limit, creditsPerYuan);
  return creditsMicro(rule.limit - window.used, creditsPerYuan) - window.heldMicro;
}

function waitFor(
  rule: Rule,
  window: Window | undefined,
  money: MoneyRequest | undefined,
  nowMs: number,
): number {
  // Without a running window no wait helps, because the limit is smaller than the call: return the length.
  if (window === undefined) return rule.seconds * 1000;
  if (rule.dimension === 'amount' && rule.limit > 0n && money !== undefined) {
    const unusedMicro = creditsMicro(rule.limit - window.used, money.creditsPerYuan);
    // Running calls hold what is missing, and most of them return a part.
    if (unusedMicro >= money.leastMicro) return GUESS_MS;
  }
  return window.endsAtMs - nowMs;
}

/** The current state of a rule, without changing it. */
export function lookAt(
  rule: Rule,
  window: Window | undefined,
  terms: Pick<MoneyRequest, 'creditsPerYuan'>,
  nowMs: number,
): WindowLook {
  const { dimension, seconds, limit } = rule;
  const endsInMs = window === undefined ? undefined : window.endsAtMs - nowMs;
  return { dimension, seconds, limit, used: toldUsed(window, terms), endsInMs };
}

/** Held amounts count as used, because no other call can have them; in yuan, rounded up. */
function toldUsed(
  window: Window | undefined,
  money: Pick<MoneyRequest, 'creditsPerYuan'> | undefined,
): bigint {
  if (window === undefined) return 0n;
  if (window.heldMicro === 0n || money === undefined) return window.used;
  return window.used + yuanToBuyMicro(window.heldMicro, money.creditsPerYuan);
}
