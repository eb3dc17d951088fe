import { DIMENSIONS, type Dimension, type Policy, type PolicyWindow } from '../catalog/contract.ts';
import { assert } from '../kernel/assert.ts';

/**
 * One running window. It ends by itself; the next use makes a new object, so a late correction of a call that
 * was admitted under an old window touches only the old object and never its successor.
 */
export interface Window {
  readonly endsAtMs: number;
  used: bigint;
}

/** The windows of one scope, by the rule's key: each dimension and length stands alone. */
export type Windows = Map<number, Window>;

/** A window of a policy with what is looked up on every call. */
export interface Rule extends PolicyWindow {
  /** One number for dimension and length. */
  readonly key: number;
}

/** What a call takes from each dimension when it enters, and when that is. */
export interface Takes {
  readonly tokens: bigint;
  readonly images: bigint;
  readonly videos: bigint;
  readonly nowMs: number;
}

export interface WindowRefusal {
  readonly rule: Rule;
  readonly used: bigint;
  readonly retryAfterMs: number;
}

const NO_RULES: readonly Rule[] = Object.freeze([]);
const rulesByPolicy = new WeakMap<Policy, readonly Rule[]>();

/** The policy's windows in its order. Of two with the same dimension and length the stricter one counts. */
export function rulesOf(policy: Policy | undefined): readonly Rule[] {
  if (policy === undefined) return NO_RULES;
  const known = rulesByPolicy.get(policy);
  if (known !== undefined) return known;
  const rules = new Map<number, Rule>();
  for (const { dimension, seconds, limit } of policy.windows) {
    assert(seconds > 0, 'a window has a length');
    const key = seconds * DIMENSIONS.length + DIMENSIONS.indexOf(dimension);
    const twin = rules.get(key);
    if (twin === undefined || limit < twin.limit) rules.set(key, { dimension, seconds, limit, key });
  }
  const made = Object.freeze([...rules.values()]);
  rulesByPolicy.set(policy, made);
  return made;
}

/** The running windows, parallel to `rules`: one look-up per rule serves both the check and the taking. */
export function lookUp(windows: Windows, rules: readonly Rule[], nowMs: number): (Window | undefined)[] {
  const running: (Window | undefined)[] = [];
  for (const rule of rules) {
    const window = windows.get(rule.key);
    running.push(window !== undefined && nowMs < window.endsAtMs ? window : undefined);
  }
  return running;
}

/**
 * The first rule, in the policy's order, that does not admit the call. The wait is that of the last window to
 * open: waiting it out is enough, whichever rule gave the reason.
 */
export function findRefusal(
  rules: readonly Rule[],
  running: readonly (Window | undefined)[],
  takes: Takes,
): WindowRefusal | undefined {
  let refusal: WindowRefusal | undefined;
  for (let index = 0; index < rules.length; index++) {
    const rule = rules[index];
    if (rule === undefined || !uses(rule.dimension, takes)) continue;
    const window = running[index];
    const used = window === undefined ? 0n : window.used;
    if (admits(rule, used, takes)) continue;
    // Without a running window no wait helps, for the limit is smaller than the call: tell the length.
    const waitMs = window === undefined ? rule.seconds * 1000 : window.endsAtMs - takes.nowMs;
    if (refusal === undefined) refusal = { rule, used, retryAfterMs: waitMs };
    else if (waitMs > refusal.retryAfterMs) refusal = { ...refusal, retryAfterMs: waitMs };
  }
  return refusal;
}

/** Every call uses requests, tokens and amount; images and videos only those that ask for some. */
function uses(dimension: Dimension, takes: Takes): boolean {
  if (dimension === 'images') return takes.images > 0n;
  if (dimension === 'videos') return takes.videos > 0n;
  return true;
}

function admits(rule: Rule, used: bigint, takes: Takes): boolean {
  if (rule.limit <= 0n) return false;
  if (rule.dimension === 'amount') return used < rule.limit;
  if (used + takeOf(rule.dimension, takes) <= rule.limit) return true;
  // A call whose estimate alone is over the limit could never pass; it has a fresh window for itself.
  return rule.dimension === 'tokens' && used === 0n;
}

/**
 * Takes from every rule the call uses, and starts the windows of which this is the first use. Afterwards
 * `running` holds exactly the windows the call was admitted under.
 */
export function takeWindows(
  windows: Windows,
  rules: readonly Rule[],
  running: (Window | undefined)[],
  takes: Takes,
): void {
  for (let index = 0; index < rules.length; index++) {
    const rule = rules[index];
    if (rule === undefined) continue;
    if (!uses(rule.dimension, takes)) {
      running[index] = undefined;
      continue;
    }
    const window = running[index] ?? startWindow(windows, rule, takes.nowMs);
    if (rule.dimension !== 'amount') window.used += takeOf(rule.dimension, takes);
    running[index] = window;
  }
}

export function startWindow(windows: Windows, rule: Rule, nowMs: number): Window {
  const started: Window = { endsAtMs: nowMs + rule.seconds * 1000, used: 0n };
  windows.set(rule.key, started);
  return started;
}

function takeOf(dimension: Dimension, takes: Takes): bigint {
  switch (dimension) {
    case 'requests':
      return 1n;
    case 'tokens':
      return takes.tokens;
    case 'images':
      return takes.images;
    case 'videos':
      return takes.videos;
    case 'amount':
      return 0n;
  }
}
