import type { Funds } from '../accounts/contract.ts';
import { ACCOUNTS_CACHED_MAX } from '../bounds.ts';
import { assert } from '../kernel/assert.ts';
import type { Clock } from '../kernel/time/clock.ts';
import { BoundedMap } from './bounded-map.ts';
import type {
  Actuals,
  CoverageRequest,
  EnterRequest,
  EnterResult,
  Gate,
  GateRefused,
  Lease,
  Look,
  LookRequest,
  MoneyRequest,
  Overrun,
  ReholdResult,
  RememberedWindow,
  SettledCalls,
  WalletRequest,
  WindowLook,
} from './contract.ts';
import * as funds from './funds.ts';
import {
  countIn,
  grantAtEntry,
  grantMore,
  type Holding,
  holdIn,
  type MoneyWindow,
  moneyWindows,
  NO_MONEY_WINDOWS,
  releaseFrom,
} from './holding.ts';
import { MemoryLease } from './lease.ts';
import * as refusal from './refusal.ts';
import { Scope } from './scope.ts';
import { imagesBeyond, lookAt, type Rule, type Rules, toCoverageRules, toRules } from './window.ts';

export interface MemoryGateOptions {
  readonly clock: Clock;
  readonly accountsMax?: number;
}

/** The same contract, synchronous, so that the usual request path awaits nothing. */
export interface MemoryGate extends Gate {
  enter(request: EnterRequest): EnterResult;
  extend(lease: Lease, moreMicro: bigint): bigint;
  rehold(lease: Lease, money: MoneyRequest | undefined): ReholdResult;
  leave(lease: Lease, actuals: Actuals): void;
  settled(account: SettledCalls): void;
  covers(overrun: Overrun): boolean;
  look(request: LookRequest): Look;
  /** Loads stored windows that still run. Called before the first call enters. */
  restore(windows: readonly RememberedWindow[]): void;
  /** Removes slots whose call never left and windows that ended; for a timer. Counting does not need it. */
  sweep(): void;
  /** Scopes and accounts in memory. */
  readonly size: number;
}

export function createMemoryGate(options: MemoryGateOptions): MemoryGate {
  return new InMemoryGate(options);
}

class AccountWallet {
  recent = false;
  readonly wallet: funds.Wallet;

  constructor(known: Funds, month: string) {
    this.wallet = funds.openWallet(known, month);
  }

  isIdle(): boolean {
    return funds.isIdle(this.wallet);
  }
}

/**
 * The gate of a single process. Every method is synchronous from its first check to its last change, so no
 * other call can come between. It is always reachable, and the account it gets is the newest that this
 * process knows, so it never answers `stale`.
 */
class InMemoryGate implements MemoryGate {
  readonly #clock: Clock;
  readonly #scopes: BoundedMap<string, Scope>;
  readonly #accounts: BoundedMap<number, AccountWallet>;
  #active = 0;

  constructor(options: MemoryGateOptions) {
    this.#clock = options.clock;
    this.#scopes = new BoundedMap(options.accountsMax ?? ACCOUNTS_CACHED_MAX);
    this.#accounts = new BoundedMap(options.accountsMax ?? ACCOUNTS_CACHED_MAX);
  }

  get active(): number {
    return this.#active;
  }

  get size(): number {
    return this.#scopes.size + this.#accounts.size;
  }

  enter(request: EnterRequest): EnterResult {
    refusal.assertRequest(request);
    const nowMs = this.#clock.monotonic();
    const bounds = this.#boundsFor(request, 'all', nowMs);
    // Everything is checked before anything is taken: a refused call consumes nothing.
    const refused =
      refusal.checkConcurrency(bounds, request, nowMs) ?? this.#checkWindows(bounds, request, nowMs);
    if (refused !== undefined) return refused;
    const holding = request.money === undefined ? undefined : this.#findPayer(request, request.money, nowMs);
    if (holding?.kind === 'gate-refused') return holding;

    takeFrom(bounds, request, nowMs);
    const slots = bounds.map(({ scope }) => scope.slots.take(nowMs));
    const lease = new MemoryLease(request, bounds, slots);
    if (holding !== undefined) this.#hold(lease, holding, amountPots(bounds), nowMs);
    this.#active += 1;
    return { kind: 'entered', lease };
  }

