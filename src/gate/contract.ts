import type { Funds } from '../accounts/contract.ts';
import type { CoverageWindow, Dimension, Policy } from '../catalog/contract.ts';

/**
 * Limits and holds as one contract (rule L-1). `enter` checks everything, then takes everything, or takes
 * nothing: the concurrency slot, every window of the policy, and the money. The maximum cost of the call is
 * held in every pot that bounds it: the amount windows of the policy, and either the coverage of a
 * subscription or Credits and the monthly cap. All implementations run the same contract suite.
 *
 * Invariants:
 * - At limit L, of N simultaneous calls exactly min(N, L) enter.
 * - A refused call consumes nothing in any dimension.
 * - Windows start at first use of their dimension and run for their length, independently of each other.
 * - A slot older than SLOT_LIFETIME_MS is free again, also if its call never left.
 * - In every pot, used + held never exceeds the limit because of a hold, and nothing is held twice.
 * - available Credits = committed − settled but not yet committed − held, and is never spent twice.
 */
export interface Gate {
  enter(request: EnterRequest): EnterResult | Promise<EnterResult>;
  /** Asks for `moreMicro` more on the hold of a running call. Returns the grant, 0n if nothing is free. */
  extend(lease: Lease, moreMicro: bigint): bigint | Promise<bigint>;
  /**
   * Another model or another payer takes over the running call: its hold is dropped and a new one is taken on
   * the new terms, in one step. If refused, the old hold stays, and the call may still end. Slot and request
   * windows do not change: it is the same call.
   */
  rehold(lease: Lease, money: MoneyRequest | undefined): ReholdResult | Promise<ReholdResult>;
  /** Ends the call, exactly once per lease. A second time is a programming error and is asserted. */
  leave(lease: Lease, actuals: Actuals): void | Promise<void>;
  /**
   * The store has committed these calls of one account: nothing of them is pending or held any longer, and
   * `funds` is the new state. A repetition for the same calls changes nothing. Recovery sends it for calls of
   * a dead process, for which this gate may still have holds, or which it has never seen.
   */
  settled(account: SettledCalls): void | Promise<void>;
  /**
   * Whether the cost of these calls beyond their holds can be taken without using what other calls hold or
   * owe. Also true if no other call holds or owes anything: then waiting would not help. If the gate is
   * unreachable, it answers from what this process knows.
   */
  covers(overrun: Overrun): boolean | Promise<boolean>;
  /** Reads the current use of limits. It takes nothing and starts no window. */
  look(request: LookRequest): Look | GateAway | Promise<Look | GateAway>;
  /** Running calls, as counted by this process: for metrics, drain and tests. */
  readonly active: number;
}

/** A gate that counts for several processes. */
export interface SharedGate extends Gate {
  enter(request: EnterRequest): Promise<EnterResult>;
  /**
   * Enters if another call of this process enters, and otherwise takes nothing. That call must have asked
   * right before, at any gate of the same server, so that both are decided at once. `not-tried`: it did not
   * enter, or the server could not decide both at once.
   */
  enterBeside(callId: string, request: EnterRequest): Promise<EnterResult | NotTried>;
  /** The call is not made: everything that it took is returned. */
  cancel(lease: Lease): Promise<void>;
}

export interface EnterRequest {
  readonly callId: string;
  readonly accountId: number;
  /** The version of the snapshot that the caller used. A gate with a newer one answers `stale`. */
  readonly accountVersion: number;
  /**
   * The age of the snapshot. A gate without data of the account, because it lost its memory, does not trust
   * old funds, which others may have spent since, and answers `stale`.
   */
  readonly accountAgeMs: number;
  /** The account's limits first, then those of its key (rule L-10). The call must pass all of them. */
  readonly limits: readonly ScopedPolicy[];
  readonly inputTokens: number;
  /** Requested images and videos. They count at entry and are not returned. */
  readonly images: number;
  /**
   * Images that a call may produce without requesting them, as a text call of a model that also makes images.
   * They are taken at entry too, so that no limit is exceeded, and returned if they were not produced.
   */
  readonly imagesGuess: number;
  readonly videos: number;
  /** Undefined if the call costs nothing here (BYOK). Amount windows do not apply to it. */
  readonly money: MoneyRequest | undefined;
}

/** A policy and the scope that it counts in: `account:12` or `key:34`. */
export interface ScopedPolicy {
  readonly scope: string;
  readonly policy: Policy | undefined;
}

/** What a call may cost, in micro-Credits, and who may pay. There is at least one payer. */
export interface MoneyRequest {
  /** The maximum cost. No more than this is held. */
  readonly wantMicro: bigint;
  /** With less than this in any pot, the call is refused. */
  readonly leastMicro: bigint;
  /** If not the maximum, a call holds this much, or a quarter of what is free if that is more. */
  readonly shareMicro: bigint;
  /** Hold the maximum if it is free. Otherwise a call takes its share, so that others find something too. */
  readonly wholeIfFree: boolean;
  /** Yuan limits (amount windows, coverage, cap) are compared as Credits. The factor is a whole number. */
  readonly creditsPerYuan: number;
  /** Tried first. If less than `leastMicro` of it is left, the wallet pays for the whole call. */
  readonly coverage: CoverageRequest | undefined;
  readonly wallet: WalletRequest | undefined;
}

