import { describe, expect, it } from 'vitest';
import { ManualClock, systemClock } from './clock.ts';

describe('the manual clock', () => {
  it('stands still until it is moved', () => {
    const clock = new ManualClock(1_000);
    expect([clock.now(), clock.monotonic()]).toEqual([1_000, 0]);
    clock.advance(5);
    expect([clock.now(), clock.monotonic()]).toEqual([1_005, 5]);
  });

  it('can set the wall clock without changing durations', () => {
    const clock = new ManualClock(1_000);
    clock.jump(-400);
    expect([clock.now(), clock.monotonic()]).toEqual([600, 0]);
  });
});

describe('the system clock', () => {
  it('goes forward and has the current year', () => {
    const before = systemClock.monotonic();
    expect(systemClock.monotonic()).toBeGreaterThanOrEqual(before);
    expect(new Date(systemClock.now()).getUTCFullYear()).toBeGreaterThanOrEqual(2025);
  });
});
