import type { CallRecord } from '../ledger/contract.ts';
import type { Database } from './database.ts';

/**
 * A key that was used within this time is not written again: a busy key costs one small write a minute.
 * Whoever gave his key away wants to know the day, not the second.
 */
const PRECISION = "interval '1 minute'";

/** In the order of the ids, after the accounts were locked: nobody waits in a circle. */
const MARK_USED = `
  with due as (
    select api_keys.id, used.at
    from unnest($1::bigint[], $2::timestamptz[]) as used(id, at) join api_keys on api_keys.id = used.id
    where api_keys.last_used_at is null or api_keys.last_used_at < used.at - ${PRECISION}
    order by api_keys.id for no key update of api_keys)
  update api_keys set last_used_at = due.at from due where api_keys.id = due.id`;

/** When the keys of these calls were used last. A key that is gone is nobody's to remember. */
export async function markKeysUsed(transaction: Database, calls: readonly CallRecord[]): Promise<void> {
  const lastMs = new Map<number, number>();
  for (const { keyId, createdAtMs } of calls) {
    lastMs.set(keyId, Math.max(lastMs.get(keyId) ?? 0, createdAtMs));
  }
  const times = [...lastMs.values()].map((timeMs) => new Date(timeMs).toISOString());
  await transaction.query(MARK_USED, [[...lastMs.keys()], times], 'mark-keys-used');
}
