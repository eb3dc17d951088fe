import type { Funds } from '../accounts/contract.ts';
import { ACCOUNTS_CACHED_MAX } from '../bounds.ts';
import { yuanToBuyMicro } from '../catalog/price.ts';
import { assert } from '../kernel/assert.ts';
import type { Clock } from '../kernel/clock.ts';
import { minMicro } from '../kernel/money.ts';
import type {
  Actuals,
  EnterRequest,
  EnterResult,
  Gate,
  GateRefused,
  HoldRequest,
  Lease,
} from './contract.ts';
import * as money from './funds.ts';
import { Roster } from './roster.ts';
import { type Slot, Slots } from './slots.ts';
import {
  findRefusal,
  lookUp,
  type Rule,
  rulesOf,
  startWindow,
  type Takes,
  takeWindows,
  type Window,
  type Windows,
} from './window.ts';

/** Nobody knows when a running call ends; a second is what clients retry after anyway. */
const CONCURRENCY_RETRY_MS = 1_000;

export interface MemoryGateOptions {
  readonly clock: Clock;
  readonly accountsMax?: number;
}

/** The same contract, synchronous: the steady request path awaits nothing. */
export interface MemoryGate extends Gate {
  enter(request: EnterRequest): EnterResult;
  extend(lease: Lease, moreMicro: bigint): bigint;
  leave(lease: Lease, actuals: Actuals): void;
  settled(accountId: number, chargedMicro: bigint, funds: Funds): void;
  /** Drops slots whose call never left; for a timer of ten seconds. Counting does not depend on it. */
  sweep(): void;
  /** Scopes and accounts remembered now. */
  readonly size: number;
}

export function createMemoryGate(options: MemoryGateOptions): MemoryGate {
  return new InMemoryGate(options);
}

class Scope {
  recent = false;
  readonly slots = new Slots();
  readonly windows: Windows = new Map();

  isIdle(): boolean {
    return this.slots.size === 0;
  }
}

class AccountPurse {
  recent = false;
  readonly purse: money.Purse;

  constructor(funds: Funds, month: string) {
    this.purse = money.openPurse(funds, month);
  }

  isIdle(): boolean {
    return money.isIdle(this.purse);
  }
}

interface Hold {
  readonly purse: money.Purse;
  readonly terms: HoldRequest;
  /** The month the call counts into. */
  readonly month: string;
}

/** A lease knows everything it took, so leaving needs no look-up and cannot hit the wrong call. */
class MemoryLease implements Lease {
  heldMicro = 0n;
  shortOf: 'credits' | 'cap' | undefined;
  left = false;
  hold: Hold | undefined;
  readonly request: EnterRequest;
  readonly scope: Scope;
  readonly slot: Slot;
  readonly rules: readonly Rule[];
  readonly windows: readonly (Window | undefined)[];

  constructor(request: EnterRequest, scope: Scope, slot: Slot, taken: Taken) {
    this.request = request;
    this.scope = scope;
    this.slot = slot;
    this.rules = taken.rules;
    this.windows = taken.windows;
  }

  get callId(): string {
    return this.request.callId;
  }

  get accountId(): number {
    return this.request.accountId;
  }
}

interface Taken {
  readonly rules: readonly Rule[];
  readonly windows: readonly (Window | undefined)[];
}

/**
 * The gate of a single process. Every method is synchronous from its first check to its last change, which is
 * what makes it atomic: no other call can come between.
 */
class InMemoryGate implements MemoryGate {
  readonly #clock: Clock;
  readonly #scopes: Roster<string, Scope>;
  readonly #accounts: Roster<number, AccountPurse>;
  #active = 0;

  constructor(options: MemoryGateOptions) {
    this.#clock = options.clock;
    this.#scopes = new Roster(options.accountsMax ?? ACCOUNTS_CACHED_MAX);
    this.#accounts = new Roster(options.accountsMax ?? ACCOUNTS_CACHED_MAX);
  }

  get active(): number {
    return this.#active;
  }

  get size(): number {
    return this.#scopes.size + this.#accounts.size;
  }

  enter(request: EnterRequest): EnterResult {
    const nowMs = this.#clock.monotonic();
    const scope = this.#scopes.find(request.scope) ?? this.#scopes.add(request.scope, new Scope());
    const takes = takesOf(request, nowMs);
    const rules = rulesOf(request.policy);
    const windows = lookUp(scope.windows, rules, nowMs);
    const purse = request.hold === undefined ? undefined : this.#purseFor(request.accountId, request.hold);
    // Everything is checked before anything is taken: a refused call consumes nothing.
    const refused =
      checkConcurrency(scope, request, nowMs) ??
      checkWindows(rules, windows, takes) ??
      checkHold(purse, request.hold);
    if (refused !== undefined) return refused;

    takeWindows(scope.windows, rules, windows, takes);
    const lease = new MemoryLease(request, scope, scope.slots.take(nowMs), { rules, windows });
    if (request.hold !== undefined && purse !== undefined) {
      lease.hold = { purse, terms: request.hold, month: purse.month };
      grant(lease, lease.hold, request.hold.wantMicro);
    }
    this.#active += 1;
    return { kind: 'entered', lease };
  }

