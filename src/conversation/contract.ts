/**
 * What the gateway stores of conversations between calls, if a protocol requires it: answers of Responses by
 * their id, and what a client has no field for (signatures) by the id of its tool call or by its text. Every
 * value belongs to one account, is visible to it only, and is deleted when its time is over.
 */
export interface Conversations {
  /** Available at once in this process; the store follows soon. A later value replaces an earlier one. */
  keep(accountId: number, key: string, value: Buffer): void;
  /** Never fails: if the store is unreachable, nothing is found. */
  find(accountId: number, key: string): Buffer | undefined | Promise<Buffer | undefined>;
  /** True if there was something to delete. */
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
 * The persistent store of values, shared by all nodes. Throws `StoreUnavailable` while it is unreachable.
 */
export interface ConversationStore {
  /** Writes all of them, or none; a key occurs once. */
  write(values: readonly ConversationValue[]): Promise<void>;
  /** The values that exist and are newer than `sinceMs`, in any order. */
  read(keys: readonly ConversationKey[], sinceMs: number): Promise<readonly ConversationValue[]>;
  /** True if it existed. */
  remove(key: ConversationKey): Promise<boolean>;
  /** Deletes values as old as `beforeMs`, at most `limit`. Returns how many it deleted. */
  prune(beforeMs: number, limit: number): Promise<number>;
  /** Deletes the oldest values of accounts with too many or too large ones. Returns how many. */
  trim(accountIds: readonly number[], bounds: AccountBounds): Promise<number>;
}

export interface AccountBounds {
  readonly rowsMax: number;
  readonly bytesMax: number;
  /** Values deleted in one step. */
  readonly limit: number;
}
