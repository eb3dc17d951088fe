import { expect, test } from 'vitest';
import { CREDITS_PER_YUAN, PRICE } from '../../../test/support/calls.ts';
import { NO_USAGE } from '../../kernel/usage.ts';
import { withinHold } from './within-hold.ts';

// 10 Credits for the input, 0.03 for an output token.
const usage = { ...NO_USAGE, inputFresh: 1_000, outputText: 100, outputReasoning: 50 };
const paid = (heldMicro: bigint) => {
  const { outputText, outputReasoning } = withinHold(usage, heldMicro, PRICE, CREDITS_PER_YUAN);
  return [outputText, outputReasoning];
};

test('usage within the hold stays unchanged', () => {
  expect(withinHold(usage, 14_500_000n, PRICE, CREDITS_PER_YUAN)).toBe(usage);
});

test('output beyond the hold is removed: text first, then reasoning', () => {
  expect(paid(14_499_999n)).toEqual([99, 50]);
  expect(paid(13_000_000n)).toEqual([49, 50]);
  expect(paid(11_000_000n)).toEqual([0, 33]);
  expect(paid(1n)).toEqual([0, 0]);
});
