import { totalTokens, type Usage } from '../kernel/usage.ts';
import type { CallRecord, FreeReason } from './contract.ts';

/**
 * Rule M-13: why a call has no charge; null if it has one. The same for a call that ended and one that a
 * crash interrupted.
 */
export function findFreeReason(call: Pick<CallRecord, 'payer' | 'chargeMicro' | 'usage'>): FreeReason | null {
  if (call.chargeMicro > 0n) return null;
  if (call.payer === 'byok') return 'byok';
  if (call.payer === 'subscription') return 'covered';
  return isProduced(call.usage) ? 'below-one-credit' : 'nothing-produced';
}

function isProduced(usage: Usage): boolean {
  return totalTokens(usage) + usage.images + usage.videos > 0;
}
