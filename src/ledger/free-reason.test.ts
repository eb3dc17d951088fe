import { expect, test } from 'vitest';
import { NO_USAGE } from '../kernel/usage.ts';
import { findFreeReason } from './free-reason.ts';

const SOME = { ...NO_USAGE, inputFresh: 1 };

test.each([
  ['byok', 0n, SOME, 'byok'],
  ['byok', 0n, NO_USAGE, 'byok'],
  ['subscription', 0n, SOME, 'covered'],
  ['subscription', 0n, NO_USAGE, 'covered'],
  ['credits', 1_000_000n, SOME, null],
  ['credits', 0n, SOME, 'below-one-credit'],
  ['credits', 0n, { ...NO_USAGE, images: 1 }, 'below-one-credit'],
  ['credits', 0n, { ...NO_USAGE, videos: 1 }, 'below-one-credit'],
  ['credits', 0n, NO_USAGE, 'nothing-produced'],
  ['none', 0n, NO_USAGE, 'nothing-produced'],
] as const)('paid by %s with a charge of %d', (payer, chargeMicro, usage, reason) => {
  expect(findFreeReason({ payer, chargeMicro, usage })).toBe(reason);
});
