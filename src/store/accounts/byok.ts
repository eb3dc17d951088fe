import type { ByokView } from '../../accounts/views.ts';
import { BYOK_PER_ACCOUNT_MAX, NAME_LENGTH_MAX, SECRET_LENGTH_MAX } from '../../bounds.ts';
import { whyNotOwn } from '../../catalog/cloud.ts';
import type { Cloud, Credential } from '../../catalog/contract.ts';
import { assert } from '../../kernel/assert.ts';
import { rowContext, type Sealer } from '../../kernel/encoding/seal.ts';
import { judgeByokAddress } from '../../upstream/guard/byok-address.ts';
import { insertCredential, secretHint } from '../catalog/write.ts';
import { type Database, idNumber } from '../database.ts';
import { touchAccount } from './accounts.ts';

/** What byokContext needs besides the store. */
export interface ByokContext {
  readonly sealer: Sealer;
  /** TOLLGATE_BYOK_HOSTS: private hosts that addresses of users may have. */
  readonly ownHosts: ReadonlySet<string>;
}

/** A BYOK credential of a user. */
export interface NewByok {
  readonly accountId: number;
  readonly vendorCode: string;
  readonly name: string;
  readonly secret: string;
  readonly baseUrl: string | undefined;
}

export type ByokRefusal =
  | { readonly kind: 'unknown-account' }
  | { readonly kind: 'not-found' }
  | { readonly kind: 'too-many' }
  | { readonly kind: 'name-taken' }
  /** Unknown, or not open to BYOK credentials. */
  | { readonly kind: 'vendor-closed' }
  /** The vendor does not allow an own address. */
  | { readonly kind: 'address-closed' }
  | { readonly kind: 'bad-address'; readonly why: string }
  /** The vendor is a cloud, and its secrets have another form. */
  | { readonly kind: 'bad-secret'; readonly why: string }
  /** A secret is sent to a new address only if it is given again. */
  | { readonly kind: 'secret-required' };

export type AddByokResult = { readonly kind: 'added'; readonly credentialId: number } | ByokRefusal;

/** Sent as a header: printable ASCII without spaces. */
export function isUsableSecret(secret: string): boolean {
  return secret.length <= SECRET_LENGTH_MAX && /^[\x21-\x7e]+$/.test(secret);
}

export async function addByok(
  database: Database,
  wanted: NewByok,
  byokContext: ByokContext,
): Promise<AddByokResult> {
  const { accountId, secret, name } = wanted;
  assert(isUsableSecret(secret), 'a secret is checked before');
  checkName(name);
  const address = judge(wanted.baseUrl, byokContext);
  if (address.kind === 'bad-address') return address;
  const { baseUrl } = address;
  return database.transaction(async (transaction) => {
    // The account's row is locked now, so two at once cannot exceed the bound.
    if (!(await touchAccount(transaction, accountId))) return { kind: 'unknown-account' };
    const closed = await whyClosed(transaction, wanted.vendorCode, { baseUrl, secret });
    if (closed !== undefined) return closed;
    const own = await listByok(transaction, accountId);
    if (own.length >= BYOK_PER_ACCOUNT_MAX) return { kind: 'too-many' };
    if (own.some((each) => each.name === name)) return { kind: 'name-taken' };
    const entry = { ...wanted, baseUrl, ...NO_TERMS, ownerAccountId: accountId };
    return { kind: 'added', credentialId: await insertCredential(transaction, entry, byokContext.sealer) };
  });
}

/** The user's vendor account pays, so no rate and no limit of the platform applies. */
const NO_TERMS = { rateMicro: 100_000_000n, limits: {}, status: 'enabled' } as const;

function checkName(name: string): void {
  const characters = [...name].length;
  assert(characters >= 1 && characters <= NAME_LENGTH_MAX, 'a name is checked before');
}

type Judged =
  | { readonly kind: 'address'; readonly baseUrl: string | undefined }
  | Extract<ByokRefusal, { kind: 'bad-address' }>;

function judge(text: string | null | undefined, { ownHosts }: ByokContext): Judged {
  if (text === undefined || text === null) return { kind: 'address', baseUrl: undefined };
  const judged = judgeByokAddress(text, ownHosts);
  return judged.kind === 'refused' ? { kind: 'bad-address', why: judged.why } : judged;
}

async function whyClosed(
  transaction: Database,
  vendorCode: string,
  { baseUrl, secret }: { readonly baseUrl: string | null | undefined; readonly secret: string | undefined },
): Promise<ByokRefusal | undefined> {
  const [vendor] = await transaction.query<VendorTerms>(
    'select byok, custom_base_url, cloud from vendors where code = $1',
    [vendorCode],
  );
  if (vendor === undefined || !vendor.byok) return { kind: 'vendor-closed' };
  const hasAddress = baseUrl !== undefined && baseUrl !== null;
  if (hasAddress && !vendor.custom_base_url) return { kind: 'address-closed' };
  const why = secret === undefined ? undefined : whyNotOwn(vendor.cloud ?? undefined, secret);
  return why === undefined ? undefined : { kind: 'bad-secret', why };
}

interface VendorTerms {
  readonly byok: boolean;
  readonly custom_base_url: boolean;
  readonly cloud: Cloud | null;
}

export interface ByokPatch {
  readonly name?: string;
  readonly secret?: string;
  /** `null` restores the vendor's address. */
  readonly baseUrl?: string | null;
  readonly status?: Credential['status'];
}

