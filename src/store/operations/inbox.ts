import { PAGE_SIZE_MAX } from '../../bounds.ts';
import type { EntryJson } from '../../catalog/entry-json.ts';
import { assert } from '../../kernel/assert.ts';
import { findRegistration, type Registration, setRegistration } from '../accounts/registration.ts';
import { type Database, idNumber, type Listed } from '../database.ts';
import { type Actor, type AuditContext, audited, type NotFound } from './audit.ts';

export interface FeedbackMessage {
  readonly id: number;
  /** Undefined: sent without a login. */
  readonly accountId: number | undefined;
  readonly email: string | undefined;
  readonly content: string;
  readonly contact: string | undefined;
  readonly status: 'open' | 'done';
  /** Undefined: nobody answered. */
  readonly answer: { readonly text: string; readonly atMs: number } | undefined;
  readonly createdAtMs: number;
}

interface FeedbackRow {
  readonly id: bigint;
  readonly account_id: bigint | null;
  readonly email: string | null;
  readonly content: string;
  readonly contact: string | null;
  readonly status: FeedbackMessage['status'];
  readonly answer: string | null;
  readonly answered_at: Date | null;
  readonly created_at: Date;
}

const MESSAGES = `select feedback.id, account_id, email, content, contact, feedback.status, answer, answered_at,
    feedback.created_at
  from feedback left join accounts on accounts.id = account_id`;

interface Excerpt {
  readonly offset: number;
  readonly limit: number;
}

/** Newest first. */
export function listFeedback(
  database: Database,
  { status, ...page }: Excerpt & { readonly status: FeedbackMessage['status'] | undefined },
): Promise<Listed<FeedbackMessage>> {
  const matches = '$1::text is null or feedback.status = $1';
  return pageOfFeedback(database, { matches, value: status ?? null, page });
}

/** What an account sent itself, newest first. */
export function listOwnFeedback(
  database: Database,
  accountId: number,
  page: Excerpt,
): Promise<Listed<FeedbackMessage>> {
  return pageOfFeedback(database, { matches: 'account_id = $1', value: accountId, page });
}

interface FeedbackQuestion {
  readonly matches: string;
  readonly value: string | number | null;
  readonly page: Excerpt;
}

async function pageOfFeedback(
  database: Database,
  { matches, value, page: { offset, limit } }: FeedbackQuestion,
): Promise<Listed<FeedbackMessage>> {
  assert(limit >= 1 && limit <= PAGE_SIZE_MAX && offset >= 0, 'a page is bounded');
  const rows = await database.query<FeedbackRow>(
    `${MESSAGES} where ${matches} order by feedback.id desc limit $2 offset $3`,
    [value, limit, offset],
  );
  const [count] = await database.query<{ total: number }>(
    `select count(*)::int as total from feedback where ${matches}`,
    [value],
  );
  return { items: rows.map(fromRow), total: count?.total ?? 0 };
}

function fromRow(row: FeedbackRow): FeedbackMessage {
  const { answer, answered_at: answeredAt } = row;
  return {
    id: idNumber(row.id),
    accountId: row.account_id === null ? undefined : idNumber(row.account_id),
    email: row.email ?? undefined,
    content: row.content,
    contact: row.contact ?? undefined,
    status: row.status,
    answer: answer === null || answeredAt === null ? undefined : { text: answer, atMs: answeredAt.getTime() },
    createdAtMs: row.created_at.getTime(),
  };
}

type Changed = { readonly kind: 'changed'; readonly message: FeedbackMessage };

export interface FeedbackChange {
  readonly status?: FeedbackMessage['status'] | undefined;
  /** Null takes the answer back. Undefined leaves it. */
  readonly answer?: string | null | undefined;
}

const CHANGE = `update feedback set status = $2, answer = $3,
  answered_at = case when $3::text is null then null when answer = $3 then answered_at
    else statement_timestamp() end
  where id = $1`;

export function setFeedback(
  audit: AuditContext,
  id: number,
  change: FeedbackChange,
  actor: Actor,
): Promise<Changed | NotFound> {
  return audited<Changed, NotFound>(audit, actor, async (transaction) => {
    const find = `${MESSAGES} where feedback.id = $1`;
    const [before] = await transaction.query<FeedbackRow>(`${find} for update of feedback`, [id]);
    if (before === undefined) return { kind: 'refused', refusal: { kind: 'not-found' } };
    const { status = before.status, answer = before.answer } = change;
    await transaction.query(CHANGE, [id, status, answer]);
    const [after] = await transaction.query<FeedbackRow>(find, [id]);
    assert(after !== undefined, 'the row is locked');
    const entry = {
      entity: 'feedback',
      key: String(id),
      before: toAuditState(before),
      after: toAuditState(after),
    };
    return { kind: 'done', result: { kind: 'changed', message: fromRow(after) }, entry };
  });
}

function toAuditState({ account_id, status, answer }: FeedbackRow): EntryJson {
  return { account_id: account_id === null ? null : idNumber(account_id), status, answer };
}

/** Wrapped for the way through the audit log: nothing is a value here, not a refusal. */
export async function changeRegistration(
  audit: AuditContext,
  registration: Registration,
  actor: Actor,
): Promise<Registration> {
  await audited(audit, actor, async (transaction) => {
    const before = { registration: (await findRegistration(transaction)) ?? null };
    await setRegistration(transaction, registration);
    const after = { registration: registration ?? null };
    return { kind: 'done', result: after, entry: { entity: 'registration', key: 'platform', before, after } };
  });
  return registration;
}
