import type { Funds } from '../../accounts/contract.ts';
import type { ByokView } from '../../accounts/views.ts';
import type { EntryJson } from '../../catalog/entry-json.ts';
import { creditsMicro } from '../../catalog/price.ts';
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
  type AddByokResult,
  addByok,
  type ByokContext,
  type ByokPatch,
  type ByokRefusal,
  deleteByok,
  listByok,
  type NewByok,
  updateByok,
} from '../accounts/byok.ts';
import type { Database } from '../database.ts';
import { type Exchange, postExchange } from '../ledger/movement.ts';
import { lockWallets } from '../ledger/wallet.ts';
import { type Actor, type AuditContext, type AuditEntry, audited, type NotFound } from './audit.ts';

/*
 * What users do with what is theirs. With an actor, an operator does it for them, and it has a line in the
 * audit log. Of a key and of a secret that line has no more than lists show.
 */

/** Locked first: what is recorded as the state before is what was changed. */
export async function lockAccount(transaction: Database, accountId: number): Promise<void> {
  await transaction.query('select id from accounts where id = $1 for no key update', [accountId]);
}

const refused = <Refusal>(refusal: Refusal) => ({ kind: 'refused', refusal }) as const;

type Pools = Pick<Funds, 'balanceMicro' | 'creditsMicro'>;
type Exchanged = { readonly kind: 'exchanged'; readonly funds: Pools };
type ExchangeRefusal = { readonly kind: 'insufficient' } | { readonly kind: 'too-much' };

/** What an exchange makes of the funds, for the exchange itself and for its preview. */
export function judgeExchange(
  { balanceMicro, creditsMicro: ownMicro }: Pools,
  { amountMicro, creditsPerYuan }: Pick<Exchange, 'amountMicro' | 'creditsPerYuan'>,
): Exchanged | ExchangeRefusal {
  if (balanceMicro < amountMicro) return { kind: 'insufficient' };
  const afterMicro = ownMicro + creditsMicro(amountMicro, creditsPerYuan);
  if (afterMicro > AMOUNT_MICRO_MAX) return { kind: 'too-much' };
  return {
    kind: 'exchanged',
    funds: { balanceMicro: balanceMicro - amountMicro, creditsMicro: afterMicro },
  };
}

export function exchangeFunds(
  audit: AuditContext,
  wanted: Exchange,
  actor: Actor | undefined,
): Promise<Exchanged | ExchangeRefusal> {
  return audited<Exchanged, ExchangeRefusal>(audit, actor, async (transaction) => {
    const before = (await lockWallets(transaction, [wanted.accountId])).get(wanted.accountId);
    assert(before !== undefined, 'the wallet is held');
    const judged = judgeExchange(before, wanted);
    if (judged.kind !== 'exchanged') return refused(judged);
    const posted = await postExchange(transaction, wanted);
    if (posted.kind === 'insufficient') return refused(posted);
    const { funds } = posted;
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

function fundsJson({ balanceMicro, creditsMicro }: Pools): EntryJson {
  return { balance: formatMicro(balanceMicro), credits: formatMicro(creditsMicro) };
}

type KeyMade = Extract<CreatedKey, { kind: 'created' }>;

export function makeKey(
  audit: AuditContext,
  wanted: NewKey,
  { random, actor }: { readonly random: Random; readonly actor: Actor | undefined },
): Promise<CreatedKey> {
  return audited<KeyMade, Exclude<CreatedKey, KeyMade>>(audit, actor, async (transaction) => {
    const made = await createKey(transaction, wanted, random);
    if (made.kind !== 'created') return refused(made);
    return {
      kind: 'done',
      result: made,
      entry: keyEntry(made.key, { before: null, after: keyJson(made.key) }),
    };
  });
}

/** A key of one account. */
export interface KeyPlace {
  readonly accountId: number;
  readonly keyId: number;
}

export function revokeKeyAudited(
  audit: AuditContext,
  { accountId, keyId }: KeyPlace,
  actor: Actor,
): Promise<{ readonly kind: 'revoked' } | NotFound> {
  return audited<{ readonly kind: 'revoked' }, NotFound>(audit, actor, async (transaction) => {
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

type ByokAdded = Extract<AddByokResult, { kind: 'added' }>;

export function hostByok(
  audit: AuditContext,
  wanted: NewByok,
  { byokContext, actor }: { readonly byokContext: ByokContext; readonly actor: Actor | undefined },
): Promise<AddByokResult> {
  return audited<ByokAdded, ByokRefusal>(audit, actor, async (transaction) => {
    const made = await addByok(transaction, wanted, byokContext);
    if (made.kind !== 'added') return refused(made);
    const place = { accountId: wanted.accountId, credentialId: made.credentialId };
    const after = await findByokJson(transaction, place);
    return { kind: 'done', result: made, entry: hostedEntry(place, { before: null, after }) };
  });
}

/** A credential of one account. */
export interface ByokPlace {
  readonly accountId: number;
  readonly credentialId: number;
}

export function changeByok(
  audit: AuditContext,
  place: ByokPlace,
  change: {
    readonly patch: ByokPatch;
    readonly byokContext: ByokContext;
    readonly actor: Actor | undefined;
  },
): Promise<{ readonly kind: 'updated' } | ByokRefusal> {
  const { patch, byokContext, actor } = change;
  return audited<{ readonly kind: 'updated' }, ByokRefusal>(audit, actor, async (transaction) => {
    await lockAccount(transaction, place.accountId);
    const before = await findByokJson(transaction, place);
    const done = await updateByok(transaction, place, patch, byokContext);
    if (done.kind !== 'updated') return refused(done);
    const replaced = patch.secret === undefined ? {} : { secret_replaced: true };
    const after = { ...(await findByokJson(transaction, place)), ...replaced };
    return { kind: 'done', result: done, entry: hostedEntry(place, { before, after }) };
  });
}

/** All of them, or none if one of them is not there. */
export function removeByok(
  audit: AuditContext,
  { accountId, ids }: { readonly accountId: number; readonly ids: readonly number[] },
  actor: Actor | undefined,
): Promise<{ readonly kind: 'removed'; readonly deleted: number } | NotFound> {
  type Removed = { readonly kind: 'removed'; readonly deleted: number };
  return audited<Removed, NotFound>(audit, actor, async (transaction) => {
    await lockAccount(transaction, accountId);
    const own = await listByok(transaction, accountId);
    const entry = ids.map((credentialId) => {
      const place = { accountId, credentialId };
      return hostedEntry(place, { before: byokJson(own, place), after: null });
    });
    const deleted = await deleteByok(transaction, accountId, ids);
    if (deleted === 0) return refused({ kind: 'not-found' });
    return { kind: 'done', result: { kind: 'removed', deleted }, entry };
  });
}

function hostedEntry({ credentialId }: ByokPlace, sides: Pick<AuditEntry, 'before' | 'after'>): AuditEntry {
  return { entity: 'byok_credentials', key: String(credentialId), ...sides };
}

async function findByokJson(transaction: Database, place: ByokPlace): Promise<EntryJson | null> {
  return byokJson(await listByok(transaction, place.accountId), place);
}

function byokJson(own: readonly ByokView[], { accountId, credentialId }: ByokPlace): EntryJson | null {
  const found = own.find(({ id }) => id === credentialId);
  if (found === undefined) return null;
  const { vendorCode: vendor, name, hint, baseUrl, status } = found;
  return { account_id: accountId, vendor, name, secret_hint: hint, base_url: baseUrl ?? null, status };
}
