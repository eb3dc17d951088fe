import type { EntryJson } from '../catalog/entry-json.ts';

/** Who makes a change. The terminal of the server has no account: it has access to the database anyway. */
export interface Actor {
  /** Undefined: the terminal. */
  readonly accountId: number | undefined;
  readonly address: string;
  /** The name of the endpoint or the command: `vendors.update`. */
  readonly action: string;
}

/** A change of one thing, as in the audit log. Secrets are masked when it is written. */
export interface AuditEntry {
  readonly entity: string;
  readonly key: string;
  /** Undefined: it did not exist. */
  readonly before: EntryJson | null;
  readonly after: EntryJson | null;
}

/** The outcome of a write: its result and the entry to record, or why nothing was done. */
export type Outcome<Result, Refusal> =
  | { readonly kind: 'done'; readonly result: Result; readonly entry: AuditEntry }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

export interface AuditQuery {
  readonly actorAccountId: number | undefined;
  readonly entity: string | undefined;
  readonly entityKey: string | undefined;
  readonly action: string | undefined;
  readonly offset: number;
  readonly limit: number;
}

export interface AuditRecord extends AuditEntry {
  readonly id: number;
  readonly atMs: number;
  readonly actorAccountId: number | undefined;
  readonly actorEmail: string | undefined;
  readonly address: string;
  readonly action: string;
}

/** A page of any list. */
export interface Listed<Item> {
  readonly items: readonly Item[];
  readonly total: number;
}
