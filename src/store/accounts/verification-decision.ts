import type { VerificationFields, VerificationKind } from '../../accounts/views.ts';
import { PAGE_SIZE_MAX } from '../../bounds.ts';
import { assert } from '../../kernel/assert.ts';
import type { Sealer } from '../../kernel/encoding/seal.ts';
import { formatMicro } from '../../kernel/money.ts';
import { type Database, idNumber, type Listed } from '../database.ts';
import { postMovement } from '../ledger/movement.ts';
import { type Actor, type AuditContext, audited, type NotFound } from '../operations/audit.ts';
import { touchAccount } from './accounts.ts';
import { type DocumentRow, openDocument } from './verifications.ts';

export interface FoundVerification extends VerificationFields {
  readonly id: number;
  readonly accountId: number;
  readonly email: string;
  readonly kind: VerificationKind;
  readonly status: 'pending' | 'approved' | 'refused';
  readonly reason: string | undefined;
  readonly grantedMicro: bigint;
  readonly createdAtMs: number;
  readonly decidedAtMs: number | undefined;
}

export interface VerificationSearch {
  readonly status: FoundVerification['status'] | undefined;
  readonly accountId?: number | undefined;
  readonly offset: number;
  readonly limit: number;
}

interface VerificationRow extends DocumentRow {
  readonly email: string;
  readonly kind: FoundVerification['kind'];
  readonly fields: { readonly name: string; readonly contact?: string | null };
  readonly status: FoundVerification['status'];
  readonly reason: string | null;
  readonly granted_micro: bigint;
  readonly created_at: Date;
  readonly decided_at: Date | null;
}

const COLUMNS = `verifications.id, account_id, email, kind, fields, document_sealed, verifications.status, reason,
  granted_micro, verifications.created_at, decided_at`;
const JOINED = 'verifications join accounts on accounts.id = verifications.account_id';
const MATCHES = '($1::text is null or verifications.status = $1) and ($2::bigint is null or account_id = $2)';

/** Newest first. */
export async function listVerifications(
  database: Database,
  { status, accountId, offset, limit }: VerificationSearch,
  sealer: Sealer,
): Promise<Listed<FoundVerification>> {
  assert(limit >= 1 && limit <= PAGE_SIZE_MAX && offset >= 0, 'a page is bounded');
  const filters = [status ?? null, accountId ?? null];
  const rows = await database.query<VerificationRow>(
    `select ${COLUMNS} from ${JOINED} where ${MATCHES} order by verifications.id desc limit $3 offset $4`,
    [...filters, limit, offset],
  );
  const [count] = await database.query<{ total: number }>(
    `select count(*)::int as total from verifications where ${MATCHES}`,
    filters,
  );
  return { items: rows.map((row) => fromRow(row, sealer)), total: count?.total ?? 0 };
}

async function findVerification(
  transaction: Database,
  verificationId: number,
  sealer: Sealer,
): Promise<FoundVerification | undefined> {
  // A concurrent decision waits here, and then finds it decided.
  const [row] = await transaction.query<VerificationRow>(
    `select ${COLUMNS} from ${JOINED} where verifications.id = $1 for update of verifications`,
    [verificationId],
  );
  return row === undefined ? undefined : fromRow(row, sealer);
}

function fromRow(row: VerificationRow, sealer: Sealer): FoundVerification {
  return {
    id: idNumber(row.id),
    accountId: idNumber(row.account_id),
    email: row.email,
    kind: row.kind,
    name: row.fields.name,
    documentNumber: openDocument(row, sealer),
    contact: row.fields.contact ?? undefined,
    status: row.status,
    reason: row.reason ?? undefined,
    grantedMicro: row.granted_micro,
    createdAtMs: row.created_at.getTime(),
    decidedAtMs: row.decided_at?.getTime(),
  };
}

export type Decision =
  | { readonly kind: 'approve' }
  /** The account sees the reason. */
  | { readonly kind: 'refuse'; readonly reason: string };

type Decided = { readonly kind: 'decided'; readonly verification: FoundVerification };
type DecisionRefusal = NotFound | { readonly kind: 'decided-before' };

/**
 * An approval grants the free Credits of its kind, once per account. Of several decisions about one
 * verification the first counts. The others find it decided.
 */
export function decideVerification(
  audit: AuditContext,
  verificationId: number,
  decision: Decision,
  actor: Actor,
): Promise<Decided | DecisionRefusal> {
  return audited<Decided, DecisionRefusal>(audit, actor, async (transaction) => {
    // The account first, as in a submission, so that there are no deadlocks.
    await transaction.query(
      `select id from accounts where id = (select account_id from verifications where id = $1)
       for no key update`,
      [verificationId],
    );
    const before = await findVerification(transaction, verificationId, audit.sealer);
    if (before === undefined) return { kind: 'refused', refusal: { kind: 'not-found' } };
    if (before.status !== 'pending') return { kind: 'refused', refusal: { kind: 'decided-before' } };
    const grantedMicro = decision.kind === 'approve' ? await approve(transaction, before) : 0n;
    await transaction.query(
      `update verifications set status = $2, reason = $3, granted_micro = $4,
         decided_at = statement_timestamp(), decided_by = $5 where id = $1`,
      [
        verificationId,
        decision.kind === 'approve' ? 'approved' : 'refused',
        decision.kind === 'approve' ? null : decision.reason,
        grantedMicro,
        actor.accountId ?? null,
      ],
    );
    const after = await findVerification(transaction, verificationId, audit.sealer);
    assert(after !== undefined, 'verifications are never deleted');
    const entry = {
      entity: 'verifications',
      key: String(verificationId),
      before: state(before),
      after: state(after),
    };
    return { kind: 'done', result: { kind: 'decided', verification: after }, entry };
  });
}

/** Personal data does not go into the audit log. */
function state({ accountId, kind, status, reason, grantedMicro }: FoundVerification) {
  return { account_id: accountId, kind, status, reason: reason ?? null, granted: formatMicro(grantedMicro) };
}

const LEVELS = { personal: 1, enterprise: 2 } as const;

/** The level is in force for the next call. Free Credits of a kind are granted once per account. */
async function approve(transaction: Database, { accountId, kind }: FoundVerification): Promise<bigint> {
  const isThere = await touchAccount(transaction, accountId);
  assert(isThere, 'a verification belongs to an account');
  await transaction.query('update accounts set user_type = greatest(user_type, $2) where id = $1', [
    accountId,
    LEVELS[kind],
  ]);
  const granted = await transaction.query(
    `select 1 from verifications where account_id = $1 and kind = $2 and granted_micro > 0 limit 1`,
    [accountId, kind],
  );
  const grantMicro = granted.length > 0 ? 0n : await readGrant(transaction, kind);
  if (grantMicro === 0n) return 0n;
  const ref = `verification: ${kind}`;
  await postMovement(transaction, {
    accountId,
    kind: 'grant',
    pool: 'credits',
    changeMicro: grantMicro,
    ref,
  });
  return grantMicro;
}

async function readGrant(transaction: Database, kind: FoundVerification['kind']): Promise<bigint> {
  const [row] = await transaction.query<{ personal: bigint; enterprise: bigint }>(
    'select grant_personal_micro as personal, grant_enterprise_micro as enterprise from catalog_settings',
  );
  assert(row !== undefined, 'the settings of the catalogue are one row');
  return row[kind];
}
