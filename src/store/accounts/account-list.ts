import type { Account } from '../../accounts/contract.ts';
import { PAGE_SIZE_MAX } from '../../bounds.ts';
import { assert } from '../../kernel/assert.ts';
import { type Database, idNumber, type Listed } from '../database.ts';

/** An account in a list of operators. */
export interface ListedAccount extends Pick<Account, 'id' | 'email' | 'status' | 'role' | 'userType'> {
  readonly creditsMicro: bigint;
  readonly balanceMicro: bigint;
  /** What calls took from the money pools in the current month, in micro-yuan. */
  readonly monthSpentMicro: bigint;
  /** The last use of a key or a login. Undefined: never. */
  readonly lastSeenAtMs: number | undefined;
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
  readonly spent_micro: bigint;
  readonly seen_at: Date | null;
  readonly created_at: Date;
}

export const ACCOUNT_SORTS = ['created_at', 'balance', 'credits', 'month_spent', 'last_seen_at'] as const;
export type AccountSort = (typeof ACCOUNT_SORTS)[number];

export interface AccountSearch {
  /** A part of the address, in lower case. Empty: all accounts. */
  readonly emailPart: string;
  readonly status?: Account['status'] | undefined;
  readonly role?: Account['role'] | undefined;
  readonly userType?: number | undefined;
  /** The month that spending is shown of, as in `accounts.month`. */
  readonly month: string;
  readonly sort: AccountSort;
  readonly order: 'asc' | 'desc';
  readonly offset: number;
  readonly limit: number;
}

const MATCHES = `($1 = '' or position($1 in email) > 0) and ($2::text is null or status = $2)
  and ($3::text is null or role = $3) and ($4::int is null or user_type = $4)`;

const SPENT = 'case when month = $5 then month_spent_micro else 0 end';
/** The last use of a key or a login of `accounts.id`. */
export const SEEN = `(select max(at) from (
  select last_used_at as at from api_keys where account_id = accounts.id
  union all select used_at from sessions where account_id = accounts.id) as used)`;
/** Of all accounts at once, for their order. */
const ALL_SEEN = `left join (
  select account_id, max(at) as at from (
    select account_id, last_used_at as at from api_keys union all select account_id, used_at from sessions) as used
  group by account_id) as seen on seen.account_id = accounts.id`;
/** Accounts are numbered as they are created. */
const SORTS: Readonly<Record<AccountSort, string>> = {
  ...{ created_at: 'accounts.id', balance: 'balance_micro', credits: 'credits_micro', month_spent: SPENT },
  last_seen_at: 'seen.at',
};

/** Equal ones are newest first. The last use is looked up for the page only. */
function pageText(sort: AccountSort, order: 'asc' | 'desc'): string {
  const direction = order === 'asc' ? 'asc nulls first' : 'desc nulls last';
  const by = (column: string): string => `${column} ${direction}, accounts.id desc`;
  const seen = sort === 'last_seen_at' ? ALL_SEEN : '';
  return `
    select accounts.id, email, status, role, user_type, credits_micro, balance_micro, accounts.created_at,
      (${SPENT})::bigint as spent_micro, ${SEEN} as seen_at
    from (
      select accounts.id, row_number() over (order by ${by(SORTS[sort])}) as place
      from accounts ${seen} where ${MATCHES} order by place limit $6 offset $7) as page
    join accounts using (id) order by place`;
}

/** `position` has no wildcards, so the text is searched literally. */
export async function listAccounts(
  database: Database,
  { emailPart, status, role, userType, month, sort, order, offset, limit }: AccountSearch,
): Promise<Listed<ListedAccount>> {
  assert(limit >= 1 && limit <= PAGE_SIZE_MAX && offset >= 0, 'a page is bounded');
  const filters = [emailPart, status ?? null, role ?? null, userType ?? null];
  const rows = await database.query<ListedRow>(pageText(sort, order), [...filters, month, limit, offset]);
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
    monthSpentMicro: row.spent_micro,
    lastSeenAtMs: row.seen_at?.getTime(),
    createdAtMs: row.created_at.getTime(),
  };
}
