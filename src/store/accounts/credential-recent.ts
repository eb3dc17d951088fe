import type { RecentUse } from '../../accounts/views.ts';
import { RECENT_CALLS_MAX } from '../../operations/bounds.ts';
import type { Database } from '../database.ts';

const RECENT_TEXT = `
  select calls.created_at as "createdAt", attempt ->> 'credential' as name, attempt ->> 'outcome' as outcome
  from (select id, created_at, attempts from calls where account_id = $1
    order by created_at desc, id desc limit ${RECENT_CALLS_MAX}) as calls
  cross join lateral jsonb_array_elements(calls.attempts) with ordinality as each(attempt, place)
  where attempt -> 'own' = 'true'
  order by calls.created_at desc, calls.id desc, place desc`;

interface AttemptRow {
  readonly createdAt: Date;
  readonly name: string;
  readonly outcome: string;
}

/** How the last attempts with each BYOK credential ended, by its name, from the account's newest calls. */
export async function findRecentUse(
  database: Database,
  accountId: number,
): Promise<ReadonlyMap<string, RecentUse>> {
  const rows = await database.query<AttemptRow>(RECENT_TEXT, [accountId]);
  const found = new Map<string, RecentUse>();
  const ended = new Set<string>();
  for (const { createdAt, name, outcome } of rows) {
    const timeMs = createdAt.getTime();
    const known = found.get(name);
    if (known === undefined) {
      const failingSinceMs = outcome === 'ok' ? undefined : timeMs;
      found.set(name, { lastUsedAtMs: timeMs, lastOutcome: outcome, failingSinceMs });
    } else if (outcome !== 'ok' && !ended.has(name)) {
      found.set(name, { ...known, failingSinceMs: timeMs });
    }
    if (outcome === 'ok') ended.add(name);
  }
  return found;
}
