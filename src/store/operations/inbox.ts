import { PAGE_SIZE_MAX } from '../../bounds.ts';
import { assert } from '../../kernel/assert.ts';
import type { FeedbackMessage, Inbox, NotFound, Registration } from '../../operations/admin-ports.ts';
import type { Actor, Listed } from '../../operations/contract.ts';
import { findRegistration, setRegistration } from '../accounts/registration.ts';
import { type Database, idNumber } from '../database.ts';
import { type AuditContext, audited, listAudit } from './audit.ts';

export function createInbox(audit: AuditContext): Inbox {
  const { database } = audit;
  return {
    feedback: (wanted) => listFeedback(database, wanted),
    setFeedback: (id, status, actor) => setFeedback(audit, id, { status, actor }),
    audit: (query) => listAudit(database, query),
    registration: () => findRegistration(database),
    setRegistration: (registration, actor) => changeRegistration(audit, registration, actor),
  };
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

type Set = { readonly kind: 'changed'; readonly message: FeedbackMessage };

function setFeedback(
  audit: AuditContext,
  id: number,
  { status, actor }: { readonly status: FeedbackMessage['status']; readonly actor: Actor },
): Promise<Set | NotFound> {
  return audited<Set, NotFound>(audit, actor, async (transaction) => {
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
async function changeRegistration(
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
