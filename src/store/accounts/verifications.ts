import type { VerificationFields, VerificationKind } from '../../accounts/views.ts';
import { SEAL_AGAIN_BATCH } from '../../bounds.ts';
import { assert } from '../../kernel/assert.ts';
import { rowContext, type Sealer } from '../../kernel/encoding/seal.ts';
import { type Database, idNumber } from '../database.ts';

export interface Verification {
  readonly id: number;
  readonly accountId: number;
  readonly kind: VerificationKind;
  readonly fields: VerificationFields;
  readonly status: 'pending' | 'approved' | 'refused';
  readonly reason: string | undefined;
  readonly createdAtMs: number;
  readonly decidedAtMs: number | undefined;
}

/** The user type that an approval sets (rule S-9). */
export const VERIFIED_LEVEL: Readonly<Record<VerificationKind, number>> = { personal: 1, enterprise: 2 };

export type SubmittedVerification =
  | { readonly kind: 'submitted'; readonly verification: Verification }
  | { readonly kind: 'pending' }
  | { readonly kind: 'verified' }
  | { readonly kind: 'unknown-account' };

/** One at a time: the next can be submitted when this one is decided. */
export function submitVerification(
  database: Database,
  { accountId, kind }: { readonly accountId: number; readonly kind: VerificationKind },
  fields: VerificationFields,
  sealer: Sealer,
): Promise<SubmittedVerification> {
  return database.transaction(async (transaction) => {
    // Locked, so that no approval comes between the check and the submission.
    const [account] = await transaction.query<{ user_type: number }>(
      'select user_type from accounts where id = $1 for no key update',
      [accountId],
    );
    if (account === undefined) return { kind: 'unknown-account' };
    if (account.user_type >= VERIFIED_LEVEL[kind]) return { kind: 'verified' };
    const id = await drawId(transaction);
    const sealed = sealer.seal(fields.documentNumber, rowContext('verifications', id, accountId));
    const [row] = await transaction.query<VerificationRow>(
      `insert into verifications (id, account_id, kind, fields, document_sealed) overriding system value
       values ($1, $2, $3, $4, $5)
       on conflict (account_id) where status = 'pending' do nothing returning ${VERIFICATION_COLUMNS}`,
      [id, accountId, kind, encodeFields(fields), sealed],
    );
    return row === undefined
      ? { kind: 'pending' }
      : { kind: 'submitted', verification: verificationFromRow(row, sealer) };
  });
}

/** Known before the row is written, because the document is sealed for this row. */
async function drawId(transaction: Database): Promise<number> {
  const [drawn] = await transaction.query<{ id: bigint }>(
    `select nextval(pg_get_serial_sequence('verifications', 'id')) as id`,
  );
  assert(drawn !== undefined, 'a sequence always has a next value');
  return idNumber(drawn.id);
}

/** The latest one of the account. */
export async function findVerification(
  database: Database,
  accountId: number,
  sealer: Sealer,
): Promise<Verification | undefined> {
  const [row] = await database.query<VerificationRow>(
    `select ${VERIFICATION_COLUMNS} from verifications where account_id = $1 order by id desc limit 1`,
    [accountId],
  );
  return row === undefined ? undefined : verificationFromRow(row, sealer);
}

const VERIFICATION_COLUMNS =
  'id, account_id, kind, fields, document_sealed, status, reason, created_at, decided_at' as const;

/** What both readers of verifications need to open a document. */
export interface DocumentRow {
  readonly id: bigint;
  readonly account_id: bigint;
  readonly document_sealed: string;
}

export function openDocument(row: DocumentRow, sealer: Sealer): string {
  const context = rowContext('verifications', idNumber(row.id), idNumber(row.account_id));
  return sealer.unseal(row.document_sealed, context) ?? '';
}

interface VerificationRow extends DocumentRow {
  readonly kind: VerificationKind;
  readonly fields: { readonly name: string; readonly contact: string | null };
  readonly status: Verification['status'];
  readonly reason: string | null;
  readonly created_at: Date;
  readonly decided_at: Date | null;
}

function verificationFromRow(row: VerificationRow, sealer: Sealer): Verification {
  const { name, contact } = row.fields;
  const documentNumber = openDocument(row, sealer);
  return {
    id: idNumber(row.id),
    accountId: idNumber(row.account_id),
    kind: row.kind,
    fields: { name, documentNumber, contact: contact ?? undefined },
    status: row.status,
    reason: row.reason ?? undefined,
    createdAtMs: row.created_at.getTime(),
    decidedAtMs: row.decided_at?.getTime(),
  };
}

function encodeFields({ name, contact }: VerificationFields): string {
  return JSON.stringify({ name, contact: contact ?? null });
}

/** Seals what an older version stored in clear text. Usually there is nothing, which costs one read. */
export async function sealClearDocuments(database: Database, sealer: Sealer): Promise<number> {
  let total = 0;
  for (;;) {
    const sealed = await database.transaction((transaction) => sealStep(transaction, sealer));
    total += sealed;
    if (sealed < SEAL_AGAIN_BATCH) return total;
  }
}

async function sealStep(transaction: Database, sealer: Sealer): Promise<number> {
  const rows = await transaction.query<{ id: bigint; account_id: bigint; clear: string | null }>(
    `select id, account_id, fields ->> 'document_number' as clear from verifications
     where document_sealed is null order by id limit $1 for update`,
    [SEAL_AGAIN_BATCH],
  );
  const sealed = rows.map(({ id, account_id: accountId, clear }) =>
    sealer.seal(clear ?? '', rowContext('verifications', idNumber(id), idNumber(accountId))),
  );
  await transaction.query(
    `update verifications set document_sealed = fresh.sealed, fields = fields - 'document_number'
     from unnest($1::bigint[], $2::text[]) as fresh(id, sealed) where verifications.id = fresh.id`,
    [rows.map(({ id }) => idNumber(id)), sealed],
  );
  return rows.length;
}
