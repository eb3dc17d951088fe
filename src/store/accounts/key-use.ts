import { KEY_USE_REMEMBERED_MAX } from '../../bounds.ts';
import type { CallRecord } from '../../ledger/contract.ts';
import { type Columns, encodeColumns, time, whole } from '../columns.ts';
import type { Part, Writes } from '../writes.ts';

/**
 * A key that was used within this time is not written again: a busy key costs one small write a minute. The
 * owner needs the day, not the second.
 */
const PRECISION_MS = 60_000;

/** By the ids of keys: when each was last used. */
export type Uses = ReadonlyMap<number, number>;

const USE_COLUMNS: Columns<readonly [keyId: number, usedAtMs: number]> = {
  key_id: whole('bigint', ([keyId]) => keyId),
  used_at: time(([, usedAtMs]) => usedAtMs),
};

/** In the order of the ids, after the accounts are locked, so that there are no deadlocks. */
const MARK_USED: Part = {
  name: 'marked',
  columns: USE_COLUMNS,
  text: (given) => `
    with due as (
      select id, used_at from ${given} join api_keys on id = key_id
      where last_used_at is null or last_used_at < used_at - interval '${PRECISION_MS} milliseconds'
      order by id for no key update of api_keys)
    update api_keys set last_used_at = due.used_at from due where api_keys.id = due.id`,
};

/** Caches what it wrote, so that most batches write nothing. Deleted keys are not cached. */
export class KeyUse {
  readonly #written = new Map<number, number>();

  /** The last uses of the keys of these calls that must be written. */
  add(writes: Writes, calls: readonly CallRecord[]): Uses {
    const due = new Map<number, number>();
    for (const { keyId, createdAtMs } of calls) {
      const knownMs = due.get(keyId) ?? (this.#written.get(keyId) ?? Number.NEGATIVE_INFINITY) + PRECISION_MS;
      if (createdAtMs > knownMs) due.set(keyId, createdAtMs);
    }
    if (due.size > 0) writes.add(MARK_USED, encodeColumns(USE_COLUMNS, [...due]));
    return due;
  }

  /** Called once they are committed. */
  remember(uses: Uses): void {
    if (this.#written.size + uses.size > KEY_USE_REMEMBERED_MAX) this.#written.clear();
    for (const [keyId, usedAtMs] of uses) this.#written.set(keyId, usedAtMs);
  }
}
