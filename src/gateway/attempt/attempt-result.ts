import { NO_USAGE, type Usage } from '../../kernel/usage.ts';
import type { UpstreamFailure } from '../../upstream/contract.ts';

/** An answer of a vendor that is an error: kept whole, because it may be passed on unchanged. */
export interface VendorError {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export interface RouteFailure {
  /** For the call log: an HTTP status or the kind of failure. */
  readonly outcome: string;
  /**
   * `limited` and `stopped` are of our own making. `misfit` is a vendor's answer in another form or size than
   * was asked for, which a request can bring about. None of the three says anything about the route.
   */
  readonly kind: 'vendor-error' | 'timeout' | 'broken' | 'misfit' | 'limited' | 'stopped';
  readonly error: VendorError | undefined;
}

/** What the vendor reported beside its refusal: a blocked picture was read and thought about all the same. */
export interface Spent {
  readonly usage: Usage;
  readonly estimated: boolean;
}

export const NOTHING_SPENT: Spent = Object.freeze({ usage: NO_USAGE, estimated: false });

export type AttemptResult =
  /** The client has its answer, or as much of it as came, or went away; the call is settled. */
  | { readonly kind: 'answered'; readonly outcome: string }
  /** The vendor says that the request itself is wrong: it is passed on, no other route is asked. */
  | { readonly kind: 'rejected'; readonly error: VendorError; readonly spent: Spent }
  /** Nothing reached the client: the next route may try. */
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
