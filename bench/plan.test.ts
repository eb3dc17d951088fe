import { describe, expect, it } from 'vitest';
import { PARTS, planOf, TARGETS } from './plan.ts';

const EVERYTHING = { length: 'full', targets: undefined, scenarios: undefined, repeats: undefined } as const;

describe('planOf', () => {
  it('measures every part without being asked, each in at least five repeats', () => {
    const plan = planOf(EVERYTHING);
    expect(new Set(plan.map(({ part }) => part))).toEqual(new Set(['traffic', ...PARTS]));
    expect(plan[0]?.targets).toEqual(TARGETS);
    for (const { timing } of plan) expect(timing.repeats).toBeGreaterThanOrEqual(5);
  });

  it('takes the targets and kinds of traffic that are named, and refuses unknown names', () => {
    const plan = planOf({
      ...EVERYTHING,
      targets: ['bare', 'tollgate'],
      scenarios: ['json-small', 'growth'],
    });
    const names = plan.map(({ part, targets, scenarios }) => [part, targets.length, scenarios.length]);
    expect(names).toEqual([
      ['traffic', 2, 1],
      ['growth', 2, 5],
      ['growth', 3, 1],
      ['growth', 3, 1],
    ]);
    expect(() => planOf({ ...EVERYTHING, scenarios: ['nothing'] })).toThrow('"nothing"');
    expect(() => planOf({ ...EVERYTHING, targets: ['nobody'] })).toThrow('"nobody"');
  });
});
