/** An answer of a vendor that is an error: kept whole, because it may be passed on unchanged. */
export interface VendorError {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export interface RouteFailure {
  /** For the call log: an HTTP status or the kind of failure. */
  readonly outcome: string;
  /** `limited` and `stopped` are of our own making and say nothing about the route. */
  readonly kind: 'vendor-error' | 'timeout' | 'broken' | 'limited' | 'stopped';
  readonly error: VendorError | undefined;
}

export type AttemptResult =
  /** The client has its answer, or as much of it as came, or went away; the call is settled. */
  | { readonly kind: 'answered'; readonly outcome: string }
  /** The vendor says that the request itself is wrong: it is passed on, no other route is asked. */
  | { readonly kind: 'rejected'; readonly error: VendorError }
  /** Nothing reached the client: the next route may try. */
  | { readonly kind: 'route-failed'; readonly failure: RouteFailure };
