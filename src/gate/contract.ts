import type { Funds } from '../accounts/contract.ts';
import type { CoverageWindow, Dimension, Policy } from '../catalog/contract.ts';

/**
 * Limits and holds as one contract (rule L-1). `enter` checks everything, then takes everything, or takes
 * nothing: concurrency slot, every window of the policy, and the money: what the call may cost at most is
 * held in every pot that bounds it, which are the amount windows of the policy and either the coverage of a
 * subscription or Credits and the monthly cap. All implementations run the same contract suite.
 *
 * Invariants:
 * - At limit L, of N simultaneous calls exactly min(N, L) enter.
 * - A refused call consumes nothing in any dimension.
 * - Windows start at first use of their dimension and run for their length; each stands alone.
 * - A slot older than SLOT_LIFETIME_MS is free again, whether or not anybody left.
 * - In every pot: used + held never passes the limit by a hold, and nothing is held twice.
 * - available Credits = committed − settled but not yet committed − held, and is never spent twice.
 */
export interface Gate {
  enter(request: EnterRequest): EnterResult | Promise<EnterResult>;
  /** Asks for `moreMicro` more on a running call's hold; answers what was granted, 0n when none is free. */
  extend(lease: Lease, moreMicro: bigint): bigint | Promise<bigint>;
  /**
   * Another model or another payer takes over the running call: its hold is dropped and one is taken on the
   * new terms, in one step. Refused: the old hold stands, and the call may still end. Slot and request
   * windows are not touched: it is the same call.
   */
  rehold(lease: Lease, money: MoneyRequest | undefined): ReholdResult | Promise<ReholdResult>;
  /** Ends the call: exactly once per lease. A second time is a programming error and is asserted. */
  leave(lease: Lease, actuals: Actuals): void | Promise<void>;
  /**
   * The store has committed these calls of one account: nothing of them is pending or held any longer, and
   * `funds` is what stands now. Said again for the same calls it changes nothing; recovery says it for calls
   * of a dead process, which this gate may still hold something for, or never have seen.
   */
  settled(account: SettledCalls): void | Promise<void>;
  /**
   * Whether what these calls cost beyond their holds can be taken without touching what other calls hold or
   * owe. True too when no other call holds or owes anything: then waiting would not help. A gate that cannot
   * be reached answers from what this process knows.
   */
  covers(overrun: Overrun): boolean | Promise<boolean>;
  /** What is used of limits now. It takes nothing and starts no window: people look, calls enter. */
  look(request: LookRequest): Look | GateAway | Promise<Look | GateAway>;
  /** Calls in progress, by our own count: for metrics, drain and tests. */
  readonly active: number;
}

export interface EnterRequest {
  readonly callId: string;
  readonly accountId: number;
  /** Of the snapshot the caller decided with; a gate that knows of a newer one answers `stale`. */
  readonly accountVersion: number;
  /**
   * How long ago the snapshot was read from the store. A gate that knows nothing of the account, because it
   * lost its memory, believes no funds that others may have spent since, and answers `stale`.
   */
  readonly accountAgeMs: number;
  /** The account's limits first, then those of its key (rule L-10): the call must pass all of them. */
  readonly limits: readonly ScopedPolicy[];
  readonly inputTokens: number;
  /** Asked for: they count at entry and are not given back. */
  readonly images: number;
  /**
   * Images that a call may make which asked for none, as a text call of a model that paints does. Taken at
   * entry too, so that no limit is passed, and given back as far as they were not made.
   */
  readonly imagesGuess: number;
  readonly videos: number;
  /** Nothing when the call costs nothing here (BYOK): amount windows do not concern it. */
  readonly money: MoneyRequest | undefined;
}

/** A policy, and where it counts: `account:12` or `key:34`. */
export interface ScopedPolicy {
  readonly scope: string;
  readonly policy: Policy | undefined;
}

/** What a call may cost, in micro-Credits, and who may pay. At least one payer is there. */
export interface MoneyRequest {
  /** The most that it may cost: never more than this is held. */
  readonly wantMicro: bigint;
  /** Entering with less than this in any pot is refused. */
  readonly leastMicro: bigint;
  /** A call that does not hold the most holds this much, or a quarter of what is free if that is more. */
  readonly shareMicro: bigint;
  /** The most is held if it is free. Otherwise a call takes its share, so that others find something too. */
  readonly wholeIfFree: boolean;
  /** Yuan limits (amount windows, coverage, cap) are compared as Credits: the factor is whole. */
  readonly creditsPerYuan: number;
  /** Tried first. When less than `leastMicro` of it is left, the wallet pays for the whole call. */
  readonly coverage: CoverageRequest | undefined;
  readonly wallet: WalletRequest | undefined;
}

/** Rule M-12: what a subscription pays for, by windows anchored at first use. */
export interface CoverageRequest {
  /** `subscription:55`: a new subscription begins with new windows. */
  readonly scope: string;
  readonly windows: readonly CoverageWindow[];
}

export interface WalletRequest {
  /** The account's funds as the caller knows them; a newer version replaces what the gate has. */
  readonly funds: Funds;
  /** Balance may be used too, at `creditsPerYuan`. */
  readonly autoExchange: boolean;
  /** Monthly cap in micro-yuan, 0 = none, and the month it is counted in. */
  readonly capMicro: bigint;
  readonly month: string;
}

