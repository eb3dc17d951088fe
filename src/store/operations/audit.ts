import { PAGE_SIZE_MAX } from '../../bounds.ts';
import type { EntryJson } from '../../catalog/entry-json.ts';
import { assert } from '../../kernel/assert.ts';
import { masked } from '../../kernel/encoding/mask.ts';
import type { Sealer } from '../../kernel/encoding/seal.ts';
import type { Logger } from '../../kernel/log.ts';
import type { Clock } from '../../kernel/time/clock.ts';
import { ADDRESS_CHARS_MAX } from '../../operations/bounds.ts';
import { announceAndWait } from '../changes.ts';
import { type Database, idNumber, type Listed } from '../database.ts';

/** What writes by operators need. The context of an operation has it. */
export interface AuditContext {
  readonly database: Database;
  readonly sealer: Sealer;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Who makes a change. The terminal of the server has no account: it has access to the database anyway. */
export interface Actor {
  /** Undefined: the terminal. */
  readonly accountId: number | undefined;
  readonly address: string;
  /** The name of the operation or the command: `vendors.update`. */
  readonly action: string;
}

/** A change of one thing, as in the audit log. Secrets are masked when it is written. */
export interface AuditEntry {
  readonly entity: string;
  readonly key: string;
  /** Null: it did not exist. */
  readonly before: EntryJson | null;
  readonly after: EntryJson | null;
}

/** The outcome of a write: its result and the entry to record, or why nothing was done. */
export type Outcome<Result, Refusal> =
  | { readonly kind: 'done'; readonly result: Result; readonly entry: AuditEntry | readonly AuditEntry[] }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

export type NotFound = { readonly kind: 'not-found' };

/** Carries a refusal out of the transaction, which then rolls back. */
class Refused<Refusal> extends Error {
  override readonly name = 'Refused';
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super('the write was refused');
    this.refusal = refusal;
  }
}

/**
 * The only way operators write: the work and its record in the audit log are one transaction, and when this
 * returns the change is in force on every node that answers in time. Without an actor, an account writes what
 * is its own, which is not recorded.
 */
export async function audited<Result, Refusal>(
  { database, log }: AuditContext,
  actor: Actor | undefined,
  work: (transaction: Database) => Promise<Outcome<Result, Refusal>>,
): Promise<Result | Refusal> {
  const written = database.transaction(async (transaction) => {
    const outcome = await work(transaction);
    if (outcome.kind === 'refused') throw new Refused(outcome.refusal);
    if (actor !== undefined) {
      for (const entry of [outcome.entry].flat()) await record(transaction, actor, entry);
    }
    return outcome.result;
  });
  try {
    const result = await written;
    if ((await announceAndWait(database)) === 'late') {
      log.warn({}, 'a server has not confirmed a change in time; it takes effect there with a delay');
    }
    return result;
  } catch (error) {
    if (error instanceof Refused) return error.refusal as Refusal;
    throw error;
  }
}

/** For writes that are not an operator's request, inside their own transaction. */
export async function record(transaction: Database, actor: Actor, entry: AuditEntry): Promise<void> {
  await transaction.query(
    `insert into audit_log (at, actor_account_id, address, action, entity, entity_key, before, after)
     values (statement_timestamp(), $1, $2, $3, $4, $5, $6, $7)`,
    [
      actor.accountId ?? null,
      actor.address.slice(0, ADDRESS_CHARS_MAX),
      actor.action,
      entry.entity,
      entry.key,
      jsonColumn(entry.before),
      jsonColumn(entry.after),
    ],
  );
}

function jsonColumn(value: EntryJson | null): string | null {
  return value === null ? null : JSON.stringify(masked(value));
}

interface AuditRow {
  readonly id: bigint;
  readonly at: Date;
  readonly actor_account_id: bigint | null;
  readonly email: string | null;
  readonly address: string;
  readonly action: string;
  readonly entity: string;
  readonly entity_key: string;
  readonly before: EntryJson | null;
  readonly after: EntryJson | null;
}

/** The account that an entry is about. Migration 022 has an index for it. */
const ACCOUNT = `coalesce(after ->> 'account_id', before ->> 'account_id',
  case when entity in ('accounts', 'funds', 'sessions') then entity_key end)`;

export interface AuditQuery {
  readonly actorAccountId: number | undefined;
  readonly entity: string | undefined;
  readonly entityKey: string | undefined;
  readonly action: string | undefined;
  /** The account that was changed, or that owns what was changed. */
  readonly accountId: number | undefined;
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

/** Newest first. */
export async function listAudit(database: Database, query: AuditQuery): Promise<Listed<AuditRecord>> {
  assert(query.limit >= 1 && query.limit <= PAGE_SIZE_MAX && query.offset >= 0, 'a page is bounded');
  const { matches, values } = toConditions(query);
  const [limit, offset] = [values.length + 1, values.length + 2];
  const rows = await database.query<AuditRow>(
    `select audit_log.id, at, actor_account_id, email, address, action, entity, entity_key, before, after
     from audit_log left join accounts on accounts.id = actor_account_id
     where ${matches} order by audit_log.id desc limit $${limit} offset $${offset}`,
    [...values, query.limit, query.offset],
  );
  const [count] = await database.query<{ total: number }>(
    `select count(*)::int as total from audit_log where ${matches}`,
    values,
  );
  return { items: rows.map(recordFromRow), total: count?.total ?? 0 };
}

/** Only what is asked for, so that its index is used. */
function toConditions(query: AuditQuery): {
  readonly matches: string;
  readonly values: readonly (string | number)[];
} {
  const asked = [
    ['actor_account_id', query.actorAccountId],
    ['entity', query.entity],
    ['entity_key', query.entityKey],
    ['action', query.action],
    [ACCOUNT, query.accountId?.toString()],
  ] as const;
  const given = asked.flatMap(([column, value]) => (value === undefined ? [] : [{ column, value }]));
  return {
    matches: ['true', ...given.map(({ column }, at) => `${column} = $${at + 1}`)].join(' and '),
    values: given.map(({ value }) => value),
  };
}

function recordFromRow(row: AuditRow): AuditRecord {
  return {
    id: idNumber(row.id),
    atMs: row.at.getTime(),
    actorAccountId: row.actor_account_id === null ? undefined : idNumber(row.actor_account_id),
    actorEmail: row.email ?? undefined,
    address: row.address,
    action: row.action,
    entity: row.entity,
    key: row.entity_key,
    before: row.before,
    after: row.after,
  };
}
