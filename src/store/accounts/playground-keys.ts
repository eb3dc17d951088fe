import { hashApiKey, keyPrefix, newApiKey } from '../../accounts/api-key.ts';
import type { Random } from '../../kernel/random.ts';
import { SESSIONS_PRUNED_ROWS } from '../../operations/bounds.ts';
import type { Database } from '../database.ts';
import { touchAccount } from './accounts.ts';

export interface PlaygroundKey {
  /** The key itself: shown once, not stored. */
  readonly text: string;
  readonly prefix: string;
  readonly expiresAtMs: number;
}

export interface PlaygroundLogin {
  readonly accountId: number;
  readonly sessionId: string;
  readonly nowMs: number;
  /** It ends then, or with the login. */
  readonly expiresAtMs: number;
}

const NAME = 'playground';

/**
 * A key that lives as long as the login, and not longer than it may. It replaces the one before. A trigger
 * tells all nodes when the session ends. Undefined if the session has ended.
 */
export function makePlaygroundKey(
  database: Database,
  { accountId, sessionId, nowMs, expiresAtMs }: PlaygroundLogin,
  random: Random,
): Promise<PlaygroundKey | undefined> {
  const now = new Date(nowMs);
  return database.transaction(async (transaction) => {
    // The account before its sessions and its keys, as everywhere, so that there are no deadlocks.
    if (!(await touchAccount(transaction, accountId))) return undefined;
    const [session] = await transaction.query<{ expires_at: Date }>(
      `select expires_at from sessions
       where id = $1 and account_id = $2 and ended_at is null and expires_at > $3 for share`,
      [sessionId, accountId, now],
    );
    if (session === undefined) return undefined;
    await transaction.query(
      `delete from api_keys where account_id = $1 and session_id is not null
         and (session_id = $2 or expires_at <= $3)`,
      [accountId, sessionId, now],
    );
    const text = newApiKey(random);
    const endMs = Math.min(expiresAtMs, session.expires_at.getTime());
    await transaction.query(
      `insert into api_keys (account_id, name, prefix, key_hash, expires_at, status, session_id)
       values ($1, $2, $3, $4, $5, 'enabled', $6)`,
      [accountId, NAME, keyPrefix(text), hashApiKey(text), new Date(endMs), sessionId],
    );
    return { text, prefix: keyPrefix(text), expiresAtMs: endMs };
  });
}

/** Deletes keys that have expired, a bounded number at a time. */
export async function prunePlaygroundKeys(database: Database, nowMs: number): Promise<number> {
  const gone = await database.query(
    `delete from api_keys where id in (select id from api_keys
       where session_id is not null and expires_at <= $1
       order by expires_at limit $2 for update skip locked) returning 1`,
    [new Date(nowMs), SESSIONS_PRUNED_ROWS],
  );
  return gone.length;
}
