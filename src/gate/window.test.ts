import { describe, expect, it } from 'vitest';
import type { PolicyWindow } from '../catalog/contract.ts';
import { ManualClock } from '../kernel/time/clock.ts';
import { Scope } from './scope.ts';
import { createCall, createPolicy } from './suite/world.ts';
import { findRefusal, type Rule, toCoverageRules, toRules } from './window.ts';

function rulesFor(...windows: PolicyWindow[]): readonly Rule[] {
  return toRules(createPolicy(windows)).all;
}

describe('windows', () => {
  it('have no rules without a policy, and rules are computed once per policy and plan', () => {
    expect(toRules(undefined).all).toEqual([]);
    const policy = createPolicy([]);
    expect(toRules(policy)).toBe(toRules(policy));
    const coverage = [{ seconds: 5, amountMicro: 7n }];
    expect(toCoverageRules(coverage)).toBe(toCoverageRules(coverage));
  });

  it('are identified by dimension and length', () => {
    const rules = rulesFor(
      { dimension: 'requests', seconds: 60, limit: 1n },
      { dimension: 'requests', seconds: 61, limit: 1n },
      { dimension: 'tokens', seconds: 60, limit: 1n },
    );
    expect(new Set(rules.map((rule) => rule.key)).size).toBe(3);
  });

  it('of one length and coverage follow the stricter rule', () => {
    const rules = toCoverageRules([
      { seconds: 60, amountMicro: 5n },
      { seconds: 60, amountMicro: 3n },
    ]);
    expect(rules).toMatchObject([{ dimension: 'amount', seconds: 60, limit: 3n }]);
  });

  it('admit at most the limit at every instant of their length', () => {
    const rules = rulesFor({ dimension: 'requests', seconds: 1, limit: 3n });
    const scope = new Scope('key:1', new ManualClock());
    const passed: number[] = [];
    for (let nowMs = 0; nowMs < 5_000; nowMs++) {
      const running = scope.lookUp(rules, nowMs);
      if (findRefusal(rules, running, createCall(), nowMs) !== undefined) continue;
      scope.take(rules, running, createCall(), nowMs);
      passed.push(nowMs);
    }
    expect(passed).toEqual([0, 1, 2, 1000, 1001, 1002, 2000, 2001, 2002, 3000, 3001, 3002, 4000, 4001, 4002]);
  });
});
