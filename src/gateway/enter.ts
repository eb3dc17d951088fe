import type { Account, Caller } from '../accounts/contract.ts';
import type { CatalogSnapshot, Policy } from '../catalog/contract.ts';
import { creditsMicro } from '../catalog/price.ts';
import type { EnterRequest, GateRefused, HoldRequest } from '../gate/contract.ts';
import { type ErrorName, type Refusal, refuse } from '../kernel/errors.ts';
import { MICRO } from '../kernel/money.ts';
import type { RequestFacts } from '../protocol/dialect.ts';
import type { Quote } from './quote.ts';

/**
 * decisions.md 7: the subscription's policy, else the key's, else the account default; and where it counts.
 */
export interface Limits {
  readonly scope: string;
  readonly policy: Policy | undefined;
}

export function chooseLimits(caller: Caller, catalog: CatalogSnapshot, nowMs: number): Limits {
  const { account, key } = caller;
  const accountScope = `account:${account.id}`;
  for (const { plan, startsAtMs, endsAtMs } of account.subscriptions) {
    if (plan.policyId === undefined || nowMs < startsAtMs || nowMs >= endsAtMs) continue;
    return { scope: accountScope, policy: catalog.policies.get(plan.policyId) };
  }
  const keyPolicy = key.policyId === undefined ? undefined : catalog.policies.get(key.policyId);
  if (keyPolicy !== undefined) return { scope: `key:${key.id}`, policy: keyPolicy };
  const { policyId } = catalog.defaults;
  return { scope: accountScope, policy: policyId === undefined ? undefined : catalog.policies.get(policyId) };
}

export interface HoldTerms {
  readonly quote: Quote;
  readonly creditsPerYuan: number;
  readonly month: string;
}

/**
 * decisions.md 3.5: the most the call may cost is held. If less is free, what is free is held, as long as it
 * pays for the input and one Credit more; but never more than the call can cost at all.
 */
export function holdRequest(account: Account, { quote, creditsPerYuan, month }: HoldTerms): HoldRequest {
  const wantMicro = creditsMicro(quote.mostMicro, creditsPerYuan);
  const inputAndOne = creditsMicro(quote.inputMicro, creditsPerYuan) + MICRO;
  return {
    funds: account.funds,
    wantMicro,
    leastMicro: inputAndOne < wantMicro ? inputAndOne : wantMicro,
    autoExchange: account.autoExchange,
    creditsPerYuan,
    capMicro: account.extraApiQuotaMicro,
    month,
  };
}

export interface EntryTerms {
  readonly callId: string;
  readonly accountId: number;
  readonly limits: Limits;
  readonly facts: RequestFacts;
  readonly hold: HoldRequest | undefined;
}

export function enterRequest({ callId, accountId, limits, facts, hold }: EntryTerms): EnterRequest {
  return {
    callId,
    accountId,
    scope: limits.scope,
    policy: limits.policy,
    inputTokens: facts.inputTokensEstimate,
    images: facts.images,
    videos: 0,
    hold,
  };
}

const REASONS: Readonly<Record<GateRefused['reason'], ErrorName>> = {
  concurrency: 'concurrencyExceeded',
  requests: 'policyLimitExceeded',
  images: 'policyLimitExceeded',
  videos: 'policyLimitExceeded',
  amount: 'policyLimitExceeded',
  tokens: 'tokenLimitExceeded',
  credits: 'insufficientCredits',
  cap: 'monthlyCapReached',
};

/** 42902's text must not name the real dimension (spec 7.2); `x-tollgate-limit` does. */
export function refusalOf(refused: GateRefused): Refusal {
  const name = REASONS[refused.reason];
  if (refused.reason === 'credits' || refused.reason === 'cap') return refuse(name);
  const reset = Math.max(1, Math.ceil(refused.retryAfterMs / 1000));
  const limit =
    `${refused.reason}; limit=${refused.limit}; used=${refused.used}; ` +
    `window=${refused.seconds}; reset=${reset}`;
  return refuse(name, { retryAfterMs: refused.retryAfterMs, limit });
}
