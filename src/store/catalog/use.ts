import { HEARTBEAT_LIVE_MS } from '../../bounds.ts';
import type { EntryKind } from '../../catalog/entries.ts';
import type { Database } from '../database.ts';

/** Counts what depends on an entry of the catalogue. */
interface Use {
  readonly what: string;
  readonly count: string;
}

const BYOK =
  'select count(*)::int as count from credentials where vendor_code = $1 and owner_account_id is not null';

const USES: Readonly<Partial<Record<EntryKind, readonly Use[]>>> = {
  vendors: [{ what: 'credentials of users', count: BYOK }],
  models: [
    {
      what: 'accounts that fall back to it',
      count: 'select count(*)::int as count from accounts where fallback_model = $1',
    },
  ],
  policies: [
    { what: 'keys', count: 'select count(*)::int as count from api_keys where policy_id = $1' },
    { what: 'accounts', count: 'select count(*)::int as count from accounts where policy_id = $1' },
  ],
  plans: [
    // Including ended ones: the record of a subscription names its plan.
    { what: 'subscriptions', count: 'select count(*)::int as count from subscriptions where plan_code = $1' },
  ],
  nodes: [
    {
      what: 'running processes',
      count: `select count(*)::int as count from node_heartbeats
        where node = $1 and seen_at > now() - ${HEARTBEAT_LIVE_MS} * interval '1 millisecond'
          and started_at < 'infinity'`,
    },
  ],
};

export async function outsideUsers(
  transaction: Database,
  kind: EntryKind,
  key: string,
): Promise<readonly string[]> {
  const users: string[] = [];
  for (const { what, count } of USES[kind] ?? []) {
    const [row] = await transaction.query<{ count: number }>(count, [key]);
    if (row !== undefined && row.count > 0) users.push(`${row.count} ${what}`);
  }
  return users;
}

const FOREIGN_KEY_VIOLATION = '23503';

export function isReferenced(error: unknown): boolean {
  return error instanceof Error && (error as { code?: unknown }).code === FOREIGN_KEY_VIOLATION;
}
