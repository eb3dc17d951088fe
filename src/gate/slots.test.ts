import { describe, expect, it } from 'vitest';
import { SLOT_LIFETIME_MS } from '../bounds.ts';
import { Slots } from './slots.ts';

describe('slots', () => {
  it('count what is taken and not freed', () => {
    const slots = new Slots();
    const first = slots.take(0);
    slots.take(0);
    expect(slots.countAtLeast(1, 0)).toBe(2);
    slots.free(first);
    slots.free(first);
    expect(slots.countAtLeast(1, 0)).toBe(1);
  });

  it('expire one by one, each at the end of its own life', () => {
    const slots = new Slots();
    for (const takenAtMs of [0, 10, 20]) slots.take(takenAtMs);
    const left = [SLOT_LIFETIME_MS - 1, SLOT_LIFETIME_MS, SLOT_LIFETIME_MS + 15, SLOT_LIFETIME_MS + 20].map(
      (nowMs) => slots.countAtLeast(1, nowMs),
    );
    expect(left).toEqual([3, 2, 1, 0]);
  });
});
