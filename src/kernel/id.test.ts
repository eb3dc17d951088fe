import { describe, expect, it } from 'vitest';
import { newCallId, timeOfCallId } from './id.ts';

describe('call ids', () => {
  it('have one shape', () => {
    expect(newCallId(Date.UTC(2026, 0, 1))).toMatch(/^req_[0-9a-hjkmnp-tv-z]{26}$/);
  });

  it('sort by time', () => {
    const times = [0, 1, 31, 32, 1_000, 1_767_225_600_000, 1_767_225_600_001, 281_474_976_710_655];
    const ids = times.map((time) => newCallId(time));
    expect([...ids].sort()).toEqual(ids);
  });

  it('can be converted back to their time', () => {
    for (const time of [0, 1, 32_767, 32_768, 1_767_225_600_001, 281_474_976_710_655]) {
      expect(timeOfCallId(newCallId(time))).toBe(time);
    }
    for (const text of [
      '',
      'req_',
      'req_1',
      `${newCallId(5)}x`,
      `x${newCallId(5)}`,
      `req_${'z'.repeat(26)}`,
    ]) {
      expect(timeOfCallId(text)).toBeUndefined();
    }
  });

  it('are different within one millisecond, over many blocks of randomness', () => {
    const ids = new Set(Array.from({ length: 5_000 }, () => newCallId(5)));
    expect(ids.size).toBe(5_000);
  });

  it('use every digit evenly in the random part', () => {
    const counts = new Map<string, number>();
    for (let index = 0; index < 4_000; index++) {
      for (const digit of newCallId(5).slice(14)) counts.set(digit, (counts.get(digit) ?? 0) + 1);
    }
    expect(counts.size).toBe(32);
    // 64,000 digits: 2,000 each, standard deviation 44.
    for (const count of counts.values()) expect(Math.abs(count - 2_000)).toBeLessThan(300);
  });

  it('refuse an invalid time', () => {
    for (const time of [-1, 1.5, Number.NaN]) expect(() => newCallId(time)).toThrow(/whole number/);
  });
});
