import { LOGIN_FAILURES_MS } from '../platform/bounds.ts';
import type { FailureRule, FailureScope } from './login-contract.ts';

/**
 * Rule A-8. Whoever was let in before, from this address or with this browser, is only slowed by
 * what fails right there. Strangers to an account share one count besides, which bounds what a thousand
 * addresses can try together: at most ten at once, then one every two minutes, below 60 in any hour.
 */
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const PERSON: FailureRule = { limit: 5, waitMs: MINUTE_MS, waitMsMax: HOUR_MS };
const ADDRESS: FailureRule = { limit: 20, waitMs: MINUTE_MS, waitMsMax: HOUR_MS };
const STRANGERS: FailureRule = { limit: 10, waitMs: 15_000, waitMsMax: 2 * MINUTE_MS };

export interface Attempt {
  /** Marks of the mailbox and of the address (accounts/token.ts `markOf`). */
  readonly accountMark: string;
  readonly addressMark: string;
  /** Known for this very account. */
  readonly deviceId: string | undefined;
  readonly addressKnown: boolean;
}

/** What counts an attempt to log in. An unknown account has the same scopes as one that exists. */
export function loginScopes(attempt: Attempt): readonly FailureScope[] {
  const { accountMark, addressMark, deviceId, addressKnown } = attempt;
  // A neighbour behind the same address cannot use up what this browser has.
  if (deviceId !== undefined) return [{ name: `device:${deviceId}`, rule: PERSON }];
  const pair = { name: `pair:${accountMark}:${addressMark}`, rule: PERSON };
  if (addressKnown) return [pair];
  return [
    pair,
    { name: `address:${addressMark}`, rule: ADDRESS },
    { name: `account:${accountMark}`, rule: STRANGERS },
  ];
}

/** Only what belongs to this one visitor: a login of the owner gives no guesser a fresh start. */
export function clearedByLogin(scopes: readonly FailureScope[]): readonly string[] {
  return scopes.filter(({ rule }) => rule === PERSON).map(({ name }) => name);
}

/** Registrations are counted whether they succeed or not: each costs a hash and makes an account. */
export function registrationScopes(addressMark: string): readonly FailureScope[] {
  return [{ name: `register:${addressMark}`, rule: ADDRESS }];
}

/** Whoever took over a session cannot guess the password behind it. */
export function passwordScopes(sessionId: string): readonly FailureScope[] {
  return [{ name: `password:${sessionId}`, rule: PERSON }];
}

/** What is known of one scope. */
export interface Tally {
  readonly failures: number;
  readonly blockedUntilMs: number;
  /** From then on nothing has happened. */
  readonly forgottenAtMs: number;
}

export function countFailure(rule: FailureRule, tally: Tally | undefined, nowMs: number): Tally {
  const before = tally === undefined || tally.forgottenAtMs <= nowMs ? 0 : tally.failures;
  const failures = before + 1;
  const blockedUntilMs = nowMs + waitAfter(rule, failures);
  return { failures, blockedUntilMs, forgottenAtMs: blockedUntilMs + LOGIN_FAILURES_MS };
}

/** Takes one back; who is below the limit again need not wait. */
export function uncountFailure(rule: FailureRule, tally: Tally): Tally {
  const failures = Math.max(tally.failures - 1, 0);
  return failures < rule.limit ? { ...tally, failures, blockedUntilMs: 0 } : { ...tally, failures };
}

/** Doubles with every failure; the exponent is bounded long before numbers end. */
function waitAfter({ limit, waitMs, waitMsMax }: FailureRule, failures: number): number {
  if (failures < limit) return 0;
  return Math.min(waitMs * 2 ** Math.min(failures - limit, 30), waitMsMax);
}
