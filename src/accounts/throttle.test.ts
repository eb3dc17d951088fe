import { describe, expect, it } from 'vitest';
import { LOGIN_FAILURES_MS } from '../operations/bounds.ts';
import type { FailureScope } from './login-contract.ts';
import { countFailure, loginScopes, type Tally, uncountFailure } from './throttle.ts';

const STRANGER = { accountMark: 'a', addressMark: 'x', deviceId: undefined, addressKnown: false };
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

function scopeOf(kind: string): FailureScope {
  const scope = loginScopes(STRANGER).find(({ name }) => name.startsWith(kind));
  if (scope === undefined) throw new Error(kind);
  return scope;
}

/** Tries as often as it is let, and tells when it was. */
function attack({ rule }: FailureScope, untilMs: number, restMs = 0): number[] {
  const tried: number[] = [];
  let tally: Tally | undefined;
  for (let nowMs = 0; nowMs < untilMs; ) {
    if (tally !== undefined && tally.blockedUntilMs > nowMs) {
      nowMs = tally.blockedUntilMs;
      continue;
    }
    tally = countFailure(rule, tally, nowMs);
    tried.push(nowMs);
    // One that knows the rules rests just before it would have to wait.
    if (restMs > 0 && tally.failures === rule.limit - 1) nowMs += restMs;
  }
  return tried;
}

function mostInAnHour(tried: readonly number[]): number {
  return Math.max(...tried.map((from) => tried.filter((at) => at >= from && at < from + HOUR).length));
}

describe('failures', () => {
  it('are free five times per account and address, then wait, doubling up to an hour', () => {
    const tried = attack(scopeOf('pair'), 5 * HOUR);
    expect(tried.slice(0, 5)).toEqual([0, 0, 0, 0, 0]);
    const waits = tried.slice(4).map((at, index, all) => (all[index + 1] ?? at) - at);
    expect(waits.slice(0, 8)).toEqual([1, 2, 4, 8, 16, 32, 60, 60].map((minutes) => minutes * MINUTE));
  });

  it('are free twenty times per address', () => {
    expect(attack(scopeOf('address'), MINUTE)).toHaveLength(20);
  });

  it('of all strangers to an account stay below 60 in any hour, in any rhythm', () => {
    expect(mostInAnHour(attack(scopeOf('account'), 6 * HOUR))).toBeLessThanOrEqual(60);
    const rested = attack(scopeOf('account'), 6 * HOUR, LOGIN_FAILURES_MS);
    expect(rested.length).toBeGreaterThan(100);
    expect(mostInAnHour(rested)).toBeLessThanOrEqual(60);
  });

  it('are forgotten a quarter of an hour after the last wait', () => {
    const { rule } = scopeOf('pair');
    const blocked = [1, 2, 3, 4, 5].reduce<Tally | undefined>(
      (tally) => countFailure(rule, tally, 0),
      undefined,
    );
    expect(blocked).toMatchObject({ failures: 5, blockedUntilMs: MINUTE });
    expect(countFailure(rule, blocked, MINUTE + LOGIN_FAILURES_MS - 1).failures).toBe(6);
    expect(countFailure(rule, blocked, MINUTE + LOGIN_FAILURES_MS).failures).toBe(1);
  });

  it('are taken back with their wait when they were no failures', () => {
    const { rule } = scopeOf('pair');
    const five = { failures: 5, blockedUntilMs: MINUTE, forgottenAtMs: HOUR };
    expect(uncountFailure(rule, five)).toMatchObject({ failures: 4, blockedUntilMs: 0 });
    expect(uncountFailure(rule, { ...five, failures: 7 })).toMatchObject({
      failures: 6,
      blockedUntilMs: MINUTE,
    });
  });
});

describe('an attempt', () => {
  it('by a known browser of the account is never counted with strangers', () => {
    const names = (attempt: Parameters<typeof loginScopes>[0]): string[] =>
      loginScopes(attempt).map(({ name }) => name);
    expect(names(STRANGER)).toEqual(['pair:a:x', 'address:x', 'account:a']);
    expect(names({ ...STRANGER, addressKnown: true })).toEqual(['pair:a:x']);
    expect(names({ ...STRANGER, deviceId: 'd' })).toEqual(['device:d']);
  });
});
