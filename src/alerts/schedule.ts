import type { Random } from '../kernel/random.ts';
import { DELIVERY_WAIT_MS, DELIVERY_WAIT_MS_MAX } from './bounds.ts';

/**
 * The wait after an attempt that failed: it doubles, and a random half of it keeps messages that failed
 * together from being tried together.
 */
export function retryWaitMs(attempts: number, random: Random): number {
  const fullMs = Math.min(DELIVERY_WAIT_MS * 2 ** Math.min(attempts - 1, 30), DELIVERY_WAIT_MS_MAX);
  return Math.round(fullMs / 2 + (fullMs / 2) * random.unit());
}
