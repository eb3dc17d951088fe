import { CONDITIONS_MAX } from '../../alerts/bounds.ts';
import type { Condition, ConditionSource } from '../../alerts/contract.ts';
import { CREDITS_LOW_MICRO, KEY_EXPIRING_MS, LIMIT_HIT_MS } from '../../alerts/thresholds.ts';
import { formatMicro } from '../../kernel/money.ts';
import type { Times } from '../../kernel/time/calendar.ts';
import type { Clock } from '../../kernel/time/clock.ts';
import { type Database, idNumber } from '../database.ts';

export interface UserConditionParts extends Pick<Times, 'showTime'> {
  readonly database: Database;
  readonly clock: Clock;
  readonly creditsPerYuan: number;
  /** The month of a time in the time zone of the server. */
  month(timeMs: number): string;
}

/** Conditions of accounts, only of those that have a channel for the kind. */
export function createUserSources(parts: UserConditionParts): readonly ConditionSource[] {
  return [
    { kinds: ['credits-low'], find: () => findCreditsLow(parts) },
    { kinds: ['cap-near', 'cap-reached'], find: () => findCaps(parts) },
    { kinds: ['key-expiring'], find: () => findExpiringKeys(parts) },
    { kinds: ['limit-hit'], find: () => findLimitHits(parts) },
  ];
}

/** Enabled accounts with an open channel for one of these kinds: `$1`. One row more than is told. */
const ASKING = `exists (select from alert_channels channels where channels.account_id = accounts.id
  and channels.status = 'enabled' and channels.alerts && $1::text[]) and accounts.status = 'enabled'`;
const LIMIT = `limit ${CONDITIONS_MAX + 1}`;

/** Credits, and the balance if it is exchanged by itself. Who may not pay with them is not told. */
async function findCreditsLow({
  database,
  creditsPerYuan,
}: UserConditionParts): Promise<readonly Condition[]> {
  const rows = await database.query<{ id: bigint; within: string; low: bigint }>(
    `select id, within::text as within, low from (
       select accounts.id, coalesce(settings.credits_low_micro, $2::bigint) as low, credits_micro::numeric
         + case when auto_exchange then balance_micro::numeric * $3 else 0 end as within
       from accounts left join alert_settings settings on settings.account_id = accounts.id
       where api_billing and ${ASKING}) as funds
     where within < low order by id ${LIMIT}`,
    [['credits-low'], CREDITS_LOW_MICRO, creditsPerYuan],
  );
  return rows.map(({ id, within, low }) => ({
    ...{ kind: 'credits-low', key: `credits-low:${id}`, accountId: idNumber(id) },
    details: { credits: formatMicro(BigInt(within)), threshold: formatMicro(low) },
  }));
}

/** The month is in the key, so that the next month tells again. */
async function findCaps({ database, clock, month }: UserConditionParts): Promise<readonly Condition[]> {
  const now = month(clock.now());
  const rows = await database.query<{ id: bigint; spent: bigint; cap: bigint }>(
    `select id, month_spent_micro as spent, extra_api_quota_micro as cap from accounts
     where month = $2 and extra_api_quota_micro > 0
       and month_spent_micro::numeric * 10 >= extra_api_quota_micro::numeric * 8 and ${ASKING}
     order by id ${LIMIT}`,
    [['cap-near', 'cap-reached'], now],
  );
  return rows.map(({ id, spent, cap }) => {
    const kind = spent >= cap ? 'cap-reached' : 'cap-near';
    const details = { spent: formatMicro(spent), cap: formatMicro(cap), month: now };
    return { kind, key: `${kind}:${id}:${now}`, accountId: idNumber(id), details };
  });
}

/** Not those of the playground. A key whose expiry was moved is told anew. */
async function findExpiringKeys(parts: UserConditionParts): Promise<readonly Condition[]> {
  const { database, showTime } = parts;
  const rows = await database.query<{ id: bigint; account_id: bigint; name: string; expires_at: Date }>(
    `select keys.id, keys.account_id, keys.name, keys.expires_at
     from api_keys keys join accounts on accounts.id = keys.account_id
     where keys.status = 'enabled' and keys.session_id is null and keys.expires_at > now()
       and keys.expires_at <= now() + $2 * interval '1 millisecond' and ${ASKING}
     order by keys.id ${LIMIT}`,
    [['key-expiring'], KEY_EXPIRING_MS],
  );
  return rows.map(({ id, account_id: owner, name, expires_at: at }) => ({
    ...{ kind: 'key-expiring', key: `key-expiring:${id}:${at.getTime()}`, accountId: idNumber(owner) },
    details: { name, expires_at: showTime(at.getTime()) },
  }));
}

/** From the log of refused calls. Money has alerts of its own. */
async function findLimitHits({ database }: UserConditionParts): Promise<readonly Condition[]> {
  const rows = await database.query<{ id: bigint; of: string; scope: string; limit: string }>(
    `select accounts.id, hit.of, hit.scope, hit.limit from accounts cross join lateral (
       select refusal -> 'hit' ->> 'of' as of, coalesce(refusal -> 'hit' ->> 'scope', '') as scope,
         max(refusal -> 'hit' ->> 'limit') as limit
       from calls where calls.account_id = accounts.id
         and created_at > now() - $2 * interval '1 millisecond' and refusal -> 'hit' is not null
       group by 1, 2) as hit
     where hit.of not in ('credits', 'cap') and ${ASKING} order by accounts.id, hit.of, hit.scope ${LIMIT}`,
    [['limit-hit'], LIMIT_HIT_MS],
  );
  return rows.map(({ id, of, scope, limit }) => ({
    ...{ kind: 'limit-hit', key: `limit-hit:${id}:${of}:${scope}`, accountId: idNumber(id) },
    details: { limit: of, scope, value: limit },
  }));
}
