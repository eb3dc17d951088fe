import { type Database, idNumber } from '../database.ts';
import { type Actor, type AuditContext, audited, type NotFound } from './audit.ts';
import { accountExists } from './operator-accounts.ts';

/** What an operator wrote down about an account. */
export interface AccountNote {
  readonly id: number;
  readonly text: string;
  /** Undefined: written at the terminal. */
  readonly author: string | undefined;
  readonly createdAtMs: number;
}

interface Row {
  readonly id: bigint;
  readonly text: string;
  readonly author: string | null;
  readonly created_at: Date;
}

const NOTES = `
  select account_notes.id, account_notes.text, authors.email as author, account_notes.created_at
  from account_notes left join accounts authors on authors.id = account_notes.author_account_id`;

/** The newest first. */
export async function listNotes(
  database: Database,
  accountId: number,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<{ readonly items: readonly AccountNote[]; readonly total: number }> {
  const rows = await database.query<Row>(
    `${NOTES} where account_notes.account_id = $1 order by account_notes.id desc limit $2 offset $3`,
    [accountId, limit, offset],
  );
  const [count] = await database.query<{ total: number }>(
    'select count(*)::int as total from account_notes where account_id = $1',
    [accountId],
  );
  return { items: rows.map(toNote), total: count?.total ?? 0 };
}

function toNote(row: Row): AccountNote {
  return {
    id: idNumber(row.id),
    text: row.text,
    author: row.author ?? undefined,
    createdAtMs: row.created_at.getTime(),
  };
}

type Added = { readonly kind: 'added'; readonly note: AccountNote };
type Removed = { readonly kind: 'removed' };

export function addNoteAudited(
  audit: AuditContext,
  { accountId, text }: { readonly accountId: number; readonly text: string },
  actor: Actor,
): Promise<Added | NotFound> {
  return audited<Added, NotFound>(audit, actor, async (transaction) => {
    if (!(await accountExists(transaction, accountId))) return NOT_FOUND;
    const [made] = await transaction.query<{ id: bigint }>(
      'insert into account_notes (account_id, author_account_id, text) values ($1, $2, $3) returning id',
      [accountId, actor.accountId ?? null, text],
    );
    const [row] = await transaction.query<Row>(`${NOTES} where account_notes.id = $1`, [made?.id]);
    if (row === undefined) return NOT_FOUND;
    const entry = { entity: 'accounts', key: String(accountId), before: null, after: { note: text } };
    return { kind: 'done', result: { kind: 'added', note: toNote(row) }, entry };
  });
}

export function removeNoteAudited(
  audit: AuditContext,
  { accountId, noteId }: { readonly accountId: number; readonly noteId: number },
  actor: Actor,
): Promise<Removed | NotFound> {
  return audited<Removed, NotFound>(audit, actor, async (transaction) => {
    const [gone] = await transaction.query<{ text: string }>(
      'delete from account_notes where account_id = $1 and id = $2 returning text',
      [accountId, noteId],
    );
    if (gone === undefined) return NOT_FOUND;
    const entry = { entity: 'accounts', key: String(accountId), before: { note: gone.text }, after: null };
    return { kind: 'done', result: { kind: 'removed' }, entry };
  });
}

const NOT_FOUND = { kind: 'refused', refusal: { kind: 'not-found' } } as const;
