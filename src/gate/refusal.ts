import { yuanToBuyMicro } from '../catalog/price.ts';
import { assert } from '../kernel/assert.ts';
import type { EnterRequest, GateRefused, MoneyRequest, WalletRequest } from './contract.ts';
import { availableMicro, committedMicro, findUnderCapMicro, monthUsedMicro, type Wallet } from './funds.ts';
import type { Scope } from './scope.ts';
import { findRefusal, GUESS_MS, type Rule, type Window, type WindowRefusal } from './window.ts';

/** A refusal without details. */
const REFUSED = Object.freeze({
  kind: 'gate-refused',
  seconds: 0,
  retryAfterMs: 0,
  scope: undefined,
  freeMicro: 0n,
  heldMicro: 0n,
});

/** The current windows of one scope that bound a call: `running` is parallel to `rules`. */
export interface Bounds {
  readonly scope: Scope;
  readonly rules: readonly Rule[];
  readonly running: (Window | undefined)[];
}

export function boundsIn(scope: Scope, rules: readonly Rule[], nowMs: number): Bounds {
  return { scope, rules, running: scope.lookUp(rules, nowMs) };
}

/** `bounds` is parallel to the limits of the request. */
export function checkConcurrency(
  bounds: readonly Bounds[],
  { limits }: EnterRequest,
  nowMs: number,
): GateRefused | undefined {
  for (let index = 0; index < limits.length; index++) {
    const limit = limits[index]?.policy?.concurrency;
    const scope = bounds[index]?.scope;
    if (limit === undefined || scope === undefined) continue;
    const used = scope.slots.countAtLeast(limit, nowMs);
    if (used < limit) continue;
    return {
      ...REFUSED,
      reason: 'concurrency',
      limit: BigInt(limit),
      used: BigInt(used),
      retryAfterMs: GUESS_MS,
      scope: scope.name,
    };
  }
  return undefined;
}

/** The first rule that refuses the call, and the wait until the last one admits it. */
export function checkWindows(
  bounds: readonly Bounds[],
  request: EnterRequest,
  nowMs: number,
): GateRefused | undefined {
  let refused: GateRefused | undefined;
  for (let index = 0; index < bounds.length; index++) {
    const one = bounds[index];
    if (one === undefined || one.rules.length === 0) continue;
    const refusal = findRefusal(one.rules, one.running, request, nowMs);
    if (refusal === undefined) continue;
    refused = refused === undefined ? refuseWindow(one.scope, refusal) : waitAtLeast(refused, refusal);
  }
  return refused;
}

function refuseWindow({ name: scope }: Scope, { rule, used, retryAfterMs }: WindowRefusal): GateRefused {
  const { dimension: reason, limit, seconds } = rule;
  return { ...REFUSED, reason, limit, used, seconds, retryAfterMs, scope };
}

export function waitAtLeast(
  refused: GateRefused,
  { retryAfterMs }: Pick<GateRefused, 'retryAfterMs'>,
): GateRefused {
  return retryAfterMs > refused.retryAfterMs ? { ...refused, retryAfterMs } : refused;
}

export function checkCover(cover: Bounds, request: EnterRequest, nowMs: number): GateRefused | undefined {
  const refused = checkWindows([cover], request, nowMs);
  return refused === undefined ? undefined : { ...refused, reason: 'coverage' };
}

/** Credits first, then the cap. Credits are in micro-Credits, the cap in micro-yuan. */
export function checkWallet(
  wallet: Wallet,
  request: WalletRequest,
  terms: MoneyRequest,
): GateRefused | undefined {
  const { leastMicro, creditsPerYuan } = terms;
  const freeMicro = availableMicro(wallet, request, creditsPerYuan);
  const { pendingMicro, heldMicro } = wallet;
  if (freeMicro < leastMicro) {
    const limit = committedMicro(wallet, request, creditsPerYuan);
    return { ...REFUSED, reason: 'credits', limit, used: pendingMicro + heldMicro, freeMicro, heldMicro };
  }
  const underCap = findUnderCapMicro(wallet, request, creditsPerYuan);
  if (underCap === undefined || underCap >= leastMicro) return undefined;
  const used = yuanToBuyMicro(monthUsedMicro(wallet, creditsPerYuan), creditsPerYuan);
  return { ...REFUSED, reason: 'cap', limit: request.capMicro, used, freeMicro: underCap, heldMicro };
}

export function assertRequest(request: EnterRequest): void {
  assert(request.limits.length > 0, 'every call counts against its account');
  assert(
    request.inputTokens >= 0 && request.images >= 0 && request.imagesGuess >= 0 && request.videos >= 0,
    'a call takes no less than 0',
  );
  if (request.money === undefined) return;
  const { wantMicro, leastMicro, shareMicro, coverage, wallet } = request.money;
  assert(wantMicro >= 0n && leastMicro >= 0n, 'a hold is never negative');
  assert(shareMicro >= leastMicro, 'a share is at least what a call needs to enter');
  assert(coverage !== undefined || wallet !== undefined, 'a call that costs something has a payer');
}
