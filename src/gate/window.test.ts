import { describe, expect, it } from 'vitest';
import type { PolicyWindow } from '../catalog/contract.ts';
import { findRefusal, lookUp, type Rule, rulesOf, takeWindows, type Window, type Windows } from './window.ts';

function rulesFor(...windows: PolicyWindow[]): readonly Rule[] {
  return rulesOf({ id: 1, name: 'test', concurrency: undefined, windows });
}

function takes(nowMs: number, tokens = 0n, images = 0n) {
  return { tokens, images, videos: 0n, nowMs };
}

/** Enters a call if every window admits it. */
function pass(windows: Windows, rules: readonly Rule[], call: ReturnType<typeof takes>): boolean {
  const running = lookUp(windows, rules, call.nowMs);
  if (findRefusal(rules, running, call) !== undefined) return false;
  takeWindows(windows, rules, running, call);
  return true;
}

describe('windows', () => {
  it('no policy has no rules, and rules are made once per policy', () => {
    expect(rulesOf(undefined)).toEqual([]);
    const policy = { id: 1, name: 'x', concurrency: 1, windows: [] };
    expect(rulesOf(policy)).toBe(rulesOf(policy));
  });

  it('a dimension and a length are one window, any other pair is another', () => {
    const rules = rulesFor(
      { dimension: 'requests', seconds: 60, limit: 1n },
      { dimension: 'requests', seconds: 61, limit: 1n },
      { dimension: 'tokens', seconds: 60, limit: 1n },
    );
    expect(new Set(rules.map((rule) => rule.key)).size).toBe(3);
  });

  it('at most the limit passes in any window, for every instant of its length', () => {
    const rules = rulesFor({ dimension: 'requests', seconds: 1, limit: 3n });
    const windows: Windows = new Map();
    const passed: number[] = [];
    for (let nowMs = 0; nowMs < 5_000; nowMs++) if (pass(windows, rules, takes(nowMs))) passed.push(nowMs);
    expect(passed).toEqual([0, 1, 2, 1000, 1001, 1002, 2000, 2001, 2002, 3000, 3001, 3002, 4000, 4001, 4002]);
  });

  it('after taking, exactly the windows are named that the call was admitted under', () => {
    const rules = rulesFor(
      { dimension: 'images', seconds: 60, limit: 9n },
      { dimension: 'tokens', seconds: 60, limit: 9n },
    );
    const windows: Windows = new Map();
    pass(windows, rules, takes(0, 1n, 2n));
    const running: (Window | undefined)[] = lookUp(windows, rules, 5);
    takeWindows(windows, rules, running, takes(5, 3n, 0n));
    expect(running).toEqual([undefined, { endsAtMs: 60_000, used: 4n }]);
  });
});
