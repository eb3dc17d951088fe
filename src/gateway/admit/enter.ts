import type { Account } from '../../accounts/contract.ts';
import { creditsMicro, yuanOfMicro } from '../../catalog/price.ts';
import type {
  EnterRequest,
  GateAway,
  GateRefused,
  MoneyRequest,
  ScopedPolicy,
  Shortage,
} from '../../gate/contract.ts';
import { type ErrorName, type LimitHit, type Refusal, refuse } from '../../kernel/errors.ts';
import type { RequestFacts } from '../../protocol/dialect.ts';
import type { PaymentSources } from './eligible.ts';
import type { Quote } from './quote.ts';

export function limitsImages(limits: readonly ScopedPolicy[]): boolean {
  return limits.some(({ policy }) => policy?.windows.some(({ dimension }) => dimension === 'images'));
}

/** Rule L-28: how much is held of the most that the call may cost. */
export function moneyRequest(
  { mostMicro, shareMicro, leastMicro, isBounded }: Quote,
  { coverage, wallet }: PaymentSources,
  creditsPerYuan: number,
): MoneyRequest {
  return {
    wantMicro: creditsMicro(mostMicro, creditsPerYuan),
    shareMicro: creditsMicro(shareMicro, creditsPerYuan),
    leastMicro: creditsMicro(leastMicro, creditsPerYuan),
    wholeIfFree: isBounded,
    creditsPerYuan,
    coverage,
    wallet,
  };
}

export interface EntryTerms {
  readonly callId: string;
  readonly account: Account;
  readonly accountAgeMs: number;
  readonly limits: readonly ScopedPolicy[];
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
    limits,
    inputTokens: facts.inputTokensEstimate,
    images: facts.images,
    imagesGuess,
    videos: facts.videos ?? 0,
    money,
  };
}

/** The error for a call that is refused or stopped, by what is missing. */
export const SHORTAGE_ERRORS: Readonly<Record<Shortage, ErrorName>> = {
  amount: 'policyLimitExceeded',
  coverage: 'policyLimitExceeded',
  credits: 'insufficientCredits',
  cap: 'monthlyCapReached',
};

const REASONS: Readonly<Record<GateRefused['reason'], ErrorName>> = {
  ...SHORTAGE_ERRORS,
  concurrency: 'concurrencyExceeded',
  requests: 'policyLimitExceeded',
  images: 'policyLimitExceeded',
  videos: 'policyLimitExceeded',
  tokens: 'tokenLimitExceeded',
};

/** What the call asked of the gate, as far as a refusal explains itself with it. */
export type Needed = Pick<EnterRequest, 'limits'> &
  Partial<Pick<EnterRequest, 'inputTokens' | 'images' | 'imagesGuess' | 'money'>>;

/** The refusal for the call log. All its figures have the unit of the limit. */
export function limitHit(refused: GateRefused, needed: Needed): LimitHit {
  const { reason, scope, limit, used, seconds, retryAfterMs, heldMicro } = refused;
  const { money } = needed;
  const isYuan = reason === 'cap' && money !== undefined;
  return {
    of: reason,
    scope: scope ?? null,
    policy: needed.limits.find((one) => one.scope === scope)?.policy?.name ?? null,
    limit: String(limit),
    used: String(used),
    held: String(isYuan ? yuanOfMicro(heldMicro, money.creditsPerYuan) : heldMicro),
    needed: describeNeeded(reason, needed),
    seconds,
    resetMs: retryAfterMs,
  };
}

function describeNeeded(reason: GateRefused['reason'], needed: Needed): string | null {
  const { inputTokens, images = 0, imagesGuess = 0, money } = needed;
  switch (reason) {
    case 'concurrency':
    case 'requests':
    case 'videos':
      return '1';
    case 'tokens':
      return inputTokens === undefined ? null : String(inputTokens);
    case 'images':
      return String(images + imagesGuess);
    case 'credits':
      return money === undefined ? null : String(money.leastMicro);
    default:
      return money === undefined ? null : String(yuanOfMicro(money.leastMicro, money.creditsPerYuan));
  }
}

/** Rule I-45: the text of 42902 must not name the limit that was hit; the header `x-tollgate-limit` does. */
export function toRefusal(refused: GateRefused | GateAway, needed: Needed): Refusal {
  if (refused.kind === 'gate-away') return refuse('unavailable', { retryAfterMs: refused.retryAfterMs });
  const name = REASONS[refused.reason];
  if (refused.reason === 'credits' || refused.reason === 'cap') {
    return refuse(name, { hit: limitHit(refused, needed) });
  }
  const reset = Math.max(1, Math.ceil(refused.retryAfterMs / 1000));
  const limit =
    `${refused.reason}; limit=${refused.limit}; used=${refused.used}; ` +
    `window=${refused.seconds}; reset=${reset}; scope=${refused.scope?.split(':', 1)[0] ?? 'account'}`;
  return refuse(name, { retryAfterMs: refused.retryAfterMs, limit, hit: limitHit(refused, needed) });
}
