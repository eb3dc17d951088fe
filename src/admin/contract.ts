import type { EntryJson } from '../catalog/entry-json.ts';

/** Who writes. The terminal of the server is nobody's account: whoever sits there has the database anyway. */
export interface Actor {
  /** Nothing: somebody at the terminal. */
  readonly accountId: number | undefined;
  readonly address: string;
  /** The name of the endpoint or the command: `vendors.update`. */
  readonly action: string;
}

/** What a write did to one thing, as the audit log tells it. Secrets are masked when it is written. */
export interface AuditEntry {
  readonly entity: string;
  readonly key: string;
  /** Nothing: it was not there. */
  readonly before: EntryJson | null;
  readonly after: EntryJson | null;
}

/** What a write answers: its result with what is to be recorded, or why nothing was done. */
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

/** A page of anything. */
export interface Listed<Item> {
  readonly items: readonly Item[];
  readonly total: number;
}