export type EnterResult = Entered | GateRefused | GateStale | GateAway;
export type ReholdResult = { readonly kind: 'reheld' } | GateRefused | GateAway;

export interface Entered {
  readonly kind: 'entered';
  readonly lease: Lease;
}

/** The account was changed since the caller's snapshot: read it again, and decide again. */
export interface GateStale {
  readonly kind: 'stale';
}

/** The gate cannot be reached: nothing is known to be free, so nothing enters. */
export interface GateAway {
  readonly kind: 'gate-away';
  readonly retryAfterMs: number;
}

export interface GateRefused {
  readonly kind: 'gate-refused';
  readonly reason: 'concurrency' | Dimension | 'coverage' | 'credits' | 'cap';
  /** Counts; micro-yuan for `amount`, `coverage` and `cap`, micro-Credits for `credits`. */
  readonly limit: bigint;
  readonly used: bigint;
  /** Window length for a window, 0 otherwise. */
  readonly seconds: number;
  /**
   * The true wait until no window refuses. A guess of one second for concurrency, and for amount and coverage
   * when only what running calls hold stands in the way; 0 for credits and cap.
   */
  readonly retryAfterMs: number;
  /** Whose limit it is: `account:12`, `key:34` or `subscription:56`; nothing for `credits` and `cap`. */
  readonly scope: string | undefined;
  /** For `credits` and `cap`, micro-Credits: what is free, and what running calls hold. 0 otherwise. */
  readonly freeMicro: bigint;
  readonly heldMicro: bigint;
}

/** What bounded the last grant, when less was granted than wanted. */
export type Shortage = 'amount' | 'coverage' | 'credits' | 'cap';

export interface Lease {
  readonly callId: string;
  readonly accountId: number;
  /** Who pays, as the gate decided; `none` when there is no money to be held. `rehold` may change it. */
  readonly payer: 'subscription' | 'credits' | 'none';
  /** Micro-Credits held now in every pot; grows by `extend`. */
  readonly heldMicro: bigint;
  readonly shortOf: Shortage | undefined;
  /** Micro-Credits that were free beside the hold when the call entered, or was held for anew. */
  readonly freeMicro: bigint;
  /**
   * The calendar month in which the money is held, and in which the charge must count for the cap to hold. It
   * may be newer than the one the request named. Nothing when no wallet pays; `rehold` may change it.
   */
  readonly month: string | undefined;
  /** The balance was counted on as well: the charge may be taken from it. */
  readonly mayExchange: true | undefined;
  /** The monthly cap in micro-yuan that the hold was granted under, 0 = none. Nothing when no wallet pays. */
  readonly capMicro: bigint | undefined;
  /**
   * The windows that count this call, for the store to remember across a restart. Empty where the gate itself
   * outlives the process.
   */
  readonly windows: readonly LeasedWindow[];
}

export interface LeasedWindow {
  readonly scope: string;
  /** A coverage window is one of `amount` in its subscription's scope. */
  readonly dimension: Dimension;
  readonly seconds: number;
  /** By the wall clock: its identity, together with scope, dimension and length. */
  readonly startedAtMs: number;
}

export interface Actuals {
  /** All tokens of the call: replaces the estimate in the token windows it was admitted under. */
  readonly tokens: number;
  /** Micro-yuan, whoever pays: counts into amount and coverage windows. */
  readonly amountMicro: bigint;
  /** Micro-Credits that the settler will take; pending until `settled`. */
  readonly chargeMicro: bigint;
  /** Images made: those beyond what the call took at entry are added. */
  readonly images: number;
}

export interface SettledCalls {
  readonly accountId: number;
  readonly calls: readonly SettledCall[];
  readonly funds: Funds;
}

export interface SettledCall {
  readonly callId: string;
  readonly chargeMicro: bigint;
  /** Micro-yuan, whoever pays: counted by a gate that outlives processes when the call never left. */
  readonly amountMicro?: bigint;
}

/**
 * Ended calls of one account that cost more than they held and are not settled yet, with the terms of their
 * holds.
 */
export interface Overrun extends Pick<WalletRequest, 'autoExchange' | 'capMicro' | 'month'> {
  readonly accountId: number;
  readonly calls: readonly Pick<SettledCall, 'callId' | 'chargeMicro'>[];
  readonly creditsPerYuan: number;
}

/** A window as the store remembers it: given to a gate of memory when the process begins. */
export interface RememberedWindow extends LeasedWindow {
  /** A count, or micro-yuan for `amount`. */
  readonly used: bigint;
}

export interface LookRequest extends ScopedPolicy {
  readonly accountId: number;
  readonly coverage: CoverageRequest | undefined;
  readonly creditsPerYuan: number;
}

/** In the order of the policy and of the plan; of two windows with the same length the stricter one. */
export interface Look {
  readonly kind: 'look';
  /** Calls that hold a slot. */
  readonly concurrent: number;
  readonly windows: readonly WindowLook[];
  readonly coverage: readonly WindowLook[];
}

export interface WindowLook {
  readonly dimension: Dimension;
  readonly seconds: number;
  /** A count, or micro-yuan for `amount`. What running calls hold is told as used, rounded up. */
  readonly limit: bigint;
  readonly used: bigint;
  /** Nothing when the window has not begun: it begins at its next use. */
  readonly endsInMs: number | undefined;
}
