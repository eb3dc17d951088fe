import type { Account, Caller } from '../accounts/contract.ts';
import { currentSubscription } from '../accounts/subscription.ts';
import type { CatalogSnapshot, Policy } from '../catalog/contract.ts';
import { creditsMicro } from '../catalog/price.ts';
import type { EnterRequest, GateAway, GateRefused, MoneyRequest } from '../gate/contract.ts';
import { type ErrorName, type Refusal, refuse } from '../kernel/errors.ts';
import { MICRO } from '../kernel/money.ts';
import type { RequestFacts } from '../protocol/dialect.ts';
import type { Means } from './eligible.ts';
import type { Quote } from './quote.ts';

/**
 * decisions.md 7: the subscription's policy, else the key's, else the account default; and where it counts.
 */
export interface Limits {
  readonly scope: string;
  readonly policy: Policy | undefined;
}

type Whose = Pick<Caller, 'account' | 'key'>;

export function chooseLimits(caller: Whose, catalog: CatalogSnapshot, nowMs: number): Limits {
  const { account, key } = caller;
  const accountScope = `account:${account.id}`;
  const plan = currentSubscription(account, nowMs)?.plan;
  if (plan?.policyId !== undefined)
    return { scope: accountScope, policy: catalog.policies.get(plan.policyId) };
  const keyPolicy = key.policyId === undefined ? undefined : catalog.policies.get(key.policyId);
  if (keyPolicy !== undefined) return { scope: `key:${key.id}`, policy: keyPolicy };
  const { policyId } = catalog.defaults;
  return { scope: accountScope, policy: policyId === undefined ? undefined : catalog.policies.get(policyId) };
}

export function limitsImages({ policy }: Limits): boolean {
  return policy?.windows.some(({ dimension }) => dimension === 'images') ?? false;
}

/**
 * decisions.md 3.5: the most the call may cost is held. If less is free, what is free is held, as long as it
 * pays for the input and one Credit more; but never more than the call can cost at all.
 */
export function moneyRequest(
  { mostMicro, inputMicro }: Quote,
  { coverage, purse }: Means,
  creditsPerYuan: number,
): MoneyRequest {
  const wantMicro = creditsMicro(mostMicro, creditsPerYuan);
  const inputAndOne = creditsMicro(inputMicro, creditsPerYuan) + MICRO;
  const leastMicro = inputAndOne < wantMicro ? inputAndOne : wantMicro;
  return { wantMicro, leastMicro, creditsPerYuan, coverage, purse };
}

export interface EntryTerms {
  readonly callId: string;
  readonly account: Account;
  readonly accountAgeMs: number;
  readonly limits: Limits;
  readonly facts: RequestFacts;
  readonly imagesGuess: number;
  readonly money: MoneyRequest | undefined;
}

export function enterRequest(terms: EntryTerms): EnterRequest {
  const { callId, account, accountAgeMs, limits, facts, imagesGuess, money } = terms;
  return {
    callId,
    accountId: account.id,
    accountVersion: account.version,
    accountAgeMs,
    scope: limits.scope,
    policy: limits.policy,
    inputTokens: facts.inputTokensEstimate,
    images: facts.images,
    imagesGuess,
    videos: 0,
    money,
  };
}

const REASONS: Readonly<Record<GateRefused['reason'], ErrorName>> = {
  concurrency: 'concurrencyExceeded',
  requests: 'policyLimitExceeded',
  images: 'policyLimitExceeded',
  videos: 'policyLimitExceeded',
  amount: 'policyLimitExceeded',
  coverage: 'policyLimitExceeded',
  tokens: 'tokenLimitExceeded',
  credits: 'insufficientCredits',
  cap: 'monthlyCapReached',
};

/** 42902's text must not name the real dimension (spec 7.2); `x-tollgate-limit` does. */
export function refusalOf(refused: GateRefused | GateAway): Refusal {
  if (refused.kind === 'gate-away') return refuse('unavailable', { retryAfterMs: refused.retryAfterMs });
  const name = REASONS[refused.reason];
  if (refused.reason === 'credits' || refused.reason === 'cap') return refuse(name);
  const reset = Math.max(1, Math.ceil(refused.retryAfterMs / 1000));
  const limit =
    `${refused.reason}; limit=${refused.limit}; used=${refused.used}; ` +
    `window=${refused.seconds}; reset=${reset}`;
  return refuse(name, { retryAfterMs: refused.retryAfterMs, limit });
}
