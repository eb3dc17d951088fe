import { expect, test } from 'vitest';
import { seededRandom } from '../kernel/random.ts';
import { DELIVERY_ATTEMPTS_MAX, DELIVERY_WAIT_MS, DELIVERY_WAIT_MS_MAX } from './bounds.ts';
import { retryWaitMs } from './schedule.ts';

test('waits double up to the longest, and a random half keeps them apart', () => {
  const least = { unit: () => 0, bytes: seededRandom(1).bytes };
  const most = { unit: () => 0.999_999, bytes: seededRandom(1).bytes };
  let allMs = 0;
  for (let attempts = 1; attempts < DELIVERY_ATTEMPTS_MAX; attempts++) {
    const fullMs = Math.min(DELIVERY_WAIT_MS * 2 ** (attempts - 1), DELIVERY_WAIT_MS_MAX);
    expect(retryWaitMs(attempts, least)).toBe(fullMs / 2);
    expect(retryWaitMs(attempts, most)).toBeLessThanOrEqual(fullMs);
    allMs += fullMs;
  }
  expect(retryWaitMs(1_000, most)).toBeLessThanOrEqual(DELIVERY_WAIT_MS_MAX);
  // A receiver that is away for an evening gets its messages.
  expect(allMs).toBeGreaterThan(4 * 3_600_000);
  expect(allMs).toBeLessThan(86_400_000);
});
