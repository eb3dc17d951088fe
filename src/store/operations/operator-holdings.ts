import type { Funds } from '../../accounts/contract.ts';
import type { Actor, AuditEntry } from '../../admin/contract.ts';
import type { EntryJson } from '../../catalog/entry-json.ts';
import { assert } from '../../kernel/assert.ts';
import { AMOUNT_MICRO_MAX, formatMicro } from '../../kernel/money.ts';
import type { Random } from '../../kernel/random.ts';
import {
  type CreatedKey,
  createKey,
  deleteKeys,
  findKey,
  type ListedKey,
  type NewKey,
} from '../accounts/api-keys.ts';
import {
  deleteHosted,
  type Hosted,
  type HostedPatch,
  type HostedRefusal,
  type HostedView,
  type Hosting,
  hostCredential,
  listHosted,
  type NewHosted,
  updateHosted,
} from '../accounts/byok.ts';
import type { Database } from '../database.ts';
import { type Exchange, postExchange } from '../ledger/movement.ts';
import { holdPurses } from '../ledger/wallet.ts';
import { audited, type Desk } from './audit.ts';

/*
 * What users do with what is theirs, done for them by an operator: the same writes, with a line in the audit
 * log. Of a key and of a secret that line has no more than lists show.
 */

type NotFound = { readonly kind: 'not-found' };

/** Locked first: what is recorded as the state before is what was changed. */
export async function lockAccount(transaction: Database, accountId: number): Promise<void> {
  await transaction.query('select id from accounts where id = $1 for no key update', [accountId]);
}

const refused = <Refusal>(refusal: Refusal) => ({ kind: 'refused', refusal }) as const;

type Exchanged = { readonly kind: 'exchanged'; readonly funds: Funds };
type ExchangeRefusal = { readonly kind: 'insufficient' } | { readonly kind: 'too-much' };

export function exchangeAudited(
  desk: Desk,
  wanted: Exchange,
  actor: Actor,
): Promise<Exchanged | ExchangeRefusal> {
  return audited<Exchanged, ExchangeRefusal>(desk, actor, async (transaction) => {
    const before = (await holdPurses(transaction, [wanted.accountId])).get(wanted.accountId);
    assert(before !== undefined, 'the purse is held');
    const posted = await postExchange(transaction, wanted);
    if (posted.kind === 'insufficient') return refused(posted);
    const { funds } = posted;
    if (funds.creditsMicro > AMOUNT_MICRO_MAX) return refused({ kind: 'too-much' });
    const change = { kind: 'exchange', amount: formatMicro(wanted.amountMicro), reason: wanted.ref };
    const entry = {
      entity: 'funds',
      key: String(wanted.accountId),
      before: fundsJson(before),
      after: { ...fundsJson(funds), ...change },
    };
    return { kind: 'done', result: { kind: 'exchanged', funds }, entry };
  });
}

function fundsJson({ balanceMicro, creditsMicro }: Pick<Funds, 'balanceMicro' | 'creditsMicro'>): EntryJson {
  return { balance: formatMicro(balanceMicro), credits: formatMicro(creditsMicro) };
}

type KeyMade = Extract<CreatedKey, { kind: 'created' }>;

export function createKeyAudited(
  desk: Desk,
  wanted: NewKey,
  { random, actor }: { readonly random: Random; readonly actor: Actor },
): Promise<CreatedKey> {
  return audited<KeyMade, Exclude<CreatedKey, KeyMade>>(desk, actor, async (transaction) => {
    const made = await createKey(transaction, wanted, random);
    if (made.kind !== 'created') return refused(made);
    return {
      kind: 'done',
      result: made,
      entry: keyEntry(made.key, { before: null, after: keyJson(made.key) }),
    };
  });
}

