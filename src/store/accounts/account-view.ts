import type { Account, StoredSubscription } from '../../accounts/contract.ts';
import { type Database, idNumber } from '../database.ts';

/** An account as its owner may see it. Sealed and hashed values are not read. */
export interface AccountView extends Omit<Account, 'version' | 'status' | 'role' | 'subscriptions' | 'byok'> {
  readonly createdAtMs: number;
  /** Current and future subscriptions. */
  readonly subscriptions: readonly StoredSubscription[];
}

interface ViewRow {
  readonly id: bigint;
  readonly email: string;
  readonly user_type: number;
  readonly user_rate_micro: bigint;
  readonly policy_id: number | null;
  readonly api_billing: boolean;
  readonly auto_exchange: boolean;
  readonly extra_api_quota_micro: bigint;
  readonly fallback_model: string | null;
  readonly byok_fallback: boolean;
  readonly funds_version: bigint;
  readonly credits_micro: bigint;
  readonly balance_micro: bigint;
  readonly month: string;
  readonly month_spent_micro: bigint;
  readonly created_at: Date;
  readonly subscriptions: readonly StoredSubscription[];
}

const VIEW = `
  select id, email, user_type, user_rate_micro, policy_id, api_billing, auto_exchange, extra_api_quota_micro, fallback_model,
    byok_fallback, funds_version, credits_micro, balance_micro, month, month_spent_micro, created_at,
    (select coalesce(json_agg(json_build_object(
              'id', each.id, 'planCode', each.plan_code,
              'startsAtMs', floor(extract(epoch from each.starts_at) * 1000),
              'endsAtMs', floor(extract(epoch from each.ends_at) * 1000)) order by each.ends_at, each.id), '[]')
     from subscriptions each
     where each.account_id = accounts.id and each.status = 'active' and each.ends_at > now()) as subscriptions
  from accounts where id = $1`;

export async function findAccountView(
  database: Database,
  accountId: number,
): Promise<AccountView | undefined> {
  const [row] = await database.query<ViewRow>(VIEW, [accountId]);
  if (row === undefined) return undefined;
  return {
    id: idNumber(row.id),
    email: row.email,
    userType: row.user_type,
    userRateMicro: row.user_rate_micro,
    policyId: row.policy_id ?? undefined,
    apiBilling: row.api_billing,
    autoExchange: row.auto_exchange,
    extraApiQuotaMicro: row.extra_api_quota_micro,
    preference: { fallbackModel: row.fallback_model, byokFallback: row.byok_fallback },
    funds: {
      version: idNumber(row.funds_version),
      creditsMicro: row.credits_micro,
      balanceMicro: row.balance_micro,
      month: row.month,
      monthSpentMicro: row.month_spent_micro,
    },
    createdAtMs: row.created_at.getTime(),
    subscriptions: row.subscriptions,
  };
}