/** A credential of another account is never found, so it cannot be changed. */
export async function updateByok(
  database: Database,
  place: { readonly accountId: number; readonly credentialId: number },
  patch: ByokPatch,
  byokContext: ByokContext,
): Promise<{ readonly kind: 'updated' } | ByokRefusal> {
  const { accountId, credentialId } = place;
  if (patch.name !== undefined) checkName(patch.name);
  assert(patch.secret === undefined || isUsableSecret(patch.secret), 'a secret is checked before');
  const address = judge(patch.baseUrl, byokContext);
  if (address.kind === 'bad-address') return address;
  const wanted: ByokPatch =
    patch.baseUrl === undefined ? patch : { ...patch, baseUrl: address.baseUrl ?? null };
  return database.transaction(async (transaction) => {
    if (!(await touchAccount(transaction, accountId))) return { kind: 'unknown-account' };
    const own = await listByok(transaction, accountId);
    const stored = own.find((each) => each.id === credentialId);
    if (stored === undefined) return { kind: 'not-found' };
    const isTaken = own.some((each) => each.name === wanted.name && each.id !== credentialId);
    if (isTaken) return { kind: 'name-taken' };
    const refusal = await whyNot(transaction, stored, wanted);
    if (refusal !== undefined) return refusal;
    await writePatch(transaction, place, wanted, byokContext.sealer);
    return { kind: 'updated' };
  });
}

/** It can always be renamed and disabled. Enabling it needs a vendor that is open to it. */
async function whyNot(
  transaction: Database,
  stored: ByokView,
  { baseUrl, secret, status }: ByokPatch,
): Promise<ByokRefusal | undefined> {
  const moves = baseUrl !== undefined && baseUrl !== (stored.baseUrl ?? null);
  if (moves && secret === undefined) return { kind: 'secret-required' };
  if (!moves && secret === undefined && status !== 'enabled') return undefined;
  return whyClosed(transaction, stored.vendorCode, { baseUrl: moves ? baseUrl : stored.baseUrl, secret });
}

async function writePatch(
  transaction: Database,
  { accountId, credentialId }: { readonly accountId: number; readonly credentialId: number },
  { name, secret, baseUrl, status }: ByokPatch,
  sealer: Sealer,
): Promise<void> {
  const context = rowContext('credentials', credentialId, accountId);
  await transaction.query(
    `update credentials set name = coalesce($3, name), status = coalesce($4, status),
       secret_sealed = coalesce($5, secret_sealed), secret_hint = coalesce($6, secret_hint),
       base_url = case when $7 then $8 else base_url end
     where id = $1 and owner_account_id = $2`,
    [
      credentialId,
      accountId,
      name ?? null,
      status ?? null,
      secret === undefined ? null : sealer.seal(secret, context),
      secret === undefined ? null : secretHint(secret),
      baseUrl !== undefined,
      baseUrl ?? null,
    ],
  );
}

/** Deletes all of them, or none and returns 0 if one does not belong to the account. No duplicates. */
export function deleteByok(
  database: Database,
  accountId: number,
  credentialIds: readonly number[],
): Promise<number> {
  return database.transaction(async (transaction) => {
    // A concurrent deletion of the same credentials waits here, and then finds nothing.
    if (!(await touchAccount(transaction, accountId))) return 0;
    const own = 'where owner_account_id = $1 and id = any($2::bigint[])';
    const found = await transaction.query(`select id from credentials ${own}`, [accountId, credentialIds]);
    if (found.length < credentialIds.length) return 0;
    await transaction.query(`delete from credentials ${own}`, [accountId, credentialIds]);
    return found.length;
  });
}

/** Secret and address of a credential of the account, as they were stored together. */
export async function openByok(
  database: Database,
  { accountId, credentialId }: { readonly accountId: number; readonly credentialId: number },
  { sealer }: Pick<ByokContext, 'sealer'>,
): Promise<(ByokView & { readonly secret: string }) | undefined> {
  const view = (await listByok(database, accountId)).find(({ id }) => id === credentialId);
  const [row] = await database.query<{ secret_sealed: string }>(
    'select secret_sealed from credentials where id = $1 and owner_account_id = $2',
    [credentialId, accountId],
  );
  if (view === undefined || row === undefined) return undefined;
  const secret = sealer.unseal(row.secret_sealed, rowContext('credentials', credentialId, accountId));
  return secret === undefined ? undefined : { ...view, secret };
}

interface ByokRow {
  readonly id: bigint;
  readonly vendor_code: string;
  readonly name: string;
  readonly secret_hint: string;
  readonly base_url: string | null;
  readonly status: Credential['status'];
  readonly created_at: Date;
}

/** All of them, oldest first. Their number is bounded. */
export async function listByok(database: Database, accountId: number): Promise<readonly ByokView[]> {
  const rows = await database.query<ByokRow>(
    `select id, vendor_code, name, secret_hint, base_url, status, created_at
     from credentials where owner_account_id = $1 order by id`,
    [accountId],
  );
  return rows.map((row) => ({
    id: idNumber(row.id),
    vendorCode: row.vendor_code,
    name: row.name,
    hint: row.secret_hint,
    baseUrl: row.base_url ?? undefined,
    status: row.status,
    createdAtMs: row.created_at.getTime(),
  }));
}
