import type { Account, StoredAccount } from '../../accounts/contract.ts';
import type { ByokView } from '../../accounts/views.ts';
import type { EntryJson } from '../../catalog/entry-json.ts';
import { assert } from '../../kernel/assert.ts';
import { formatMicro } from '../../kernel/money.ts';
import { SEEN } from '../accounts/account-list.ts';
import { createAccount, findAccount, updateAccount } from '../accounts/accounts.ts';
import { type ListedKey, listKeys } from '../accounts/api-keys.ts';
import { listByok } from '../accounts/byok.ts';
import { createSessionStore } from '../accounts/sessions.ts';
import { type ListedSubscription, listSubscriptions } from '../accounts/subscriptions.ts';
import { type FoundVerification, listVerifications } from '../accounts/verification-decision.ts';
import { type Database, idNumber, type Listed } from '../database.ts';
import { postOpening } from '../ledger/movement.ts';
import { type Actor, type AuditContext, audited, type NotFound } from './audit.ts';

export async function accountExists(database: Database, accountId: number): Promise<boolean> {
  const rows = await database.query('select 1 from accounts where id = $1', [accountId]);
  return rows.length === 1;
}

/** An account as operators see it, without hashes and secrets. */
/** The addresses of accounts, by their ids. */
export async function findEmails(
  database: Database,
  accountIds: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  const rows = await database.query<{ id: bigint; email: string }>(
    'select id, email from accounts where id = any($1::bigint[])',
    [accountIds],
  );
  return new Map(rows.map((row) => [idNumber(row.id), row.email]));
}

export interface AccountDetail {
  readonly account: Omit<StoredAccount, 'byok' | 'subscriptions'>;
  readonly createdAtMs: number;
  /** The last use of a key or a login. Undefined: never. */
  readonly lastSeenAtMs: number | undefined;
  readonly subscriptions: Listed<ListedSubscription>;
  readonly keys: Listed<ListedKey>;
  readonly credentials: readonly ByokView[];
  readonly verification: FoundVerification | undefined;
}

/** The newest keys and subscriptions; whoever wants all of them has pages of their own. */
const DETAIL_ROWS = 100;

export async function findAccountDetail(
  { database, sealer, clock, log }: AuditContext,
  accountId: number,
): Promise<AccountDetail | undefined> {
  const account = await findAccount(database, accountId, { sealer, log });
  if (account === undefined) return undefined;
  const { byok: _secrets, subscriptions: _running, ...rest } = account;
  const [created] = await database.query<{ created_at: Date; seen_at: Date | null }>(
    `select created_at, ${SEEN} as seen_at from accounts where id = $1`,
    [accountId],
  );
  assert(created !== undefined, 'accounts are never deleted');
  const part = { offset: 0, limit: DETAIL_ROWS };
  const last = { status: undefined, accountId, offset: 0, limit: 1 };
  const { items } = await listVerifications(database, last, sealer);
  return {
    account: rest,
    createdAtMs: created.created_at.getTime(),
    lastSeenAtMs: created.seen_at?.getTime(),
    subscriptions: await listSubscriptions(database, accountId, { ...part, nowMs: clock.now() }),
    keys: await listKeys(database, accountId, part),
    credentials: await listByok(database, accountId),
    verification: items[0],
  };
}

export interface WantedAccount {
  readonly email: string;
  readonly passwordHash: string;
  readonly role: Account['role'];
  readonly userType: number;
  readonly balanceMicro: bigint;
  readonly creditsMicro: bigint;
}

export function createAccountAudited(
  audit: AuditContext,
  wanted: WantedAccount,
  actor: Actor,
): Promise<{ readonly kind: 'created'; readonly accountId: number } | { readonly kind: 'email-taken' }> {
  const { email, passwordHash, role, userType, balanceMicro, creditsMicro } = wanted;
  return audited(audit, actor, async (transaction) => {
    const defaults = await readDefaults(transaction);
    const created = await createAccount(transaction, {
      ...{ email, passwordHash, role, userType, ...defaults },
      status: 'enabled',
      extraApiQuotaMicro: 0n,
      preference: { fallbackModel: null, byokFallback: false },
    });
    if (created.kind === 'email-taken') return { kind: 'refused', refusal: created };
    const { accountId } = created;
    await postOpening(transaction, { accountId, balanceMicro, creditsMicro, ref: 'opened by an operator' });
    const after = {
      ...{ email, role, user_type: userType },
      balance: formatMicro(balanceMicro),
      credits: formatMicro(creditsMicro),
    };
    const entry = { entity: 'accounts', key: String(accountId), before: null, after };
    return { kind: 'done', result: created, entry };
  });
}

interface Defaults {
  readonly userRateMicro: bigint;
  readonly apiBilling: boolean;
  readonly autoExchange: boolean;
}

