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
