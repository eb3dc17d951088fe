import { describe, expect, it } from 'vitest';
import { BoundedMap } from './bounded-map.ts';

function resident(idle: boolean) {
  return { recent: false, isIdle: () => idle };
}

describe('map', () => {
  it('forgets the oldest that nobody asked for since', () => {
    const map = new BoundedMap<number, ReturnType<typeof resident>>(3);
    for (const key of [1, 2, 3]) map.add(key, resident(true));
    map.find(1);
    map.add(4, resident(true));
    expect([1, 2, 3, 4].map((key) => map.find(key) !== undefined)).toEqual([true, false, true, true]);
  });

  it('keeps whoever is not idle, and shrinks again when they are', () => {
    const map = new BoundedMap<number, ReturnType<typeof resident>>(10);
    for (let key = 0; key < 40; key++) map.add(key, resident(false));
    expect(map.size).toBe(40);
    for (const value of map.values()) value.isIdle = () => true;
    for (let key = 100; key < 140; key++) map.add(key, resident(true));
    expect(map.size).toBe(10);
  });

  it('somebody moves in once', () => {
    const map = new BoundedMap<number, ReturnType<typeof resident>>(1);
    map.add(1, resident(true));
    expect(() => map.add(1, resident(true))).toThrow('once');
  });
});