  extend(lease: Lease, moreMicro: bigint): bigint {
    assert(lease instanceof MemoryLease && !lease.left, 'only a running call extends its hold');
    assert(lease.holding !== undefined, 'only a call that holds something extends it');
    assert(moreMicro >= 0n, 'an extension is not negative');
    return grantMore(lease, lease.holding, moreMicro, this.#clock.monotonic());
  }

  rehold(lease: Lease, terms: MoneyRequest | undefined): ReholdResult {
    assert(lease instanceof MemoryLease && !lease.left, 'only a running call changes its hold');
    const { holding, heldMicro } = lease;
    const nowMs = this.#clock.monotonic();
    // The old hold is released first, because the new one may need the same money.
    if (holding !== undefined) releaseFrom(holding, heldMicro, 0n);
    const refused = terms === undefined ? undefined : this.#holdAnew(lease, terms, nowMs);
    if (refused !== undefined) {
      if (holding !== undefined) holdIn(holding, heldMicro);
      return refused;
    }
    if (terms === undefined) {
      lease.holding = undefined;
      lease.heldMicro = 0n;
      lease.shortOf = undefined;
    }
    return { kind: 'reheld' };
  }

  leave(lease: Lease, actuals: Actuals): void {
    assert(lease instanceof MemoryLease, 'a lease returns to its gate');
    assert(!lease.left, `call ${lease.callId} leaves exactly once`);
    assert(actuals.tokens >= 0 && actuals.amountMicro >= 0n, 'a call consumes no less than 0');
    lease.left = true;
    this.#active -= 1;
    assert(this.#active >= 0, 'no more calls leave than entered');
    for (let index = 0; index < lease.slots.length; index++) {
      const slot = lease.slots[index];
      if (slot !== undefined) lease.bounds[index]?.scope.slots.free(slot);
    }
    const nowMs = this.#clock.monotonic();
    for (const bounds of lease.bounds) correctWindows(bounds, lease.request, actuals, nowMs);
    const { holding, heldMicro } = lease;
    assert(
      actuals.chargeMicro === 0n || holding?.wallet !== undefined,
      'a charged call has a hold of Credits',
    );
    if (holding === undefined) return;
    countIn(holding, actuals.amountMicro);
    releaseFrom(holding, heldMicro, actuals.chargeMicro);
  }

  settled({ accountId, calls, funds: now }: SettledCalls): void {
    // An account with pending charges is never removed, so an unknown account has nothing to settle here.
    const account = this.#accounts.find(accountId);
    if (account === undefined) return;
    for (const { chargeMicro, month } of calls) funds.settlePending(account.wallet, chargeMicro, month);
    funds.adoptFunds(account.wallet, now);
  }

  covers(overrun: Overrun): boolean {
    const account = this.#accounts.find(overrun.accountId);
    return account === undefined || funds.coversOverrun(account.wallet, overrun);
  }

  look({ scope, policy, coverage, creditsPerYuan }: LookRequest): Look {
    const nowMs = this.#clock.monotonic();
    // Reading does not create a scope.
    const lookIn = (name: string, rules: readonly Rule[]): readonly WindowLook[] => {
      const running = this.#scopes.find(name)?.lookUp(rules, nowMs);
      return rules.map((rule, index) => lookAt(rule, running?.[index], { creditsPerYuan }, nowMs));
    };
    const slots = this.#scopes.find(scope)?.slots;
    slots?.expire(nowMs);
    return {
      kind: 'look',
      concurrent: slots?.size ?? 0,
      windows: lookIn(scope, toRules(policy).all),
      coverage: coverage === undefined ? [] : lookIn(coverage.scope, toCoverageRules(coverage.windows)),
    };
  }

  restore(windows: readonly RememberedWindow[]): void {
    assert(this.#active === 0, 'windows are loaded before the first call');
    const nowMs = this.#clock.monotonic();
    for (const window of windows) this.#scopeFor(window.scope).restore(window, nowMs);
  }

  sweep(): void {
    const nowMs = this.#clock.monotonic();
    for (const scope of this.#scopes.values()) scope.sweep(nowMs);
  }

  #scopeFor(name: string): Scope {
    return this.#scopes.find(name) ?? this.#scopes.add(name, new Scope(name, this.#clock));
  }

  #walletFor(accountId: number, request: WalletRequest): funds.Wallet {
    const found = this.#accounts.find(accountId);
    const { wallet } =
      found ?? this.#accounts.add(accountId, new AccountWallet(request.funds, request.month));
    funds.adoptFunds(wallet, request.funds);
    funds.turnMonth(wallet, request.month);
    return wallet;
  }

  #coverFor(coverage: CoverageRequest, nowMs: number): refusal.Bounds {
    return refusal.boundsIn(this.#scopeFor(coverage.scope), toCoverageRules(coverage.windows), nowMs);
  }

  #boundsFor({ limits }: EnterRequest, which: keyof Rules, nowMs: number): readonly refusal.Bounds[] {
    return limits.map(({ scope, policy }) =>
      refusal.boundsIn(this.#scopeFor(scope), toRules(policy)[which], nowMs),
    );
  }

  #checkWindows(
    bounds: readonly refusal.Bounds[],
    request: EnterRequest,
    nowMs: number,
  ): GateRefused | undefined {
    const refused = refusal.checkWindows(bounds, request, nowMs);
    if (refused === undefined || request.money === undefined) return refused;
    const { coverage, wallet } = request.money;
    if (coverage === undefined || wallet !== undefined) return refused;
    // There is no other payer, so the coverage must open too before the call can enter.
    const uncovered = refusal.checkCover(this.#coverFor(coverage, nowMs), request, nowMs);
    return uncovered === undefined ? refused : refusal.waitAtLeast(refused, uncovered);
  }

  /** For the new terms of a running call. Its amount windows are looked up again: they may have ended. */
  #holdAnew(lease: MemoryLease, terms: MoneyRequest, nowMs: number): GateRefused | undefined {
    const request = { ...lease.request, money: terms };
    refusal.assertRequest(request);
    const bounds = this.#boundsFor(request, 'amounts', nowMs);
    const refused = this.#checkWindows(bounds, request, nowMs);
    if (refused !== undefined) return refused;
    const holding = this.#findPayer(request, terms, nowMs);
    if (holding.kind === 'gate-refused') return holding;
    takeFrom(bounds, request, nowMs);
    this.#hold(lease, holding, amountPots(bounds), nowMs);
    return undefined;
  }

  /** All checks passed: the call holds its part from now on. */
  #hold(lease: MemoryLease, payer: Holding, amounts: readonly MoneyWindow[], nowMs: number): void {
    const holding = amounts.length === 0 ? payer : { ...payer, windows: [...amounts, ...payer.windows] };
    lease.holding = holding;
    lease.heldMicro = 0n;
    lease.freeMicro = 0n;
    lease.shortOf = undefined;
    grantAtEntry(lease, holding, nowMs);
  }

