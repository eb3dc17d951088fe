import type { Account } from '../../accounts/contract.ts';
import { PAGE_SIZE_MAX } from '../../bounds.ts';
import { assert } from '../../kernel/assert.ts';
import { type Database, idNumber, type Listed } from '../database.ts';

/** An account in a list of operators. */
export interface ListedAccount extends Pick<Account, 'id' | 'email' | 'status' | 'role' | 'userType'> {
  readonly creditsMicro: bigint;
  readonly balanceMicro: bigint;
  readonly createdAtMs: number;
}

interface ListedRow {
  readonly id: bigint;
  readonly email: string;
  readonly status: Account['status'];
  readonly role: Account['role'];
  readonly user_type: number;
  readonly credits_micro: bigint;
  readonly balance_micro: bigint;
  readonly created_at: Date;
}

export interface AccountSearch {
  /** A part of the address, in lower case. Empty: all accounts. */
  readonly emailPart: string;
  readonly status?: Account['status'] | undefined;
  readonly role?: Account['role'] | undefined;
  readonly userType?: number | undefined;
  readonly offset: number;
  readonly limit: number;
}

const MATCHES = `($1 = '' or position($1 in email) > 0) and ($2::text is null or status = $2)
  and ($3::text is null or role = $3) and ($4::int is null or user_type = $4)`;

/** Newest first. `position` has no wildcards, so the text is searched literally. */
export async function listAccounts(
  database: Database,
  { emailPart, status, role, userType, offset, limit }: AccountSearch,
): Promise<Listed<ListedAccount>> {
  assert(limit >= 1 && limit <= PAGE_SIZE_MAX && offset >= 0, 'a page is bounded');
  const filters = [emailPart, status ?? null, role ?? null, userType ?? null];
  const rows = await database.query<ListedRow>(
    `select id, email, status, role, user_type, credits_micro, balance_micro, created_at
     from accounts where ${MATCHES} order by id desc limit $5 offset $6`,
    [...filters, limit, offset],
  );
  const [count] = await database.query<{ total: number }>(
    `select count(*)::int as total from accounts where ${MATCHES}`,
    filters,
  );
  return { items: rows.map(listedFromRow), total: count?.total ?? 0 };
}

function listedFromRow(row: ListedRow): ListedAccount {
  return {
    id: idNumber(row.id),
    email: row.email,
    status: row.status,
    role: row.role,
    userType: row.user_type,
    creditsMicro: row.credits_micro,
    balanceMicro: row.balance_micro,
    createdAtMs: row.created_at.getTime(),
  };
}
