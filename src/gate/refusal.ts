import { yuanToBuyMicro } from '../catalog/price.ts';
import { assert } from '../kernel/assert.ts';
import type { EnterRequest, GateRefused, MoneyRequest, PurseRequest } from './contract.ts';
import { availableMicro, committedMicro, findUnderCapMicro, monthUsedMicro, type Purse } from './funds.ts';
import type { Scope } from './scope.ts';
import { findRefusal, GUESS_MS, type Rule, type Window } from './window.ts';

/** The windows of one scope that bound a call, as they stand: `running` is parallel to `rules`. */
export interface Bounds {
  readonly scope: Scope;
  readonly rules: readonly Rule[];
  readonly running: (Window | undefined)[];
}

export function boundsIn(scope: Scope, rules: readonly Rule[], nowMs: number): Bounds {
  return { scope, rules, running: scope.lookUp(rules, nowMs) };
}

export function checkConcurrency(
  scope: Scope,
  request: EnterRequest,
  nowMs: number,
): GateRefused | undefined {
  const limit = request.policy?.concurrency;
  if (limit === undefined) return undefined;
  const used = scope.slots.countAtLeast(limit, nowMs);
  if (used < limit) return undefined;
  return {
    kind: 'gate-refused',
    reason: 'concurrency',
    limit: BigInt(limit),
    used: BigInt(used),
    seconds: 0,
    retryAfterMs: GUESS_MS,
  };
}

export function checkWindows(bounds: Bounds, request: EnterRequest, nowMs: number): GateRefused | undefined {
  const refusal = findRefusal(bounds.rules, bounds.running, request, nowMs);
  if (refusal === undefined) return undefined;
  const { rule, used, retryAfterMs } = refusal;
  return {
    kind: 'gate-refused',
    reason: rule.dimension,
    limit: rule.limit,
    used,
    seconds: rule.seconds,
    retryAfterMs,
  };
}

export function checkCover(cover: Bounds, request: EnterRequest, nowMs: number): GateRefused | undefined {
  const refused = checkWindows(cover, request, nowMs);
  return refused === undefined ? undefined : { ...refused, reason: 'coverage' };
}

/** Credits first, then the cap. Credits are told in micro-Credits, the cap in micro-yuan. */
export function checkPurse(
  purse: Purse,
  request: PurseRequest,
  terms: MoneyRequest,
): GateRefused | undefined {
  const { leastMicro, creditsPerYuan } = terms;
  if (availableMicro(purse, request, creditsPerYuan) < leastMicro) {
    const used = purse.pendingMicro + purse.heldMicro;
    return refuseMoney('credits', committedMicro(purse, request, creditsPerYuan), used);
  }
  const underCap = findUnderCapMicro(purse, request, creditsPerYuan);
  if (underCap === undefined || underCap >= leastMicro) return undefined;
  const used = yuanToBuyMicro(monthUsedMicro(purse, creditsPerYuan), creditsPerYuan);
  return refuseMoney('cap', request.capMicro, used);
}

function refuseMoney(reason: 'credits' | 'cap', limit: bigint, used: bigint): GateRefused {
  return { kind: 'gate-refused', reason, limit, used, seconds: 0, retryAfterMs: 0 };
}

export function assertRequest(request: EnterRequest): void {
  assert(
    request.inputTokens >= 0 && request.images >= 0 && request.imagesGuess >= 0 && request.videos >= 0,
    'a call takes no less than 0',
  );
  if (request.money === undefined) return;
  const { wantMicro, leastMicro, coverage, purse } = request.money;
  assert(wantMicro >= 0n && leastMicro >= 0n, 'a hold is never negative');
  assert(coverage !== undefined || purse !== undefined, 'somebody may pay for a call that costs something');
}
