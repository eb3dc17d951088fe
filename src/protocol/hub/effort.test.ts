import { describe, expect, it } from 'vitest';
import { someCapabilities } from '../../../test/support/hub.ts';
import { EFFORTS, type Effort } from '../../kernel/capability.ts';
import { budgetOfEffort, clampEffort, effortOfBudget } from './effort.ts';

describe('efforts', () => {
  it.each<[Effort, Effort[], Effort | undefined]>([
    ['high', ['low', 'medium', 'high'], 'high'],
    ['minimal', ['low', 'medium', 'high'], 'low'],
    ['max', ['low', 'medium', 'high'], 'high'],
    ['medium', ['low', 'high'], 'high'],
    ['none', ['low', 'medium', 'high'], 'low'],
    ['none', ['none', 'low'], 'none'],
    ['minimal', ['none', 'medium'], 'medium'],
    ['xhigh', ['low', 'max', 'high'], 'max'],
    ['high', [], undefined],
    ['high', ['none'], undefined],
  ])('%s on a model that takes %j is %s', (effort, allowed, expected) => {
    expect(clampEffort(effort, allowed)).toBe(expected);
  });

  it('become budgets within the bounds of the model, and budgets become efforts again', () => {
    const caps = someCapabilities({ budgetTokensMin: 128, budgetTokensMax: 65_536, thinkingOff: true });
    expect(EFFORTS.map((effort) => budgetOfEffort(effort, caps))).toEqual([
      0, 512, 1024, 8192, 24_576, 32_768, 65_536,
    ]);
    for (const effort of EFFORTS.slice(0, 6))
      expect(effortOfBudget(budgetOfEffort(effort, caps))).toBe(effort);
  });

  it('stay inside narrow bounds, and above zero where thinking cannot be switched off', () => {
    const caps = someCapabilities({ budgetTokensMin: 1024, budgetTokensMax: 8000, thinkingOff: false });
    expect(EFFORTS.map((effort) => budgetOfEffort(effort, caps))).toEqual([
      1024, 1024, 1024, 8000, 8000, 8000, 8000,
    ]);
  });
});
