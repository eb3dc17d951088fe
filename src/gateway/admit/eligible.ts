import type { Account } from '../../accounts/contract.ts';
import { currentSubscription } from '../../accounts/subscription.ts';
import type { CoverageRequest, WalletRequest } from '../../gate/contract.ts';
import { ERRORS, type Refusal, refuse } from '../../kernel/errors.ts';

const UNVERIFIED = 0;
const GUIDANCE = 'Verify your account to receive free quota.';
/** Advice for an account whose balance could buy the missing Credits. */
export const EXCHANGE = 'Exchange balance into Credits, or switch auto-exchange on.';

/**
 * What can pay for a call that the platform serves: a subscription first, then Credits. At least one is set.
 */
export interface PaymentSources {
  readonly coverage: CoverageRequest | undefined;
  readonly wallet: WalletRequest | undefined;
}

export interface Moment {
  readonly nowMs: number;
  /** The month that the monthly cap counts. */
  readonly month: string;
}

/**
 * Rule S-17 for calls that the platform serves: a valid subscription whose plan covers the model, or API
 * billing with Credits. `undefined`: neither. The account's own credentials come before both
 * (serving-options.ts).
 */
export function findPaymentSources(
  account: Account,
  modelId: string,
  moment: Moment,
): PaymentSources | undefined {
  const coverage = findCoverage(account, modelId, moment.nowMs);
  const wallet = findWallet(account, moment.month);
  return coverage === undefined && wallet === undefined ? undefined : { coverage, wallet };
}

/**
 * Whether the account could pay for any model at all. Used before the body is read and the model is known.
 */
export function couldBill(account: Account, { nowMs, month }: Moment): boolean {
  const hasByok = account.byok.some(({ status }) => status === 'enabled');
  if (hasByok || findWallet(account, month) !== undefined) return true;
  const windows = currentSubscription(account, nowMs)?.plan.coverageWindows ?? [];
  return windows.length > 0;
}

/**
 * A plan covers calls up to its windows. A plan without windows gives level and policy, and covers nothing.
 */
function findCoverage(account: Account, modelId: string, nowMs: number): CoverageRequest | undefined {
  const subscription = currentSubscription(account, nowMs);
  if (subscription === undefined) return undefined;
  const { coversModels, coverageWindows } = subscription.plan;
  if (coverageWindows.length === 0) return undefined;
  if (coversModels !== '*' && !coversModels.includes(modelId)) return undefined;
  return { scope: `subscription:${subscription.id}`, windows: coverageWindows };
}

function findWallet(account: Account, month: string): WalletRequest | undefined {
  const { funds, autoExchange, extraApiQuotaMicro: capMicro } = account;
  if (!account.apiBilling) return undefined;
  const hasFunds = funds.creditsMicro > 0n || (autoExchange && funds.balanceMicro > 0n);
  return hasFunds ? { funds, autoExchange, capMicro, month } : undefined;
}

/** Returns 40202, with advice for an account that is not verified; or 40201 if only Credits are missing. */
export function notBillable(account: Account): Refusal {
  const { apiBilling, funds, userType } = account;
  if (apiBilling && funds.balanceMicro > 0n) {
    return refuse('insufficientCredits', {
      message: `${ERRORS.insufficientCredits.message}: none are left. ${EXCHANGE}`,
    });
  }
  const { message } = ERRORS.notBillable;
  return refuse('notBillable', {
    message: userType <= UNVERIFIED ? `${message}. ${GUIDANCE}` : message,
  });
}
