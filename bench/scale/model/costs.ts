/** What the parts of a call cost, as the simulation takes them. All are milliseconds of a processor. */
export interface Costs {
  readonly node: {
    readonly callMs: number;
    /** Of a turn of the event loop that has something to say to Redis. */
    readonly turnMs: number;
    /** Of each script call in which it is said. */
    readonly tripMs: number;
    /** Of an event of a stream that is passed on. */
    readonly eventMs: number;
  };
  readonly redis: {
    /** All operations of a call. */
    readonly callMs: number;
    readonly tripMs: number;
  };
  readonly postgres: {
    readonly callMs: number;
    readonly batchMs: number;
  };
  /** Of the benchmark itself, where its runs are repeated. */
  readonly harness: { readonly vendorMs: number; readonly clientMs: number };
}

/**
 * Shares of the operations of a call in what they cost Redis: entry of the account and of the credential,
 * their ends, the settlement (105, 62, 64, 36 and 8 of 275 µs; docs/performance.md, "Where the rest goes").
 */
export const GATE_SHARES = {
  enterAccount: 105 / 275,
  enterCredential: 62 / 275,
  leaveAccount: 64 / 275,
  leaveCredential: 36 / 275,
  settle: 8 / 275,
} as const;

/**
 * Settling is 7 % of a call in a profile (docs/performance.md). How the rest is spread over the steps of a
 * call was not measured: the simulation takes thirds.
 */
export const NODE_SHARES = { arrive: 0.31, forward: 0.31, answer: 0.31, settle: 0.07 } as const;
