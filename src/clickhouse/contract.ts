/** How far the sending is, as the store has it for all nodes. */
export interface SinkState {
  /** Every call with a number up to this one was sent. */
  readonly sentTo: number;
  /** The last number of a batch that was begun and is not known to have ended. */
  readonly sendingTo: number | undefined;
}

/** The calls after one number, up to and including another. */
export interface SinkRange {
  readonly after: number;
  readonly to: number;
}

/** One call as it is sent: a JSON object without a line end. */
export interface SinkLine {
  readonly number: number;
  readonly json: string;
}

/**
 * The last number given to a call, and a mark by which the store knows whether all transactions have ended
 * that may still write calls with lower numbers.
 */
export interface SinkFence {
  readonly lastNumber: number;
  readonly mark: bigint;
}

/** What operators see. */
export interface SinkReport {
  readonly sentCalls: number;
  /** Numbers that were given to calls and not sent. They may have gaps: it is at most this many calls. */
  readonly lagCalls: number;
  /** Since the last time at which all that was settled had been sent. */
  readonly lagSeconds: number;
  readonly holder: string | undefined;
  readonly failure: string | undefined;
}

/** The durable part of the sink. A change says from which state it starts, and is refused from another. */
export interface SinkStore {
  /** From now on the log keeps calls that were not sent. */
  register(): Promise<void>;
  /** Takes or extends the right to send. Undefined: somebody else has it, or the row was deleted. */
  take(holder: string, leaseMs: number): Promise<SinkState | undefined>;
  release(holder: string): Promise<void>;
  fence(): Promise<SinkFence>;
  /** All calls up to the fence are committed, or never will be. */
  isPast(fence: SinkFence): Promise<boolean>;
  /** Calls of the range in the order of their numbers, at most so many. */
  read(range: SinkRange, callsMax: number): Promise<readonly SinkLine[]>;
  /** Writes down which batch is sent next. False: somebody else went on. */
  begin(range: SinkRange): Promise<boolean>;
  /** The range was sent, or has no calls. False: somebody else went on. */
  advance(range: SinkRange, calls: number): Promise<boolean>;
  /** All that was settled when the fence was set, which is so long ago, was sent. */
  caughtUp(agoMs: number): Promise<void>;
  failed(reason: string): Promise<void>;
  /** Undefined: the sink was never used, or was forgotten. */
  report(): Promise<SinkReport | undefined>;
  /** The log no longer waits for ClickHouse. Returns whether there was anything to forget. */
  forget(): Promise<boolean>;
}
