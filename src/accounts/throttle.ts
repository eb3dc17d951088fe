import { LOGIN_FAILURES_MS } from '../operations/bounds.ts';
import type { FailureRule, FailureScope } from './login-contract.ts';

/**
 * Rule A-8. A client that logged in before, from this address or with this browser, is delayed only by its
 * own failures. Strangers to an account also share one count, which bounds what a thousand addresses can try
 * together: at most ten at once, then one every two minutes, below 60 in any hour.
 */
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const PERSON: FailureRule = { limit: 5, waitMs: MINUTE_MS, waitMsMax: HOUR_MS };
const ADDRESS: FailureRule = { limit: 20, waitMs: MINUTE_MS, waitMsMax: HOUR_MS };
const STRANGERS: FailureRule = { limit: 10, waitMs: 15_000, waitMsMax: 2 * MINUTE_MS };

export interface Attempt {
  /** Marks of the e-mail address and of the client's address (accounts/token.ts `computeMark`). */
  readonly accountMark: string;
  readonly addressMark: string;
  /** Known for this account. */
  readonly deviceId: string | undefined;
  readonly addressKnown: boolean;
}

/** The scopes that count a login attempt. An unknown account has the same scopes as an existing one. */
export function loginScopes(attempt: Attempt): readonly FailureScope[] {
  const { accountMark, addressMark, deviceId, addressKnown } = attempt;
  // A neighbour behind the same address cannot use up the attempts of this browser.
  if (deviceId !== undefined) return [{ name: `device:${deviceId}`, rule: PERSON }];
  const pair = { name: `pair:${accountMark}:${addressMark}`, rule: PERSON };
  if (addressKnown) return [pair];
  return [
    pair,
    { name: `address:${addressMark}`, rule: ADDRESS },
    { name: `account:${accountMark}`, rule: STRANGERS },
  ];
}

/** Only the scopes of this visitor: a login of the owner does not reset the count of a guesser. */
export function clearedByLogin(scopes: readonly FailureScope[]): readonly string[] {
  return scopes.filter(({ rule }) => rule === PERSON).map(({ name }) => name);
}

/** Registrations count whether they succeed or not: each costs a hash and creates an account. */
export function registrationScopes(addressMark: string): readonly FailureScope[] {
  return [{ name: `register:${addressMark}`, rule: ADDRESS }];
}

const MAILS: FailureRule = { limit: 3, waitMs: MINUTE_MS, waitMsMax: HOUR_MS };
const MAILBOX: FailureRule = { limit: 10, waitMs: MINUTE_MS, waitMsMax: 10 * MINUTE_MS };

/** Mails that anybody can ask for: few from one place, and few to one mailbox. */
export function mailScopes(
  purpose: string,
  accountMark: string,
  addressMark: string,
): readonly FailureScope[] {
  return [
    { name: `${purpose}-pair:${accountMark}:${addressMark}`, rule: MAILS },
    { name: `${purpose}-address:${addressMark}`, rule: ADDRESS },
    { name: `${purpose}-account:${accountMark}`, rule: MAILBOX },
  ];
}

/** A thief of a session cannot guess the password behind it. */
export function passwordScopes(sessionId: string): readonly FailureScope[] {
  return [{ name: `password:${sessionId}`, rule: PERSON }];
}

/** The state of one scope. */
export interface Tally {
  readonly failures: number;
  readonly blockedUntilMs: number;
  /** From then on the count starts again. */
  readonly forgottenAtMs: number;
}

export function countFailure(rule: FailureRule, tally: Tally | undefined, nowMs: number): Tally {
  const before = tally === undefined || tally.forgottenAtMs <= nowMs ? 0 : tally.failures;
  const failures = before + 1;
  const blockedUntilMs = nowMs + waitAfter(rule, failures);
  return { failures, blockedUntilMs, forgottenAtMs: blockedUntilMs + LOGIN_FAILURES_MS };
}

/** Takes one back. Below the limit there is no wait. */
export function uncountFailure(rule: FailureRule, tally: Tally): Tally {
  const failures = Math.max(tally.failures - 1, 0);
  return failures < rule.limit ? { ...tally, failures, blockedUntilMs: 0 } : { ...tally, failures };
}

/** Doubles with every failure. The exponent is bounded. */
function waitAfter({ limit, waitMs, waitMsMax }: FailureRule, failures: number): number {
  if (failures < limit) return 0;
  return Math.min(waitMs * 2 ** Math.min(failures - limit, 30), waitMsMax);
}
