/**
 * What the gateway remembers of conversations between calls, where a protocol leaves that to us: answers of
 * Responses by their id, and what a Chat client has no field for (signatures) by the id of its tool call.
 * Every value belongs to one account and is found by nobody else; it is forgotten when its time is over.
 */
export interface Conversations {
  /** Remembers at once, for this process; the store follows soon. A later value replaces an earlier one. */
  keep(accountId: number, key: string, value: Buffer): void;
  /** Never fails: a store that is away has forgotten. */
  find(accountId: number, key: string): Buffer | undefined | Promise<Buffer | undefined>;
  /** True when there was something to forget. */
  forget(accountId: number, key: string): Promise<boolean>;
}

export interface ConversationKey {
  readonly accountId: number;
  readonly key: string;
}

export interface ConversationValue extends ConversationKey {
  readonly value: Buffer;
  readonly createdAtMs: number;
}

/**
 * Where values stay when the process has forgotten them; shared by all nodes. Throws `StoreUnavailable` while
 * it is away.
 */
export interface ConversationStore {
  /** All of them, or none; a key occurs once. */
  write(values: readonly ConversationValue[]): Promise<void>;
  /** What was found of them and is younger than `sinceMs`, in any order. */
  read(keys: readonly ConversationKey[], sinceMs: number): Promise<readonly ConversationValue[]>;
  /** True when it was there. */
  remove(key: ConversationKey): Promise<boolean>;
  /** Forgets what is as old as `beforeMs`, at most `limit` values; tells how many it forgot. */
  prune(beforeMs: number, limit: number): Promise<number>;
  /** Forgets the oldest values of accounts that have too many, or too large ones; tells how many. */
  trim(accountIds: readonly number[], bounds: AccountBounds): Promise<number>;
}

export interface AccountBounds {
  readonly rowsMax: number;
  readonly bytesMax: number;
  /** Values forgotten in one step. */
  readonly limit: number;
}
