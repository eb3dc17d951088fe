import { describe, expect, it } from 'vitest';
import { ManualClock, systemClock } from './clock.ts';

describe('the manual clock', () => {
  it('stands still until it is told to move', () => {
    const clock = new ManualClock(1_000);
    expect([clock.now(), clock.monotonic()]).toEqual([1_000, 0]);
    clock.advance(5);
    expect([clock.now(), clock.monotonic()]).toEqual([1_005, 5]);
  });

  it('jumps on the wall without touching durations', () => {
    const clock = new ManualClock(1_000);
    clock.jump(-400);
    expect([clock.now(), clock.monotonic()]).toEqual([600, 0]);
  });
});

describe('the system clock', () => {
  it('goes forward and knows the year', () => {
    const before = systemClock.monotonic();
    expect(systemClock.monotonic()).toBeGreaterThanOrEqual(before);
    expect(new Date(systemClock.now()).getUTCFullYear()).toBeGreaterThanOrEqual(2025);
  });
});
