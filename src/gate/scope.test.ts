import { describe, expect, it } from 'vitest';
import type { Dimension } from '../catalog/contract.ts';
import { ManualClock } from '../kernel/time/clock.ts';
import { Scope } from './scope.ts';
import { createCall, createPolicy, rule } from './suite/world.ts';
import { toRules, type Window } from './window.ts';

const MINUTE = toRules(createPolicy([rule('requests', 60, 9n)])).all;
const START_MS = Date.UTC(2026, 0, 1);

function use(scope: Scope, clock: ManualClock): Window {
  const running = scope.lookUp(MINUTE, clock.monotonic());
  scope.take(MINUTE, running, createCall(), clock.monotonic());
  const [window] = running;
  if (window === undefined) throw new Error('every call uses requests');
  return window;
}

function remembered(startedAtMs: number, used = 5n) {
  return { scope: 'key:1', dimension: 'requests' as Dimension, seconds: 60, startedAtMs, used };
}

describe('a scope', () => {
  it('names exactly the windows that the call was admitted under', () => {
    const rules = toRules(createPolicy([rule('images', 60, 9n), rule('tokens', 60, 9n)])).all;
    const scope = new Scope('key:1', new ManualClock());
    scope.take(rules, scope.lookUp(rules, 0), createCall({ inputTokens: 1, images: 2 }), 0);
    const running = scope.lookUp(rules, 5);
    scope.take(rules, running, createCall({ inputTokens: 3 }), 5);
    expect(running).toMatchObject([undefined, { endsAtMs: 60_000, used: 4n }]);
  });

  it('identifies a window by its scope, dimension, length and start', () => {
    const clock = new ManualClock();
    clock.advance(12_345);
    expect(use(new Scope('key:1', clock), clock).leased).toEqual({
      scope: 'key:1',
      dimension: 'requests',
      seconds: 60,
      startedAtMs: START_MS + 12_345,
    });
  });

  it('begins a window after a clock that was set back later than the one before', () => {
    const clock = new ManualClock();
    const scope = new Scope('key:1', clock);
    const first = use(scope, clock);
    clock.advance(60_000);
    clock.jump(-3_600_000);
    scope.sweep(clock.monotonic());
    const second = use(scope, clock);
    expect(second.leased.startedAtMs).toBe(first.leased.startedAtMs + 1);
    expect([second.used, second.endsAtMs]).toEqual([1n, 120_000]);
  });

  it('is idle when no slot is taken and no window runs', () => {
    const clock = new ManualClock();
    const scope = new Scope('key:1', clock);
    expect(scope.isIdle()).toBe(true);
    use(scope, clock);
    clock.advance(59_999);
    expect(scope.isIdle()).toBe(false);
    clock.advance(1);
    const slot = scope.slots.take(clock.monotonic());
    expect(scope.isIdle()).toBe(false);
    scope.slots.free(slot);
    expect(scope.isIdle()).toBe(true);
  });
});

describe('a stored window', () => {
  it('continues its count for the rest of its length, under its old name', () => {
    const clock = new ManualClock();
    clock.advance(1_000);
    const scope = new Scope('key:1', clock);
    scope.restore(remembered(clock.now() - 59_999), clock.monotonic());
    expect(use(scope, clock)).toMatchObject({
      used: 6n,
      endsAtMs: 1_001,
      leased: { startedAtMs: clock.now() - 59_999 },
    });
    clock.advance(1);
    expect(use(scope, clock)).toMatchObject({ used: 1n, leased: { startedAtMs: clock.now() } });
  });

  it('that has ended is not restored', () => {
    const clock = new ManualClock();
    const scope = new Scope('key:1', clock);
    scope.restore(remembered(clock.now() - 60_000), clock.monotonic());
    expect(scope.isIdle()).toBe(true);
    expect(use(scope, clock)).toMatchObject({ used: 1n, endsAtMs: 60_000 });
  });

  it('that begins ahead of a clock set back runs no longer than its length from now', () => {
    const clock = new ManualClock();
    const scope = new Scope('key:1', clock);
    scope.restore(remembered(clock.now() + 3_600_000), clock.monotonic());
    expect(use(scope, clock)).toMatchObject({ used: 6n, endsAtMs: 60_000 });
    clock.jump(86_400_000);
    expect(use(scope, clock)).toMatchObject({ used: 7n, endsAtMs: 60_000 });
  });
});
