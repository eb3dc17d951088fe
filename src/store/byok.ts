import { BYOK_PER_ACCOUNT_MAX, NAME_LENGTH_MAX, SECRET_LENGTH_MAX } from '../bounds.ts';
import type { Credential } from '../catalog/contract.ts';
import { assert } from '../kernel/assert.ts';
import type { Sealer } from '../kernel/seal.ts';
import { touchAccount } from './accounts.ts';
import { type CredentialRow, credentialFromRow, type Unsealing } from './catalog-read.ts';
import { insertCredential, updateCredential } from './catalog-write.ts';
import type { Database } from './database.ts';

/** A vendor credential that a user hosts. The address was judged before it comes here (egress rules). */
export interface HostedCredential {
  readonly accountId: number;
  readonly vendorCode: string;
  readonly name: string;
  readonly secret: string;
  readonly baseUrl: string | undefined;
}

export type Hosted =
  | { readonly kind: 'hosted'; readonly credentialId: number }
  | { readonly kind: 'too-many' }
  | { readonly kind: 'name-taken' }
  | { readonly kind: 'unknown-account' }
  /** Unknown, or not open to hosted credentials, or not to an address of the user's own. */
  | { readonly kind: 'vendor-closed' };

export function hostCredential(
  database: Database,
  wanted: HostedCredential,
  sealer: Sealer,
): Promise<Hosted> {
  const { accountId, secret, name } = wanted;
  assert(secret.length >= 1 && secret.length <= SECRET_LENGTH_MAX, 'a secret is checked before');
  assert(name.length >= 1 && name.length <= NAME_LENGTH_MAX, 'a name is checked before');
  return database.transaction(async (transaction) => {
    if (!(await touchAccount(transaction, accountId))) return { kind: 'unknown-account' };
    if (!(await isOpen(transaction, wanted))) return { kind: 'vendor-closed' };
    const own = await transaction.query<{ name: string }>(
      'select name from credentials where owner_account_id = $1',
      [accountId],
    );
    if (own.length >= BYOK_PER_ACCOUNT_MAX) return { kind: 'too-many' };
    if (own.some((each) => each.name === name)) return { kind: 'name-taken' };
    const credentialId = await insertCredential(transaction, entryOf(wanted), sealer);
    return { kind: 'hosted', credentialId };
  });
}

async function isOpen(transaction: Database, wanted: HostedCredential): Promise<boolean> {
  const [vendor] = await transaction.query<{ byok: boolean; custom_base_url: boolean }>(
    'select byok, custom_base_url from vendors where code = $1',
    [wanted.vendorCode],
  );
  if (vendor === undefined || !vendor.byok) return false;
  return wanted.baseUrl === undefined || vendor.custom_base_url;
}

/** The user's own vendor account pays, so no rate and no limit of ours applies. */
function entryOf(wanted: HostedCredential) {
  return {
    vendorCode: wanted.vendorCode,
    name: wanted.name,
    secret: wanted.secret,
    baseUrl: wanted.baseUrl,
    rateMicro: 100_000_000n,
    limits: {},
    status: 'enabled' as const,
    ownerAccountId: wanted.accountId,
  };
}

export interface HostedPatch {
  readonly name?: string;
  readonly secret?: string;
  /** `null` takes the vendor's own address again. */
  readonly baseUrl?: string | null;
  readonly status?: 'enabled' | 'disabled';
}

/** Nothing of a stranger's credential is ever found, so nothing of it can be changed. */
export function updateHosted(
  database: Database,
  place: { readonly accountId: number; readonly credentialId: number },
  patch: HostedPatch,
  unsealing: Unsealing,
): Promise<'updated' | 'not-found' | 'name-taken' | 'vendor-closed' | 'secret-required'> {
  const { accountId, credentialId } = place;
  return database.transaction(async (transaction) => {
    if (!(await touchAccount(transaction, accountId))) return 'not-found';
    const own = await readHosted(transaction, accountId, unsealing);
    const stored = own.find((each) => each.id === credentialId);
    if (stored === undefined) return 'not-found';
    const {
      name = stored.name,
      secret = stored.secret,
      status = stored.status,
      baseUrl = stored.baseUrl,
    } = patch;
    // The stored one does not open any more; sealing nothing in its place would hide that.
    if (secret === '') return 'secret-required';
    if (own.some((each) => each.name === name && each.id !== credentialId)) return 'name-taken';
    const wanted = { accountId, vendorCode: stored.vendorCode, name, secret, baseUrl: baseUrl ?? undefined };
    if (!(await isOpen(transaction, wanted))) return 'vendor-closed';
    await updateCredential(transaction, credentialId, { ...entryOf(wanted), status }, unsealing.sealer);
    return 'updated';
  });
}

/** Secrets in clear: for the connectivity test and the directory, never for an answer. */
export async function readHosted(
  database: Database,
  accountId: number,
  unsealing: Unsealing,
): Promise<readonly Credential[]> {
  const rows = await database.query<CredentialRow>(
    'select * from credentials where owner_account_id = $1 order by id',
    [accountId],
  );
  return rows.map((row) => credentialFromRow(row, unsealing));
}

/** How many of them were the account's and are gone now. */
export function deleteHosted(
  database: Database,
  accountId: number,
  credentialIds: readonly number[],
): Promise<number> {
  return database.transaction(async (transaction) => {
    if (!(await touchAccount(transaction, accountId))) return 0;
    const rows = await transaction.query(
      'delete from credentials where owner_account_id = $1 and id = any($2::bigint[]) returning id',
      [accountId, credentialIds],
    );
    return rows.length;
  });
}
