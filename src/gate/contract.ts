import type { Funds } from '../accounts/contract.ts';
import type { Dimension, Policy } from '../catalog/contract.ts';

/**
 * Limits and holds as one contract (design.md 3). `enter` checks everything, then takes everything, or takes
 * nothing: concurrency slot, every window of the policy, the hold on Credits and on the monthly cap. Both
 * implementations run the same contract suite.
 *
 * Invariants:
 * - At limit L, of N simultaneous calls exactly min(N, L) enter.
 * - A refused call consumes nothing in any dimension.
 * - Windows start at first use of their dimension and run for their length; each stands alone.
 * - A slot older than SLOT_LIFETIME_MS is free again, whether or not anybody left.
 * - available Credits = committed − settled but not yet committed − held, and is never spent twice.
 */
export interface Gate {
  enter(request: EnterRequest): EnterResult | Promise<EnterResult>;
  /** Asks for `moreMicro` more on a running call's hold; answers what was granted, 0n when none is free. */
  extend(lease: Lease, moreMicro: bigint): bigint | Promise<bigint>;
  /** Ends the call: exactly once per lease. A second time is a programming error and is asserted. */
  leave(lease: Lease, actuals: Actuals): void | Promise<void>;
  /** The settler committed charges of this account: no longer pending; `funds` is what stands now. */
  settled(accountId: number, chargedMicro: bigint, funds: Funds): void | Promise<void>;
  /** Calls in progress, by our own count: for metrics, drain and tests. */
  readonly active: number;
}

export interface EnterRequest {
  readonly callId: string;
  readonly accountId: number;
  /** `account:12` or `key:34` (decisions.md 7), and the policy that counts there. */
  readonly scope: string;
  readonly policy: Policy | undefined;
  readonly inputTokens: number;
  readonly images: number;
  readonly videos: number;
  /** Nothing when nobody pays Credits (BYOK, covered by a subscription). */
  readonly hold: HoldRequest | undefined;
}

export interface HoldRequest {
  /** The account's funds as the caller knows them; a newer version replaces what the gate has. */
  readonly funds: Funds;
  /** The most the call may cost, in micro-Credits. */
  readonly wantMicro: bigint;
  /** Entering with less than this is refused: the input and one Credit more. */
  readonly leastMicro: bigint;
  /** Balance may be used too, at `creditsPerYuan`. */
  readonly autoExchange: boolean;
  readonly creditsPerYuan: number;
  /** Monthly cap in micro-yuan, 0 = none, and the month it is counted in. */
  readonly capMicro: bigint;
  readonly month: string;
}

export type EnterResult = Entered | GateRefused;

export interface Entered {
  readonly kind: 'entered';
  readonly lease: Lease;
}

export interface GateRefused {
  readonly kind: 'gate-refused';
  readonly reason: 'concurrency' | Dimension | 'credits' | 'cap';
  /** Counts; micro-yuan for `amount` and `cap`, micro-Credits for `credits`. */
  readonly limit: bigint;
  readonly used: bigint;
  /** Window length for a window, 0 otherwise. */
  readonly seconds: number;
  /** The true wait until no window refuses; for concurrency a guess of one second; 0 for credits and cap. */
  readonly retryAfterMs: number;
}

export interface Lease {
  readonly callId: string;
  readonly accountId: number;
  /** Micro-Credits held now; grows by `extend`. */
  heldMicro: bigint;
  /** What bounded the last grant, when less was granted than wanted: a stream is stopped for this reason. */
  shortOf?: 'credits' | 'cap' | undefined;
}

export interface Actuals {
  /** All tokens of the call: replaces the estimate in the token windows it was admitted under. */
  readonly tokens: number;
  /** Micro-yuan, whoever pays: counts into amount windows. */
  readonly amountMicro: bigint;
  /** Micro-Credits that the settler will take; pending until `settled`. */
  readonly chargeMicro: bigint;
  /** Images made. They count at entry and are not given back; those beyond what was asked for are added. */
  readonly images: number;
}
