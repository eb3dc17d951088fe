import { PAGE_SIZE_MAX } from '../../bounds.ts';
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
  readonly createdAtMs: number;
}

interface FeedbackRow {
  readonly id: bigint;
  readonly account_id: bigint | null;
  readonly email: string | null;
  readonly content: string;
  readonly contact: string | null;
  readonly status: FeedbackMessage['status'];
  readonly created_at: Date;
}

const MESSAGES = `select feedback.id, account_id, email, content, contact, feedback.status, feedback.created_at
  from feedback left join accounts on accounts.id = account_id`;

/** Newest first. */
export async function listFeedback(
  database: Database,
  wanted: {
    readonly status: FeedbackMessage['status'] | undefined;
    readonly offset: number;
    readonly limit: number;
  },
): Promise<Listed<FeedbackMessage>> {
  const { offset, limit } = wanted;
  assert(limit >= 1 && limit <= PAGE_SIZE_MAX && offset >= 0, 'a page is bounded');
  const status = wanted.status ?? null;
  const rows = await database.query<FeedbackRow>(
    `${MESSAGES} where $1::text is null or feedback.status = $1 order by feedback.id desc limit $2 offset $3`,
    [status, limit, offset],
  );
  const [count] = await database.query<{ total: number }>(
    'select count(*)::int as total from feedback where $1::text is null or status = $1',
    [status],
  );
  return { items: rows.map(fromRow), total: count?.total ?? 0 };
}

function fromRow(row: FeedbackRow): FeedbackMessage {
  return {
    id: idNumber(row.id),
    accountId: row.account_id === null ? undefined : idNumber(row.account_id),
    email: row.email ?? undefined,
    content: row.content,
    contact: row.contact ?? undefined,
    status: row.status,
    createdAtMs: row.created_at.getTime(),
  };
}

type Changed = { readonly kind: 'changed'; readonly message: FeedbackMessage };

export function setFeedback(
  audit: AuditContext,
  id: number,
  status: FeedbackMessage['status'],
  actor: Actor,
): Promise<Changed | NotFound> {
  return audited<Changed, NotFound>(audit, actor, async (transaction) => {
    const find = `${MESSAGES} where feedback.id = $1 for update of feedback`;
    const [before] = await transaction.query<FeedbackRow>(find, [id]);
    if (before === undefined) return { kind: 'refused', refusal: { kind: 'not-found' } };
    await transaction.query('update feedback set status = $2 where id = $1', [id, status]);
    const message = { ...fromRow(before), status };
    const entry = {
      entity: 'feedback',
      key: String(id),
      before: { status: before.status },
      after: { status },
    };
    return { kind: 'done', result: { kind: 'changed', message }, entry };
  });
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
