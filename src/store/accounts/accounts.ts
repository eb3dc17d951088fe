import type { Account, Preference, StoredAccount, StoredCaller } from '../../accounts/contract.ts';
import { assert } from '../../kernel/assert.ts';
import type { Unsealing } from '../catalog/read.ts';
import { announce } from '../changes.ts';
import { type Database, idNumber } from '../database.ts';
import {
  ACCOUNT_COLUMNS,
  type AccountRow,
  accountFromRow,
  KEY_COLUMNS,
  type KeyRow,
  keyFromRow,
} from './account-row.ts';

export interface NewAccount
  extends Pick<
    Account,
    'email' | 'status' | 'role' | 'userType' | 'userRateMicro' | 'apiBilling' | 'autoExchange'
  > {
  /** accounts/password.ts `hashPassword`. */
  readonly passwordHash: string;
  readonly extraApiQuotaMicro: bigint;
  readonly preference: Preference;
}

export type CreatedAccount =
  | { readonly kind: 'created'; readonly accountId: number }
  | { readonly kind: 'email-taken' };

/** Without money, which comes through the ledger, in the same transaction if needed. */
export async function createAccount(database: Database, account: NewAccount): Promise<CreatedAccount> {
  assert(account.email === account.email.toLowerCase(), 'accounts are found by the lower-case address');
  const [row] = await database.query<{ id: bigint }>(
    `insert into accounts (email, password_hash, status, role, user_type, user_rate_micro, api_billing,
       auto_exchange, extra_api_quota_micro, fallback_model, byok_fallback)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) on conflict (email) do nothing returning id`,
    [
      account.email,
      account.passwordHash,
      account.status,
      account.role,
      account.userType,
      account.userRateMicro,
      account.apiBilling,
      account.autoExchange,
      account.extraApiQuotaMicro,
      account.preference.fallbackModel,
      account.preference.byokFallback,
    ],
  );
  return row === undefined ? { kind: 'email-taken' } : { kind: 'created', accountId: idNumber(row.id) };
}

/** The fields of an account that can be changed. Only the ledger changes money. */
export interface AccountPatch {
  readonly status?: Account['status'];
  readonly role?: Account['role'];
  readonly userType?: number;
  readonly userRateMicro?: bigint;
  /** Null: the default of the catalogue. */
  readonly policyId?: number | null;
  readonly apiBilling?: boolean;
  readonly autoExchange?: boolean;
  readonly extraApiQuotaMicro?: bigint;
  readonly fallbackModel?: string | null;
  readonly byokFallback?: boolean;
  readonly passwordHash?: string;
}

const PATCH_COLUMNS: Readonly<Record<keyof AccountPatch, string>> = {
  status: 'status',
  role: 'role',
  userType: 'user_type',
  userRateMicro: 'user_rate_micro',
  policyId: 'policy_id',
  apiBilling: 'api_billing',
  autoExchange: 'auto_exchange',
  extraApiQuotaMicro: 'extra_api_quota_micro',
  fallbackModel: 'fallback_model',
  byokFallback: 'byok_fallback',
  passwordHash: 'password_hash',
};

/** False if there is no such account. In force on every node when the change notice has arrived. */
export function updateAccount(database: Database, accountId: number, patch: AccountPatch): Promise<boolean> {
  const names = (Object.keys(PATCH_COLUMNS) as (keyof AccountPatch)[]).filter(
    (name) => patch[name] !== undefined,
  );
  const updates = names.map((name, index) => `${PATCH_COLUMNS[name]} = $${index + 2}`);
  return database.transaction(async (transaction) => {
    if (!(await touchAccount(transaction, accountId))) return false;
    if (updates.length > 0) {
      const values = names.map((name) => patch[name]);
      await transaction.query(`update accounts set ${updates.join(', ')} where id = $1`, [
        accountId,
        ...values,
      ]);
    }
    return true;
  });
}

/**
 * Every write to data of an account begins with this: it locks the account, gives its snapshot a new version
 * and notifies all nodes at the commit. False if there is no such account.
 */
export async function touchAccount(transaction: Database, accountId: number): Promise<boolean> {
  const [row] = await transaction.query<{ version: bigint }>(
    'update accounts set version = version + 1 where id = $1 returning version',
    [accountId],
  );
  if (row === undefined) return false;
  await announce(transaction, { kind: 'account', accountId, version: idNumber(row.version) });
  return true;
}

export async function findAccount(
  database: Database,
  accountId: number,
  unsealing: Unsealing,
): Promise<StoredAccount | undefined> {
  const [row] = await database.query<AccountRow>(`select ${ACCOUNT_COLUMNS} from accounts where id = $1`, [
    accountId,
  ]);
  return row === undefined ? undefined : accountFromRow(row, unsealing);
}

/**
 * Account, key, subscriptions, BYOK credentials and funds in one statement, as of one moment. A key of the
 * playground is found while its session is open.
 */
export async function findCaller(
  database: Database,
  keyHash: string,
  unsealing: Unsealing,
): Promise<StoredCaller | undefined> {
  const [row] = await database.query<AccountRow & KeyRow>(
    `select ${ACCOUNT_COLUMNS}, ${KEY_COLUMNS}
     from api_keys join accounts on accounts.id = api_keys.account_id
     where api_keys.key_hash = $1 and (api_keys.session_id is null or exists (
       select from sessions where sessions.id = api_keys.session_id and sessions.ended_at is null))`,
    [keyHash],
  );
  return row === undefined ? undefined : { account: accountFromRow(row, unsealing), key: keyFromRow(row) };
}

export interface LoginRow {
  readonly accountId: number;
  readonly passwordHash: string;
  readonly status: Account['status'];
  readonly role: Account['role'];
}

/** `email` in lower case. */
export async function findLogin(database: Database, email: string): Promise<LoginRow | undefined> {
  const [row] = await database.query<{
    id: bigint;
    password_hash: string;
    status: Account['status'];
    role: Account['role'];
  }>('select id, password_hash, status, role from accounts where email = $1', [email]);
  if (row === undefined) return undefined;
  const { id, password_hash: passwordHash, status, role } = row;
  return { accountId: idNumber(id), passwordHash, status, role };
}

/** The addresses of these that have an account. */
export async function findExistingEmails(
  database: Database,
  emails: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await database.query<{ email: string }>('select email from accounts where email = any($1)', [
    emails,
  ]);
  return new Set(rows.map((row) => row.email));
}