async function readDefaults(transaction: Database): Promise<Defaults> {
  const [row] = await transaction.query<{ rate: bigint; api_billing: boolean; auto_exchange: boolean }>(
    `select default_user_rate_micro as rate, default_api_billing as api_billing,
       default_auto_exchange as auto_exchange from catalog_settings`,
  );
  assert(row !== undefined, 'the settings of the catalogue are one row');
  return { userRateMicro: row.rate, apiBilling: row.api_billing, autoExchange: row.auto_exchange };
}

/** An absent field stays as it is. */
export interface AccountChange {
  readonly status?: Account['status'];
  readonly role?: Account['role'];
  readonly userType?: number;
  readonly userRateMicro?: bigint;
  /** Null: the default of the catalogue. */
  readonly policyId?: number | null;
  readonly apiBilling?: boolean;
  readonly autoExchange?: boolean;
  readonly extraApiQuotaMicro?: bigint;
  readonly fallbackModel?: string | null;
  readonly byokFallback?: boolean;
}

/** Unknown: the catalogue has no such entry. */
type ChangeRefusal = NotFound | { readonly kind: 'unknown-model' | 'unknown-policy' };

export function changeAccountAudited(
  audit: AuditContext,
  accountId: number,
  patch: AccountChange,
  actor: Actor,
): Promise<{ readonly kind: 'changed' } | ChangeRefusal> {
  return audited<{ readonly kind: 'changed' }, ChangeRefusal>(audit, actor, async (transaction) => {
    // Locked first: what is recorded as the state before is what was changed.
    await transaction.query('select id from accounts where id = $1 for no key update', [accountId]);
    const before = await findAccount(transaction, accountId, audit);
    if (before === undefined) return { kind: 'refused', refusal: { kind: 'not-found' } };
    if (!(await isModel(transaction, patch.fallbackModel))) {
      return { kind: 'refused', refusal: { kind: 'unknown-model' } };
    }
    if (!(await isPolicy(transaction, patch.policyId))) {
      return { kind: 'refused', refusal: { kind: 'unknown-policy' } };
    }
    await updateAccount(transaction, accountId, patch);
    const after = await findAccount(transaction, accountId, audit);
    assert(after !== undefined, 'accounts are never deleted');
    const entry = {
      entity: 'accounts',
      key: String(accountId),
      before: part(before, patch),
      after: part(after, patch),
    };
    return { kind: 'done', result: { kind: 'changed' }, entry };
  });
}

/** What was changed of the account, as the API names it. */
function part(account: StoredAccount, patch: AccountChange): EntryJson {
  const { preference } = account;
  const all: Record<keyof AccountChange, readonly [name: string, value: unknown]> = {
    status: ['status', account.status],
    role: ['role', account.role],
    userType: ['user_type', account.userType],
    userRateMicro: ['user_rate', formatMicro(account.userRateMicro)],
    policyId: ['policy_id', account.policyId ?? null],
    apiBilling: ['api_billing', account.apiBilling],
    autoExchange: ['auto_exchange', account.autoExchange],
    extraApiQuotaMicro: ['extra_api_quota', formatMicro(account.extraApiQuotaMicro)],
    fallbackModel: ['fallback_model', preference.fallbackModel],
    byokFallback: ['byok_fallback', preference.byokFallback],
  };
  const names = (Object.keys(all) as (keyof AccountChange)[]).filter((name) => patch[name] !== undefined);
  return Object.fromEntries(names.map((name) => all[name]));
}

/** A misspelt fallback would be found out on the day it is needed. */
async function isModel(transaction: Database, modelId: string | null | undefined): Promise<boolean> {
  if (modelId === undefined || modelId === null) return true;
  const rows = await transaction.query('select 1 from models where model_id = $1', [modelId]);
  return rows.length === 1;
}

async function isPolicy(transaction: Database, policyId: number | null | undefined): Promise<boolean> {
  if (policyId === undefined || policyId === null) return true;
  const rows = await transaction.query('select 1 from policies where id = $1', [policyId]);
  return rows.length === 1;
}

/** Ends all logins of the account. */
export function endSessionsAudited(
  audit: AuditContext,
  accountId: number,
  actor: Actor,
): Promise<{ readonly kind: 'ended'; readonly sessions: number } | NotFound> {
  return audited<{ readonly kind: 'ended'; readonly sessions: number }, NotFound>(
    audit,
    actor,
    async (transaction) => {
      if (!(await accountExists(transaction, accountId))) {
        return { kind: 'refused', refusal: { kind: 'not-found' } };
      }
      const sessions = await createSessionStore(transaction).endAllSessions(accountId, audit.clock.now());
      const entry = {
        entity: 'sessions',
        key: String(accountId),
        before: { sessions },
        after: { sessions: 0 },
      };
      return { kind: 'done', result: { kind: 'ended', sessions }, entry };
    },
  );
}
