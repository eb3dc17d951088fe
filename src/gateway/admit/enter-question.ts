import type { IncomingHttpHeaders } from 'node:http';
import type { Caller } from '../../accounts/contract.ts';
import { chooseLimits } from '../../accounts/limits.ts';
import { ACCOUNT_READS_MAX } from '../../bounds.ts';
import { isRefusal, type Refusal, refuse } from '../../kernel/errors.ts';
import type { Gateway } from '../gateway.ts';
import { toRefusal } from './enter.ts';
import { identifyAgain, WAIT_MS } from './identify.ts';

/** A request that is not a call: it counts tokens, or asks about what an account has. */
interface Question {
  readonly id: string;
  readonly nowMs: number;
  readonly caller: Caller;
  readonly headers: IncomingHttpHeaders;
}

export interface EnteredQuestion {
  /** As the gate knows the account: another node may have changed it meanwhile. */
  readonly caller: Caller;
  leave(): Promise<void>;
}

/**
 * Counts a request that is not a call (rule L-48). The policy of calls limits it too, but with counters of
 * its own, by their name, so that it uses up no calls. What `refuses` does not let in counts nowhere.
 */
export async function enterQuestion(
  counters: 'count' | 'ask',
  question: Question,
  gateway: Gateway,
  refuses: (caller: Caller) => Refusal | undefined = () => undefined,
): Promise<EnteredQuestion | Refusal> {
  let { caller } = question;
  for (let reads = 0; reads <= ACCOUNT_READS_MAX; reads++) {
    const entered = refuses(caller) ?? (await tryGate(counters, { ...question, caller }, gateway));
    if (entered !== 'stale') return entered;
    const found = await identifyAgain(question, caller, gateway, question.nowMs);
    if (isRefusal(found)) return found;
    caller = found;
  }
  return refuse('unavailable', { retryAfterMs: WAIT_MS });
}

/** `stale`: the gate knows a newer version of the account. */
async function tryGate(
  counters: string,
  { id, nowMs, caller }: Question,
  { deps, directory }: Gateway,
): Promise<EnteredQuestion | Refusal | 'stale'> {
  const { gate, observer, clock } = deps;
  const { account } = caller;
  const limits = chooseLimits(caller, directory.catalog(), nowMs).map(({ scope, policy }) => ({
    scope: `${counters}:${scope}`,
    policy,
  }));
  const entered = await gate.enter({
    callId: id,
    accountId: account.id,
    accountVersion: account.version,
    accountAgeMs: clock.monotonic() - caller.readAtMs,
    limits,
    inputTokens: 0,
    images: 0,
    imagesGuess: 0,
    videos: 0,
    money: undefined,
  });
  if (entered.kind === 'stale') return 'stale';
  if (entered.kind !== 'entered') {
    if (entered.kind === 'gate-refused') observer.gateRefused(entered.reason);
    return toRefusal(entered, { limits: [] });
  }
  const actuals = { tokens: 0, amountMicro: 0n, chargeMicro: 0n, images: 0 };
  return { caller, leave: async () => gate.leave(entered.lease, actuals) };
}
