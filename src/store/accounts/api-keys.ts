import { hashApiKey, keyPrefix, newApiKey } from '../../accounts/api-key.ts';
import type { ApiKey } from '../../accounts/contract.ts';
import { KEYS_PER_ACCOUNT_MAX, NAME_LENGTH_MAX, PAGE_SIZE_MAX } from '../../bounds.ts';
import { assert } from '../../kernel/assert.ts';
import type { Random } from '../../kernel/random.ts';
import { type Database, idNumber } from '../database.ts';
import { KEY_COLUMNS, type KeyRow, keyFromRow } from './account-row.ts';
import { touchAccount } from './accounts.ts';

/** A key as its owner sees it, without its text. */
export interface ListedKey extends ApiKey {
  readonly createdAtMs: number;
  /** Accurate to the minute; undefined: never used. */
  readonly lastUsedAtMs: number | undefined;
}

const LISTED_COLUMNS = `${KEY_COLUMNS}, api_keys.created_at as key_created_at, api_keys.last_used_at`;

/** Keys of the playground are the server's matter: nobody lists, changes or counts them. */
const LASTING = 'session_id is null';

interface ListedRow extends KeyRow {
  readonly key_created_at: Date;
  readonly last_used_at: Date | null;
}

function listedFromRow(row: ListedRow): ListedKey {
  return {
    ...keyFromRow(row),
    createdAtMs: row.key_created_at.getTime(),
    lastUsedAtMs: row.last_used_at?.getTime(),
  };
}

export interface NewKey extends Pick<ApiKey, 'accountId' | 'name' | 'policyId' | 'expiresAtMs' | 'status'> {}

export type CreatedKey =
  /** `text` is the key itself: shown once, not stored. */
  | { readonly kind: 'created'; readonly key: ListedKey; readonly text: string }
  | { readonly kind: 'too-many' }
  | { readonly kind: 'unknown-account' }
  | { readonly kind: 'unknown-policy' };

export function createKey(database: Database, wanted: NewKey, random: Random): Promise<CreatedKey> {
  checkName(wanted.name);
  return database.transaction(async (transaction) => {
    // The account's row is locked now, so two creations at once cannot exceed the bound.
    if (!(await touchAccount(transaction, wanted.accountId))) return { kind: 'unknown-account' };
    const [count] = await transaction.query<{ keys: number }>(
      'select count(*)::int as keys from api_keys where account_id = $1 and session_id is null',
      [wanted.accountId],
    );
    if ((count?.keys ?? 0) >= KEYS_PER_ACCOUNT_MAX) return { kind: 'too-many' };
    if (!(await policyExists(transaction, wanted.policyId))) return { kind: 'unknown-policy' };
    const text = newApiKey(random);
    return { kind: 'created', key: await insertKey(transaction, wanted, text), text };
  });
}

/** Rule S-11: the length of a name counts characters, not UTF-16 units. */
function checkName(name: string): void {
  const characters = [...name].length;
  assert(characters >= 1 && characters <= NAME_LENGTH_MAX, 'the name of a key is checked before');
}

async function policyExists(transaction: Database, policyId: number | undefined): Promise<boolean> {
  if (policyId === undefined) return true;
  const rows = await transaction.query('select id from policies where id = $1', [policyId]);
  return rows.length === 1;
}

async function insertKey(transaction: Database, wanted: NewKey, text: string): Promise<ListedKey> {
  const [row] = await transaction.query<ListedRow>(
    `insert into api_keys (account_id, name, prefix, key_hash, policy_id, expires_at, status)
     values ($1, $2, $3, $4, $5, $6, $7) returning ${LISTED_COLUMNS}`,
    [
      wanted.accountId,
      wanted.name,
      keyPrefix(text),
      hashApiKey(text),
      wanted.policyId ?? null,
      wanted.expiresAtMs === undefined ? null : new Date(wanted.expiresAtMs),
      wanted.status,
    ],
  );
  assert(row !== undefined, 'an insert returns its row');
  return listedFromRow(row);
}

export interface KeyPage {
  readonly items: readonly ListedKey[];
  readonly total: number;
}

