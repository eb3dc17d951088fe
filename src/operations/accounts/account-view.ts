import { maskDocument } from '../../kernel/encoding/mask.ts';
import { formatMicro } from '../../kernel/money.ts';
import type { Times } from '../../kernel/time/calendar.ts';
import type { ListedAccount } from '../../store/accounts/account-list.ts';
import type { ListedSubscription } from '../../store/accounts/subscriptions.ts';
import type { FoundVerification } from '../../store/accounts/verification-decision.ts';
import type { AccountDetail } from '../../store/operations/operator-accounts.ts';
import type { OperationDeps } from '../context.ts';

type Shown = Pick<Times, 'showTime'>;

export function shownListed(account: ListedAccount, { showTime }: Shown): object {
  return {
    id: account.id,
    email: account.email,
    status: account.status,
    role: account.role,
    user_type: account.userType,
    credits: formatMicro(account.creditsMicro),
    balance: formatMicro(account.balanceMicro),
    month_spent: formatMicro(account.monthSpentMicro),
    last_seen_at: account.lastSeenAtMs === undefined ? null : showTime(account.lastSeenAtMs),
    created_at: showTime(account.createdAtMs),
  };
}

export function shownAccount(
  detail: AccountDetail,
  context: Pick<OperationDeps, 'clock' | 'month' | 'showTime'>,
): object {
  const { account, keys, credentials, subscriptions, verification, createdAtMs, lastSeenAtMs } = detail;
  const { funds, preference } = account;
  const spentMicro = funds.month === context.month(context.clock.now()) ? funds.monthSpentMicro : 0n;
  return {
    ...shownListed({ ...account, ...funds, monthSpentMicro: spentMicro, lastSeenAtMs, createdAtMs }, context),
    user_rate: formatMicro(account.userRateMicro),
    policy_id: account.policyId ?? null,
    api_billing: account.apiBilling,
    auto_exchange: account.autoExchange,
    extra_api_quota: formatMicro(account.extraApiQuotaMicro),
    fallback_model: preference.fallbackModel,
    byok_fallback: preference.byokFallback,
    verification: verification === undefined ? null : wholeVerification(verification, context),
    subscriptions: subscriptions.items.map((each) => shownSubscription(each, context)),
    keys: keys.items.map((key) => ({
      id: key.id,
      name: key.name,
      prefix: key.prefix,
      policy_id: key.policyId ?? null,
      expires_at: key.expiresAtMs === undefined ? null : context.showTime(key.expiresAtMs),
      status: key.status,
      created_at: context.showTime(key.createdAtMs),
    })),
    keys_total: keys.total,
    credentials: credentials.map(({ id, vendorCode, name, hint, baseUrl, status }) => ({
      ...{ id, vendor: vendorCode, name, secret: `…${hint}`, base_url: baseUrl ?? null, status },
    })),
  };
}

export function shownSubscription(subscription: ListedSubscription, { showTime }: Shown): object {
  const { id, planCode, startsAtMs, endsAtMs, status } = subscription;
  return { id, plan: planCode, starts_at: showTime(startsAtMs), ends_at: showTime(endsAtMs), status };
}

/** For the operator who decides about this account: with the whole document number. */
function wholeVerification(verification: FoundVerification, shown: Shown): object {
  return { ...shownVerification(verification, shown), document_number: verification.documentNumber };
}

/** Lists and answers to decisions show only the end of the document number. */
export function shownVerification(verification: FoundVerification, { showTime }: Shown): object {
  const { id, accountId, email, kind, name, status, decidedAtMs } = verification;
  return {
    ...{ id, account_id: accountId, email, kind, name },
    document_number: maskDocument(verification.documentNumber),
    contact: verification.contact ?? null,
    status,
    reason: verification.reason ?? null,
    granted: formatMicro(verification.grantedMicro),
    created_at: showTime(verification.createdAtMs),
    decided_at: decidedAtMs === undefined ? null : showTime(decidedAtMs),
  };
}
