import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ByteBudget } from './budget.ts';

const MIB = 1024 * 1024;
const BUDGET = 1024 * MIB;
const PIECE = 64 * 1024;

/** Takes until it is refused; what it got. */
function takeAll(budget: ByteBudget, owner: number): number {
  let bytes = 0;
  while (budget.take(owner, PIECE)) bytes += PIECE;
  return bytes;
}

test('one owner gets half of the budget, and again what it returned', () => {
  const budget = new ByteBudget(BUDGET);
  const got = takeAll(budget, 1);
  expect(got / BUDGET).toBeCloseTo(0.5, 2);
  budget.give(1, got);
  expect(budget.usedBytes).toBe(0);
  expect(takeAll(budget, 1)).toBe(got);
});

test('another owner still gets a whole large body beside one that holds its maximum', () => {
  const budget = new ByteBudget(BUDGET);
  takeAll(budget, 1);
  expect(takeAll(budget, 2)).toBeGreaterThan(100 * MIB);
});

test('two hundred owners at their maximum leave memory for everybody who holds little', () => {
  const budget = new ByteBudget(BUDGET);
  for (let owner = 1; owner <= 200; owner++) takeAll(budget, owner);
  for (let owner = 1_001; owner <= 1_050; owner++) expect(budget.take(owner, 100_000)).toBe(true);
});

test('an owner never returns more than it took, nor for another owner', () => {
  const budget = new ByteBudget(BUDGET);
  expect(budget.take(1, 10)).toBe(true);
  expect(() => budget.give(2, 10)).toThrow(/released/);
  expect(() => budget.give(1, 11)).toThrow(/released/);
  budget.give(1, 10);
  budget.give(1, 0);
});

test('the sum is right and the budget is never exceeded, in any order of takes and returns', () => {
  const step = fc.tuple(fc.nat(5), fc.integer({ min: 0, max: 400_000 }), fc.boolean());
  fc.assert(
    fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
      const budget = new ByteBudget(MIB);
      const held = [0, 0, 0, 0, 0, 0];
      for (const [owner, bytes, isTaking] of steps) {
        const before = held[owner] ?? 0;
        if (!isTaking) {
          const given = Math.min(bytes, before);
          budget.give(owner, given);
          held[owner] = before - given;
        } else if (budget.take(owner, bytes)) held[owner] = before + bytes;
        expect(budget.usedBytes).toBe(held.reduce((sum, one) => sum + one, 0));
        expect(budget.usedBytes).toBeLessThanOrEqual(MIB);
      }
    }),
  );
});
