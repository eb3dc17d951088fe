import type { StoredAccount } from '../../accounts/contract.ts';
import type { EntryJson } from '../../catalog/entry-json.ts';
import { assert } from '../../kernel/assert.ts';
import { formatMicro } from '../../kernel/money.ts';
import type {
  AccountChange,
  AccountChanges,
  AccountDetail,
  NotFound,
  UnknownEntry,
  WantedAccount,
} from '../../operations/admin-ports.ts';
import type { Actor } from '../../operations/contract.ts';
import { listAccounts } from '../accounts/account-list.ts';
import { createAccount, findAccount, updateAccount } from '../accounts/accounts.ts';
import { listKeys } from '../accounts/api-keys.ts';
import { listByok } from '../accounts/byok.ts';
import { createSessionStore } from '../accounts/sessions.ts';
import { listSubscriptions } from '../accounts/subscriptions.ts';
import { decideVerification, listVerifications } from '../accounts/verification-decision.ts';
import type { ApplyOptions } from '../catalog/catalog.ts';
import type { Database } from '../database.ts';
import { postOpening } from '../ledger/movement.ts';
import { type AuditContext, audited } from './audit.ts';
import { changeKeyAudited, resetPasswordAudited } from './operator-access.ts';
import { revokeKeyAudited } from './operator-holdings.ts';
import { cancelAudited, grantAudited, moveAudited } from './operator-money.ts';

export interface AccountAuditContext extends AuditContext {
  readonly options: ApplyOptions;
}

/** What operators do with accounts. Whatever is written stands in the audit log. */
export function accountChanges(audit: AccountAuditContext): AccountChanges {
  const { database } = audit;
  return {
    search: (wanted) => listAccounts(database, wanted),
    find: (accountId, nowMs) => findDetail(audit, accountId, nowMs),
    create: (wanted, actor) => create(audit, wanted, actor),
    change: (accountId, patch, actor) => change(audit, accountId, { patch, actor }),
    endSessions: (accountId, nowMs, actor) => endSessions(audit, accountId, { nowMs, actor }),
    sessions: (accountId, nowMs) => listSessions(database, accountId, nowMs),
    resetPassword: async (accountId, { password, nowMs }, actor) => {
      // Hashing takes its time, so it is done before anything is locked.
      const passwordHash = await audit.options.hashPassword(password);
      return resetPasswordAudited(audit, accountId, { passwordHash, nowMs, actor });
    },
    keys: (accountId, part) => listKeys(database, accountId, part),
    changeKey: (place, patch, actor) => changeKeyAudited(audit, place, { patch, actor }),
    removeKey: (place, actor) => revokeKeyAudited(audit, place, actor),
    move: (accountId, wanted, actor) => moveAudited(audit, accountId, { wanted, actor }),
    subscriptions: (accountId, part) => listSubscriptions(database, accountId, part),
    grant: (wanted, nowMs, actor) => grantAudited(audit, wanted, { nowMs, actor }),
    cancel: (place, actor) => cancelAudited(audit, place, actor),
    verifications: (wanted) => listVerifications(database, wanted, audit.options.sealer),
    decide: (verificationId, decision, actor) =>
      decideVerification(audit, verificationId, { decision, actor }),
  };
}

async function listSessions(
  database: Database,
  accountId: number,
  nowMs: number,
): ReturnType<AccountChanges['sessions']> {
  const found = await database.query('select 1 from accounts where id = $1', [accountId]);
  return found.length === 0 ? undefined : createSessionStore(database).listSessions(accountId, nowMs);
}

/** The newest keys and subscriptions; whoever wants all of them has pages of their own. */
const DETAIL_ROWS = 100;

async function findDetail(
  { database, options }: AccountAuditContext,
  accountId: number,
  nowMs: number,
): Promise<AccountDetail | undefined> {
  const account = await findAccount(database, accountId, options);
  if (account === undefined) return undefined;
  const { byok: _secrets, subscriptions: _running, ...rest } = account;
  const [created] = await database.query<{ created_at: Date }>(
    'select created_at from accounts where id = $1',
    [accountId],
  );
  assert(created !== undefined, 'accounts are never deleted');
  const part = { offset: 0, limit: DETAIL_ROWS };
  const last = { status: undefined, accountId, offset: 0, limit: 1 };
  const { items } = await listVerifications(database, last, options.sealer);
  return {
    account: rest,
    createdAtMs: created.created_at.getTime(),
    subscriptions: await listSubscriptions(database, accountId, { ...part, nowMs }),
    keys: await listKeys(database, accountId, part),
    credentials: await listByok(database, accountId),
    verification: items[0],
  };
}

async function create(
  audit: AccountAuditContext,
  wanted: WantedAccount,
  actor: Actor,
): Promise<{ readonly kind: 'created'; readonly accountId: number } | { readonly kind: 'email-taken' }> {
  // Hashing takes its time, so it is done before anything is locked.
  const passwordHash = await audit.options.hashPassword(wanted.password);
  const { email, role, userType, balanceMicro, creditsMicro } = wanted;
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

function change(
  audit: AccountAuditContext,
  accountId: number,
  { patch, actor }: { readonly patch: AccountChange; readonly actor: Actor },
): ReturnType<AccountChanges['change']> {
  return audited<{ readonly kind: 'changed' }, NotFound | UnknownEntry>(audit, actor, async (transaction) => {
    // Locked first: what is recorded as the state before is what was changed.
    await transaction.query('select id from accounts where id = $1 for no key update', [accountId]);
    const before = await findAccount(transaction, accountId, audit.options);
    if (before === undefined) return { kind: 'refused', refusal: { kind: 'not-found' } };
    if (!(await isModel(transaction, patch.fallbackModel))) {
      return { kind: 'refused', refusal: { kind: 'unknown-model' } };
    }
    if (!(await isPolicy(transaction, patch.policyId))) {
      return { kind: 'refused', refusal: { kind: 'unknown-policy' } };
    }
    await updateAccount(transaction, accountId, patch);
    const after = await findAccount(transaction, accountId, audit.options);
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

function endSessions(
  audit: AccountAuditContext,
  accountId: number,
  { nowMs, actor }: { readonly nowMs: number; readonly actor: Actor },
): ReturnType<AccountChanges['endSessions']> {
  return audited<{ readonly kind: 'ended'; readonly sessions: number }, NotFound>(
    audit,
    actor,
    async (transaction) => {
      const found = await transaction.query('select id from accounts where id = $1', [accountId]);
      if (found.length === 0) return { kind: 'refused', refusal: { kind: 'not-found' } };
      const sessions = await createSessionStore(transaction).endAllSessions(accountId, nowMs);
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