  /**
   * The subscription if enough of it is left, otherwise the wallet. This is the last check, so coverage
   * windows start here, at their first use.
   */
  #findPayer(request: EnterRequest, terms: MoneyRequest, nowMs: number): Holding | GateRefused {
    const { coverage, wallet } = terms;
    let uncovered: GateRefused | undefined;
    if (coverage !== undefined) {
      const cover = this.#coverFor(coverage, nowMs);
      const { scope, rules, running } = cover;
      uncovered = refusal.checkCover(cover, request, nowMs);
      if (uncovered === undefined) {
        scope.take(rules, running, request, nowMs);
        const windows = moneyWindows('coverage', rules, running);
        return { kind: 'holding', terms, windows, wallet: undefined, month: '' };
      }
    }
    if (wallet !== undefined) {
      const known = this.#walletFor(request.accountId, wallet);
      const refused = refusal.checkWallet(known, wallet, terms);
      return (
        refused ?? { kind: 'holding', terms, windows: NO_MONEY_WINDOWS, wallet: known, month: known.month }
      );
    }
    assert(uncovered !== undefined, 'there is a payer or a refusal');
    return uncovered;
  }
}

function takeFrom(bounds: readonly refusal.Bounds[], request: EnterRequest, nowMs: number): void {
  for (const { scope, rules, running } of bounds) scope.take(rules, running, request, nowMs);
}

function amountPots(bounds: readonly refusal.Bounds[]): readonly MoneyWindow[] {
  let windows = NO_MONEY_WINDOWS;
  for (const { rules, running } of bounds) {
    const some = rules.length === 0 ? NO_MONEY_WINDOWS : moneyWindows('amount', rules, running);
    if (some.length > 0) windows = windows.length === 0 ? some : [...windows, ...some];
  }
  return windows;
}

/** Counts into the windows of the call's admission. Windows that have ended do not count. */
function correctWindows(
  { rules, running, scope }: refusal.Bounds,
  request: EnterRequest,
  actuals: Actuals,
  nowMs: number,
): void {
  for (let index = 0; index < rules.length; index++) {
    const rule = rules[index];
    if (rule === undefined) continue;
    if (rule.dimension === 'images') {
      const more = imagesBeyond(request, actuals.images);
      if (more === 0) continue;
      // The call produced some without expecting any, so it uses the dimension now.
      const window = running[index] ?? scope.runningOrNew(rule, nowMs);
      window.used += BigInt(more);
      running[index] = window;
    } else if (rule.dimension === 'tokens') {
      const window = running[index];
      if (window === undefined) continue;
      window.used += BigInt(actuals.tokens - request.inputTokens);
      assert(window.used >= 0n, 'a window never counts below 0');
    }
  }
}