  extend(lease: Lease, moreMicro: bigint): bigint {
    assert(lease instanceof MemoryLease && !lease.left, 'only a running call extends its hold');
    assert(lease.hold !== undefined, 'only a call that holds something extends it');
    assert(moreMicro >= 0n, 'more is not less');
    const { hold } = lease;
    if (hold.month !== hold.purse.month && hold.terms.capMicro > 0n) {
      // What the month gone by had left is no longer known, and the cap is a hard bound.
      lease.shortOf = 'cap';
      return 0n;
    }
    return grant(lease, hold, moreMicro);
  }

  leave(lease: Lease, actuals: Actuals): void {
    assert(lease instanceof MemoryLease, 'a lease comes back to the gate that gave it');
    assert(!lease.left, `call ${lease.callId} leaves exactly once`);
    lease.left = true;
    this.#active -= 1;
    assert(this.#active >= 0, 'no more calls leave than entered');
    lease.scope.slots.free(lease.slot);
    correctWindows(lease, actuals, this.#clock.monotonic());
    if (lease.hold === undefined) {
      assert(actuals.chargeMicro === 0n, 'who is charged had a hold');
      return;
    }
    money.release(lease.hold.purse, lease.heldMicro, actuals.chargeMicro, lease.hold.month);
  }

  settled(accountId: number, chargedMicro: bigint, funds: Funds): void {
    // An account with something pending is never forgotten, so a stranger has nothing to settle here.
    const account = this.#accounts.find(accountId);
    if (account === undefined) return;
    money.settlePending(account.purse, chargedMicro);
    money.adoptFunds(account.purse, funds);
  }

  sweep(): void {
    const nowMs = this.#clock.monotonic();
    for (const scope of this.#scopes.values()) scope.slots.expire(nowMs);
  }

  #purseFor(accountId: number, hold: HoldRequest): money.Purse {
    const found = this.#accounts.find(accountId);
    const { purse } = found ?? this.#accounts.add(accountId, new AccountPurse(hold.funds, hold.month));
    money.adoptFunds(purse, hold.funds);
    money.turnMonth(purse, hold.month);
    return purse;
  }
}

function takesOf(request: EnterRequest, nowMs: number): Takes {
  assert(
    request.inputTokens >= 0 && request.images >= 0 && request.videos >= 0,
    'a call takes no less than 0',
  );
  return {
    tokens: BigInt(request.inputTokens),
    images: BigInt(request.images),
    videos: BigInt(request.videos),
    nowMs,
  };
}

function checkConcurrency(scope: Scope, request: EnterRequest, nowMs: number): GateRefused | undefined {
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
    retryAfterMs: CONCURRENCY_RETRY_MS,
  };
}

function checkWindows(
  rules: readonly Rule[],
  running: readonly (Window | undefined)[],
  takes: Takes,
): GateRefused | undefined {
  const refusal = findRefusal(rules, running, takes);
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

/** Credits first, then the cap. Credits are told in micro-Credits, the cap in micro-yuan. */
function checkHold(
  purse: money.Purse | undefined,
  request: HoldRequest | undefined,
): GateRefused | undefined {
  if (purse === undefined || request === undefined) return undefined;
  assert(request.wantMicro >= 0n && request.leastMicro >= 0n, 'a hold is never negative');
  if (money.availableMicro(purse, request) < request.leastMicro) {
    const used = purse.pendingMicro + purse.heldMicro;
    return refuseHold('credits', money.committedMicro(purse, request), used);
  }
  const underCap = money.findUnderCapMicro(purse, request);
  if (underCap === undefined || underCap >= request.leastMicro) return undefined;
  const used = yuanToBuyMicro(money.monthUsedMicro(purse, request), request.creditsPerYuan);
  return refuseHold('cap', request.capMicro, used);
}

function refuseHold(reason: 'credits' | 'cap', limit: bigint, used: bigint): GateRefused {
  return { kind: 'gate-refused', reason, limit, used, seconds: 0, retryAfterMs: 0 };
}

/** Grants what is free of what is wanted, and says on the lease what bounded it. */
function grant(lease: MemoryLease, hold: Hold, wantMicro: bigint): bigint {
  const free = money.freeNow(hold.purse, hold.terms);
  const granted = free.amountMicro <= 0n ? 0n : minMicro(wantMicro, free.amountMicro);
  lease.shortOf = granted < wantMicro ? free.bound : undefined;
  lease.heldMicro += granted;
  money.hold(hold.purse, granted, hold.month);
  return granted;
}

/** Into the windows the call was admitted under: an ended one is nobody's any more. */
function correctWindows(lease: MemoryLease, actuals: Actuals, nowMs: number): void {
  assert(actuals.tokens >= 0 && actuals.amountMicro >= 0n, 'a call consumes no less than 0');
  const { request, rules, windows, scope } = lease;
  for (let index = 0; index < rules.length; index++) {
    const rule = rules[index];
    if (rule === undefined) continue;
    let window = windows[index];
    if (rule.dimension === 'images') {
      // Images count at entry and are not given back; those made beyond what was asked are added.
      const more = actuals.images - request.images;
      if (more <= 0) continue;
      // Who asked for none and made some uses the dimension now.
      window ??= lookUp(scope.windows, [rule], nowMs)[0] ?? startWindow(scope.windows, rule, nowMs);
      window.used += BigInt(more);
    } else if (window !== undefined) {
      if (rule.dimension === 'tokens') window.used += BigInt(actuals.tokens - request.inputTokens);
      else if (rule.dimension === 'amount') window.used += actuals.amountMicro;
      assert(window.used >= 0n, 'a window never counts below 0');
    }
  }
}