/** Newest first. */
export async function listKeys(
  database: Database,
  accountId: number,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<KeyPage> {
  assert(limit >= 1 && limit <= PAGE_SIZE_MAX && offset >= 0, 'a page is bounded');
  const rows = await database.query<ListedRow>(
    `select ${LISTED_COLUMNS} from api_keys where account_id = $1 and ${LASTING} order by id desc limit $2 offset $3`,
    [accountId, limit, offset],
  );
  const [count] = await database.query<{ total: number }>(
    `select count(*)::int as total from api_keys where account_id = $1 and ${LASTING}`,
    [accountId],
  );
  return { items: rows.map(listedFromRow), total: count?.total ?? 0 };
}

/** Undefined for a key of another account, as for one that does not exist. */
export async function findKey(
  database: Database,
  accountId: number,
  keyId: number,
): Promise<ListedKey | undefined> {
  const [row] = await database.query<ListedRow>(
    `select ${LISTED_COLUMNS} from api_keys where account_id = $1 and id = $2 and ${LASTING}`,
    [accountId, keyId],
  );
  return row === undefined ? undefined : listedFromRow(row);
}

/** Names of the account's keys, without deleted ones and those of other accounts. */
export async function findKeyNames(
  database: Database,
  accountId: number,
  keyIds: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  const rows = await database.query<{ id: bigint; name: string }>(
    'select id, name from api_keys where account_id = $1 and id = any($2::bigint[])',
    [accountId, keyIds],
  );
  return new Map(rows.map(({ id, name }) => [idNumber(id), name]));
}

/** Deletes all of them, or none and returns 0 if one does not belong to the account. No duplicates. */
export function deleteKeys(
  database: Database,
  accountId: number,
  keyIds: readonly number[],
): Promise<number> {
  return database.transaction(async (transaction) => {
    // A concurrent deletion of the same keys waits here, and then finds nothing.
    if (!(await touchAccount(transaction, accountId))) return 0;
    const own = `where account_id = $1 and id = any($2::bigint[]) and ${LASTING}`;
    const found = await transaction.query(`select id from api_keys ${own}`, [accountId, keyIds]);
    if (found.length < keyIds.length) return 0;
    await transaction.query(`delete from api_keys ${own}`, [accountId, keyIds]);
    return found.length;
  });
}

/** An absent field stays as it is, null removes its value. */
export interface KeyPatch {
  readonly name?: string;
  readonly status?: ApiKey['status'];
  readonly policyId?: number | null;
  readonly expiresAtMs?: number | null;
}

/** The key after the change; undefined if the account has no such key. */
export function updateKey(
  database: Database,
  { accountId, keyId }: { readonly accountId: number; readonly keyId: number },
  { name, status, policyId, expiresAtMs }: KeyPatch,
): Promise<ListedKey | 'unknown-policy' | undefined> {
  if (name !== undefined) checkName(name);
  return database.transaction(async (transaction) => {
    if (!(await touchAccount(transaction, accountId))) return undefined;
    if (!(await policyExists(transaction, policyId ?? undefined))) return 'unknown-policy';
    const [row] = await transaction.query<ListedRow>(
      `update api_keys set name = coalesce($3, name), status = coalesce($4, status),
         policy_id = case when $5 then $6 else policy_id end, expires_at = case when $7 then $8 else expires_at end
       where account_id = $1 and id = $2 and ${LASTING} returning ${LISTED_COLUMNS}`,
      [
        ...[accountId, keyId, name ?? null, status ?? null, policyId !== undefined, policyId ?? null],
        expiresAtMs !== undefined,
        typeof expiresAtMs === 'number' ? new Date(expiresAtMs) : null,
      ],
    );
    return row === undefined ? undefined : listedFromRow(row);
  });
}

export function setKeyStatus(
  database: Database,
  accountId: number,
  keyIds: readonly number[],
  status: ApiKey['status'],
): Promise<number> {
  return changeKeys(database, accountId, [
    'update api_keys set status = $3 where account_id = $1 and id = any($2::bigint[]) returning id',
    [accountId, keyIds, status],
  ]);
}

function changeKeys(
  database: Database,
  accountId: number,
  [text, values]: readonly [string, readonly unknown[]],
): Promise<number> {
  return database.transaction(async (transaction) => {
    if (!(await touchAccount(transaction, accountId))) return 0;
    const rows = await transaction.query(text, values);
    return rows.length;
  });
}