export function revokeKeyAudited(
  desk: Desk,
  { accountId, keyId }: { readonly accountId: number; readonly keyId: number },
  actor: Actor,
): Promise<{ readonly kind: 'revoked' } | NotFound> {
  return audited<{ readonly kind: 'revoked' }, NotFound>(desk, actor, async (transaction) => {
    await lockAccount(transaction, accountId);
    const key = await findKey(transaction, accountId, keyId);
    const deleted = await deleteKeys(transaction, accountId, [keyId]);
    if (key === undefined || deleted === 0) return refused({ kind: 'not-found' });
    const entry = keyEntry(key, { before: keyJson(key), after: null });
    return { kind: 'done', result: { kind: 'revoked' }, entry };
  });
}

export function keyEntry({ id }: ListedKey, sides: Pick<AuditEntry, 'before' | 'after'>): AuditEntry {
  return { entity: 'api_keys', key: String(id), ...sides };
}

export function keyJson({ accountId, name, prefix, policyId, expiresAtMs, status }: ListedKey): EntryJson {
  return {
    ...{ account_id: accountId, name, prefix, status },
    policy_id: policyId ?? null,
    expires_at: expiresAtMs === undefined ? null : new Date(expiresAtMs).toISOString(),
  };
}

type HostedMade = Extract<Hosted, { kind: 'hosted' }>;

export function hostAudited(
  desk: Desk,
  wanted: NewHosted,
  { hosting, actor }: { readonly hosting: Hosting; readonly actor: Actor },
): Promise<Hosted> {
  return audited<HostedMade, HostedRefusal>(desk, actor, async (transaction) => {
    const made = await hostCredential(transaction, wanted, hosting);
    if (made.kind !== 'hosted') return refused(made);
    const place = { accountId: wanted.accountId, credentialId: made.credentialId };
    const after = await hostedJson(transaction, place);
    return { kind: 'done', result: made, entry: hostedEntry(place, { before: null, after }) };
  });
}

/** A credential of one account. */
export interface HostedPlace {
  readonly accountId: number;
  readonly credentialId: number;
}

export function changeHostedAudited(
  desk: Desk,
  place: HostedPlace,
  change: { readonly patch: HostedPatch; readonly hosting: Hosting; readonly actor: Actor },
): Promise<{ readonly kind: 'updated' } | HostedRefusal> {
  const { patch, hosting, actor } = change;
  return audited<{ readonly kind: 'updated' }, HostedRefusal>(desk, actor, async (transaction) => {
    await lockAccount(transaction, place.accountId);
    const before = await hostedJson(transaction, place);
    const done = await updateHosted(transaction, place, patch, hosting);
    if (done.kind !== 'updated') return refused(done);
    const replaced = patch.secret === undefined ? {} : { secret_replaced: true };
    const after = { ...(await hostedJson(transaction, place)), ...replaced };
    return { kind: 'done', result: done, entry: hostedEntry(place, { before, after }) };
  });
}

export function removeHostedAudited(
  desk: Desk,
  place: HostedPlace,
  actor: Actor,
): Promise<{ readonly kind: 'removed' } | NotFound> {
  return audited<{ readonly kind: 'removed' }, NotFound>(desk, actor, async (transaction) => {
    await lockAccount(transaction, place.accountId);
    const before = await hostedJson(transaction, place);
    const deleted = await deleteHosted(transaction, place.accountId, [place.credentialId]);
    if (deleted === 0) return refused({ kind: 'not-found' });
    return { kind: 'done', result: { kind: 'removed' }, entry: hostedEntry(place, { before, after: null }) };
  });
}

function hostedEntry({ credentialId }: HostedPlace, sides: Pick<AuditEntry, 'before' | 'after'>): AuditEntry {
  return { entity: 'hosted_credentials', key: String(credentialId), ...sides };
}

async function hostedJson(transaction: Database, place: HostedPlace): Promise<EntryJson | null> {
  const own: readonly HostedView[] = await listHosted(transaction, place.accountId);
  const found = own.find(({ id }) => id === place.credentialId);
  if (found === undefined) return null;
  const { vendorCode: vendor, name, hint, baseUrl, status } = found;
  return { account_id: place.accountId, vendor, name, secret_hint: hint, base_url: baseUrl ?? null, status };
}
