import { assert } from '../kernel/assert.ts';
import { type Database, idNumber } from './database.ts';

export type VerificationKind = 'personal' | 'enterprise';

/** What the account says about itself, for an operator to judge. */
export interface VerificationFields {
  readonly name: string;
  readonly documentNumber: string;
  readonly contact: string | undefined;
}

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

/** The user type that an approval gives (spec 2.6). */
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
): Promise<SubmittedVerification> {
  return database.transaction(async (transaction) => {
    // Locked, so that no approval comes between the look and the submission.
    const [account] = await transaction.query<{ user_type: number }>(
      'select user_type from accounts where id = $1 for no key update',
      [accountId],
    );
    if (account === undefined) return { kind: 'unknown-account' };
    if (account.user_type >= VERIFIED_LEVEL[kind]) return { kind: 'verified' };
    const [row] = await transaction.query<VerificationRow>(
      `insert into verifications (account_id, kind, fields) values ($1, $2, $3)
       on conflict (account_id) where status = 'pending' do nothing returning ${VERIFICATION_COLUMNS}`,
      [accountId, kind, encodeFields(fields)],
    );
    return row === undefined
      ? { kind: 'pending' }
      : { kind: 'submitted', verification: verificationFromRow(row) };
  });
}

/** The last one of the account. */
export async function findVerification(
  database: Database,
  accountId: number,
): Promise<Verification | undefined> {
  const [row] = await database.query<VerificationRow>(
    `select ${VERIFICATION_COLUMNS} from verifications where account_id = $1 order by id desc limit 1`,
    [accountId],
  );
  return row === undefined ? undefined : verificationFromRow(row);
}

export const VERIFICATION_COLUMNS =
  'id, account_id, kind, fields, status, reason, created_at, decided_at' as const;

export interface VerificationRow {
  readonly id: bigint;
  readonly account_id: bigint;
  readonly kind: VerificationKind;
  readonly fields: {
    readonly name: string;
    readonly document_number: string;
    readonly contact: string | null;
  };
  readonly status: Verification['status'];
  readonly reason: string | null;
  readonly created_at: Date;
  readonly decided_at: Date | null;
}

export function verificationFromRow(row: VerificationRow): Verification {
  const { name, document_number: documentNumber, contact } = row.fields;
  assert(typeof documentNumber === 'string', 'a verification has its fields');
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

function encodeFields({ name, documentNumber, contact }: VerificationFields): string {
  return JSON.stringify({ name, document_number: documentNumber, contact: contact ?? null });
}
