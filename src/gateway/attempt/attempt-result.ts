import { NO_USAGE, type Usage } from '../../kernel/usage.ts';
import type { UpstreamFailure } from '../../upstream/contract.ts';

/** An error answer of a vendor. It is kept whole, because it may be passed on unchanged. */
export interface VendorError {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export interface RouteFailure {
  /** For the call log: an HTTP status or the kind of failure. */
  readonly outcome: string;
  /**
   * `limited` and `stopped` are caused by this process. `misfit` is an answer in another form or size than
   * requested, which the request can cause. None of the three says anything about the health of the route.
   */
  readonly kind: 'vendor-error' | 'timeout' | 'broken' | 'misfit' | 'limited' | 'stopped';
  readonly error: VendorError | undefined;
}

/**
 * The usage that the vendor reported with its refusal. A blocked image request costs input and reasoning too.
 */
export interface Spent {
  readonly usage: Usage;
  readonly estimated: boolean;
}

export const NOTHING_SPENT: Spent = Object.freeze({ usage: NO_USAGE, estimated: false });

export type AttemptResult =
  /** The client has its answer, a part of it, or has left. The call is settled. */
  | { readonly kind: 'answered'; readonly outcome: string }
  /** The vendor rejects the request itself: the error is passed on and no other route is tried. */
  | { readonly kind: 'rejected'; readonly error: VendorError; readonly spent: Spent }
  /** Nothing reached the client: the next route may be tried. */
  | { readonly kind: 'route-failed'; readonly failure: RouteFailure };

/** What a failure of the exchange means for the call. */
export const FAILURES: Readonly<Record<UpstreamFailure['kind'], RouteFailure['kind']>> = {
  busy: 'limited',
  connect: 'broken',
  timeout: 'timeout',
  idle: 'timeout',
  reset: 'broken',
  protocol: 'broken',
};
