export interface KeptKey {
  readonly accountId: number;
  readonly key: string;
}

export interface KeptValue extends KeptKey {
  readonly value: Buffer;
  readonly createdAtMs: number;
}

/**
 * Where values stay when the process has forgotten them; shared by all nodes. Throws `StoreUnavailable` while
 * it is away.
 */
export interface ConversationStore {
  /** All of them, or none; a key occurs once. */
  write(values: readonly KeptValue[]): Promise<void>;
  /** What was found of them and is younger than `sinceMs`, in any order. */
  read(keys: readonly KeptKey[], sinceMs: number): Promise<readonly KeptValue[]>;
  /** True when it was there. */
  remove(key: KeptKey): Promise<boolean>;
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
