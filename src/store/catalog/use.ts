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

export interface PolicyUsers {
  readonly accounts: number;
  readonly keys: number;
}

/** As rule L-10 has it: the policy of the subscription, else the account's own, else the default. */
const POLICY_USERS = `
  with limited as (
    select coalesce((
      select plans.policy_id from subscriptions join plans on plans.code = subscriptions.plan_code
      where subscriptions.account_id = accounts.id and subscriptions.status = 'active'
        and subscriptions.starts_at <= $3 and subscriptions.ends_at > $3
      order by plans.level desc limit 1), accounts.policy_id, $2) as policy_id
    from accounts)
  select policy_id as id, (select count(*)::int from limited where limited.policy_id = wanted.policy_id) as accounts,
    (select count(*)::int from api_keys where api_keys.policy_id = wanted.policy_id) as keys
  from unnest($1::int[]) as wanted (policy_id)`;

export async function countPolicyUsers(
  database: Database,
  asked: {
    readonly policyIds: readonly number[];
    readonly defaultPolicyId: number | undefined;
    readonly nowMs: number;
  },
): Promise<ReadonlyMap<number, PolicyUsers>> {
  const { policyIds, defaultPolicyId = null, nowMs } = asked;
  if (policyIds.length === 0) return new Map();
  const rows = await database.query<{ id: number } & PolicyUsers>(POLICY_USERS, [
    policyIds,
    defaultPolicyId,
    new Date(nowMs).toISOString(),
  ]);
  return new Map(rows.map(({ id, accounts, keys }) => [id, { accounts, keys }]));
}
