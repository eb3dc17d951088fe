import type { Account, ApiKey, StoredAccount, StoredSubscription } from '../../accounts/contract.ts';
import { type CredentialRow, credentialFromRow, type Unsealing } from '../catalog/read.ts';
import { idNumber } from '../database.ts';

/**
 * One row has all data of an account that a call needs, so a snapshot is from one moment. Inside JSON, money
 * is text, because JSON numbers are floats.
 */
export const ACCOUNT_COLUMNS = `
  accounts.id, accounts.version, accounts.email, accounts.status, accounts.role, accounts.user_type,
  accounts.user_rate_micro, accounts.policy_id as own_policy_id, accounts.api_billing, accounts.auto_exchange, accounts.extra_api_quota_micro,
  accounts.fallback_model, accounts.byok_fallback, accounts.funds_version, accounts.credits_micro,
  accounts.balance_micro, accounts.month, accounts.month_spent_micro,
  (select coalesce(json_agg(json_build_object(
            'id', each.id, 'planCode', each.plan_code,
            'startsAtMs', floor(extract(epoch from each.starts_at) * 1000),
            'endsAtMs', floor(extract(epoch from each.ends_at) * 1000)) order by each.ends_at, each.id), '[]')
   from subscriptions each
   where each.account_id = accounts.id and each.status = 'active' and each.ends_at > now()) as subscriptions,
  (select coalesce(json_agg(json_build_object(
            'id', each.id::text, 'vendor_code', each.vendor_code, 'name', each.name,
            'secret_sealed', each.secret_sealed, 'base_url', each.base_url,
            'rate_micro', each.rate_micro::text, 'limits', each.limits, 'status', each.status) order by each.id), '[]')
   from credentials each where each.owner_account_id = accounts.id) as byok`;

export interface AccountRow {
  readonly id: bigint;
  readonly version: bigint;
  readonly email: string;
  readonly status: Account['status'];
  readonly role: Account['role'];
  readonly user_type: number;
  readonly user_rate_micro: bigint;
  /** Not `policy_id`, which is that of the key in a row of both. */
  readonly own_policy_id: number | null;
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
  readonly subscriptions: readonly StoredSubscription[];
  readonly byok: readonly ByokJson[];
}

interface ByokJson extends Omit<CredentialRow, 'id' | 'rate_micro' | 'owner_account_id'> {
  readonly id: string;
  readonly rate_micro: string;
}

export function accountFromRow(row: AccountRow, unsealing: Unsealing): StoredAccount {
  return {
    id: idNumber(row.id),
    version: idNumber(row.version),
    email: row.email,
    status: row.status,
    role: row.role,
    userType: row.user_type,
    userRateMicro: row.user_rate_micro,
    policyId: row.own_policy_id ?? undefined,
    apiBilling: row.api_billing,
    autoExchange: row.auto_exchange,
    extraApiQuotaMicro: row.extra_api_quota_micro,
    preference: { fallbackModel: row.fallback_model, byokFallback: row.byok_fallback },
    subscriptions: row.subscriptions,
    byok: row.byok.map((each) => credentialFromRow(byokRow(each, row.id), unsealing)),
    funds: {
      version: idNumber(row.funds_version),
      creditsMicro: row.credits_micro,
      balanceMicro: row.balance_micro,
      month: row.month,
      monthSpentMicro: row.month_spent_micro,
    },
  };
}

function byokRow(json: ByokJson, ownerAccountId: bigint): CredentialRow {
  return {
    ...json,
    id: BigInt(json.id),
    rate_micro: BigInt(json.rate_micro),
    owner_account_id: ownerAccountId,
  };
}

export const KEY_COLUMNS = `
  api_keys.id as key_id, api_keys.account_id, api_keys.name as key_name, api_keys.prefix, api_keys.policy_id,
  api_keys.expires_at, api_keys.status as key_status`;

export interface KeyRow {
  readonly key_id: bigint;
  readonly account_id: bigint;
  readonly key_name: string;
  readonly prefix: string;
  readonly policy_id: number | null;
  readonly expires_at: Date | null;
  readonly key_status: ApiKey['status'];
}

export function keyFromRow(row: KeyRow): ApiKey {
  return {
    id: idNumber(row.key_id),
    accountId: idNumber(row.account_id),
    name: row.key_name,
    prefix: row.prefix,
    policyId: row.policy_id ?? undefined,
    expiresAtMs: row.expires_at?.getTime(),
    status: row.key_status,
  };
}