/** Rule M-12: what a subscription pays for, in windows anchored at first use. */
export interface CoverageRequest {
  /** For example `subscription:55`. A new subscription begins with new windows. */
  readonly scope: string;
  readonly windows: readonly CoverageWindow[];
}

export interface WalletRequest {
  /** The account's funds as the caller knows them. A newer version replaces that of the gate. */
  readonly funds: Funds;
  /** Balance may be used too, at `creditsPerYuan`. */
  readonly autoExchange: boolean;
  /** Monthly cap in micro-yuan, 0 = none, and its month. */
  readonly capMicro: bigint;
  readonly month: string;
}

export type EnterResult = Entered | GateRefused | GateStale | GateAway;
export type ReholdResult = { readonly kind: 'reheld' } | GateRefused | GateAway;

export interface Entered {
  readonly kind: 'entered';
  readonly lease: Lease;
}

/** The account has changed since the caller's snapshot. Read it again and decide again. */
export interface GateStale {
  readonly kind: 'stale';
}

export interface NotTried {
  readonly kind: 'not-tried';
}

/** The gate is unreachable, so no call enters. */
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
   * The time until no window refuses. One second as a guess for concurrency, and for amount and coverage when
   * only the holds of running calls are in the way; 0 for credits and cap.
   */
  readonly retryAfterMs: number;
  /** The scope of the limit: `account:12`, `key:34` or `subscription:56`; none for `credits` and `cap`. */
  readonly scope: string | undefined;
  /** For `credits` and `cap`, micro-Credits: what is free, and what running calls hold. 0 otherwise. */
  readonly freeMicro: bigint;
  readonly heldMicro: bigint;
}

/** The bound of the last grant, if less was granted than wanted. */
export type Shortage = 'amount' | 'coverage' | 'credits' | 'cap';

export interface Lease {
  readonly callId: string;
  readonly accountId: number;
  /** The payer, as decided by the gate; `none` if no money is held. `rehold` may change it. */
  readonly payer: 'subscription' | 'credits' | 'none';
  /** Micro-Credits held now in every pot; grows by `extend`. */
  readonly heldMicro: bigint;
  readonly shortOf: Shortage | undefined;
  /** Micro-Credits that were free beside the hold when the call entered, or at the last `rehold`. */
  readonly freeMicro: bigint;
  /**
   * The month in which the money is held, and in which the charge must count for the cap to hold. It may be
   * newer than that of the request. Undefined if no wallet pays; `rehold` may change it.
   */
  readonly month: string | undefined;
  /** The hold includes balance, so the charge may be taken from it. */
  readonly mayExchange: true | undefined;
  /** The monthly cap in micro-yuan of the hold, 0 = none. Undefined if no wallet pays. */
  readonly capMicro: bigint | undefined;
  /**
   * The windows that count this call, for the store to keep across a restart. Empty if the gate itself
   * outlives the process.
   */
  readonly windows: readonly LeasedWindow[];
}

export interface LeasedWindow {
  readonly scope: string;
  /** A coverage window is an `amount` window in the scope of its subscription. */
  readonly dimension: Dimension;
  readonly seconds: number;
  /** By the wall clock. It identifies the window, together with scope, dimension and length. */
  readonly startedAtMs: number;
}

export interface Actuals {
  /** All tokens of the call. They replace the estimate in the token windows of its admission. */
  readonly tokens: number;
  /** Micro-yuan, for any payer: counts into amount and coverage windows. */
  readonly amountMicro: bigint;
  /** Micro-Credits that the settler will take; pending until `settled`. */
  readonly chargeMicro: bigint;
  /** Images produced. Those beyond the number taken at entry are added. */
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
  /** The month of its hold; undefined if Credits did not pay. */
  readonly month?: string | undefined;
  /** Micro-yuan, for any payer: counted by a gate that outlives processes if the call never left. */
  readonly amountMicro?: bigint;
}

/**
 * Ended calls of one account that cost more than they held and are not settled yet, with the terms of their
 * holds.
 */
export interface Overrun extends Pick<WalletRequest, 'autoExchange' | 'capMicro' | 'month'> {
  readonly accountId: number;
  readonly calls: readonly Pick<SettledCall, 'callId' | 'chargeMicro' | 'month'>[];
  readonly creditsPerYuan: number;
}

/** A window as stored, given to the gate in memory when the process starts. */
export interface RememberedWindow extends LeasedWindow {
  /** A count, or micro-yuan for `amount`. */
  readonly used: bigint;
}

export interface LookRequest extends ScopedPolicy {
  readonly accountId: number;
  readonly coverage: CoverageRequest | undefined;
  readonly creditsPerYuan: number;
}

/** In the order of the policy and of the plan. Of two windows with the same length, the stricter one. */
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
  /** A count, or micro-yuan for `amount`. It includes what running calls hold, rounded up. */
  readonly limit: bigint;
  readonly used: bigint;
  /** Undefined if the window has not begun: it begins at its next use. */
  readonly endsInMs: number | undefined;
}
