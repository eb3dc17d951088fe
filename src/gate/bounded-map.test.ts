import { describe, expect, it } from 'vitest';
import { Roster } from './bounded-map.ts';

function resident(idle: boolean) {
  return { recent: false, isIdle: () => idle };
}

describe('roster', () => {
  it('forgets the oldest that nobody asked for since', () => {
    const roster = new Roster<number, ReturnType<typeof resident>>(3);
    for (const key of [1, 2, 3]) roster.add(key, resident(true));
    roster.find(1);
    roster.add(4, resident(true));
    expect([1, 2, 3, 4].map((key) => roster.find(key) !== undefined)).toEqual([true, false, true, true]);
  });

  it('keeps whoever is not idle, and shrinks again when they are', () => {
    const roster = new Roster<number, ReturnType<typeof resident>>(10);
    for (let key = 0; key < 40; key++) roster.add(key, resident(false));
    expect(roster.size).toBe(40);
    for (const value of roster.values()) value.isIdle = () => true;
    for (let key = 100; key < 140; key++) roster.add(key, resident(true));
    expect(roster.size).toBe(10);
  });

  it('somebody moves in once', () => {
    const roster = new Roster<number, ReturnType<typeof resident>>(1);
    roster.add(1, resident(true));
    expect(() => roster.add(1, resident(true))).toThrow('once');
  });
});
