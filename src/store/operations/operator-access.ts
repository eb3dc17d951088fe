import { findKey, type ListedKey, updateKey } from '../accounts/api-keys.ts';
import { createSessionStore } from '../accounts/sessions.ts';
import { type Actor, type AuditContext, audited, type NotFound } from './audit.ts';
import { type KeyPlace, keyEntry, keyJson, lockAccount } from './operator-holdings.ts';

/** What opens an account, as operators change it: its keys and its password. */

type KeyChanged = { readonly kind: 'changed'; readonly key: ListedKey };
type KeyRefusal = NotFound | { readonly kind: 'unknown-policy' };

export function changeKeyAudited(
  audit: AuditContext,
  { accountId, keyId }: KeyPlace,
  patch: Parameters<typeof updateKey>[2],
  actor: Actor,
): Promise<KeyChanged | KeyRefusal> {
  return audited<KeyChanged, KeyRefusal>(audit, actor, async (transaction) => {
    await lockAccount(transaction, accountId);
    const before = await findKey(transaction, accountId, keyId);
    const key = await updateKey(transaction, { accountId, keyId }, patch);
    if (key === 'unknown-policy') return { kind: 'refused', refusal: { kind: 'unknown-policy' } };
    if (before === undefined || key === undefined) {
      return { kind: 'refused', refusal: { kind: 'not-found' } };
    }
    const entry = keyEntry(key, { before: keyJson(before), after: keyJson(key) });
    return { kind: 'done', result: { kind: 'changed', key }, entry };
  });
}

/** The old password and every login are void when this returns; keys go on. */
export function resetPasswordAudited(
  audit: AuditContext,
  accountId: number,
  passwordHash: string,
  actor: Actor,
): Promise<{ readonly kind: 'reset'; readonly sessions: number } | NotFound> {
  return audited<{ readonly kind: 'reset'; readonly sessions: number }, NotFound>(
    audit,
    actor,
    async (transaction) => {
      const changed = await transaction.query(
        'update accounts set password_hash = $2 where id = $1 returning 1',
        [accountId, passwordHash],
      );
      if (changed.length === 0) return { kind: 'refused', refusal: { kind: 'not-found' } };
      const sessions = await createSessionStore(transaction).endAllSessions(accountId, audit.clock.now());
      const entry = {
        entity: 'accounts',
        key: String(accountId),
        before: { sessions },
        after: { password_replaced: true, sessions: 0 },
      };
      return { kind: 'done', result: { kind: 'reset', sessions }, entry };
    },
  );
}
