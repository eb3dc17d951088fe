import { describe, expect, it } from 'vitest';
import { BoundedMap } from './bounded-map.ts';

function resident(idle: boolean) {
  return { recent: false, isIdle: () => idle };
}

describe('the bounded map', () => {
  it('drops the least recently used entry', () => {
    const map = new BoundedMap<number, ReturnType<typeof resident>>(3);
    for (const key of [1, 2, 3]) map.add(key, resident(true));
    map.find(1);
    map.add(4, resident(true));
    expect([1, 2, 3, 4].map((key) => map.find(key) !== undefined)).toEqual([true, false, true, true]);
  });

  it('keeps entries that are in use beyond its bound, and shrinks again when they are idle', () => {
    const map = new BoundedMap<number, ReturnType<typeof resident>>(10);
    for (let key = 0; key < 40; key++) map.add(key, resident(false));
    expect(map.size).toBe(40);
    for (const value of map.values()) value.isIdle = () => true;
    for (let key = 100; key < 140; key++) map.add(key, resident(true));
    expect(map.size).toBe(10);
  });

  it('creates an entry once', () => {
    const map = new BoundedMap<number, ReturnType<typeof resident>>(1);
    map.add(1, resident(true));
    expect(() => map.add(1, resident(true))).toThrow('once');
  });
});
