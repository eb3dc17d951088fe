import { chargeableCreditsMicro, costMicro } from '../catalog/price.ts';
import { assert } from '../kernel/assert.ts';
import { totalTokens, type Usage } from '../kernel/usage.ts';
import type { Bill, CallRecord, CallTerms, Course, FreeReason, Outcome } from './contract.ts';
import { type WindowUse, windowUse } from './window-use.ts';

/** What the usage costs on the terms of the call. Only Credits are charged. */
export function computeBill(
  { price, payer }: Pick<CallTerms, 'price' | 'payer'>,
  usage: Usage,
  creditsPerYuan: number,
): Bill {
  const amountMicro = price === null ? 0n : costMicro(usage, price);
  const chargeMicro = payer === 'credits' ? chargeableCreditsMicro(amountMicro, creditsPerYuan) : 0n;
  assert(chargeMicro >= 0n, 'a charge is never negative');
  return { amountMicro, chargeMicro };
}

export interface CallEnd extends Course {
  readonly bill: Bill;
  /** What the windows count of the call. */
  readonly counted: Pick<WindowUse, 'tokens' | 'images'>;
}

/**
 * The record of a call at its end: its terms, and what became of it. Made here for a call that ended and for
 * one that a crash interrupted. Each field beside the terms is named, because a second spread is slow.
 */
export function endRecord(terms: CallTerms, outcome: Outcome, end: CallEnd): CallRecord {
  const { usage } = outcome;
  const { amountMicro, chargeMicro } = end.bill;
  const { tokens, images } = end.counted;
  return {
    ...terms,
    status: outcome.status,
    errorCode: outcome.errorCode,
    verdict: outcome.verdict,
    usage,
    estimated: outcome.estimated,
    amountMicro,
    chargeMicro,
    freeReason: findFreeReason({ payer: terms.payer, chargeMicro, usage }),
    attempts: end.attempts,
    expected: terms.payer === 'credits' ? end.expected : undefined,
    admittedMs: end.admittedMs,
    gateMs: end.gateMs,
    refusal: end.refusal,
    ttfbMs: end.ttfbMs,
    durationMs: end.durationMs,
    droppedFields: end.droppedFields,
    windows: windowUse(terms.windows, { tokens, images, amountMicro, videos: usage.videos }),
  };
}

/** Rule M-13: why a call has no charge; null if it has one. */
export function findFreeReason(call: Pick<CallRecord, 'payer' | 'chargeMicro' | 'usage'>): FreeReason | null {
  if (call.chargeMicro > 0n) return null;
  if (call.payer === 'byok') return 'byok';
  if (call.payer === 'subscription') return 'covered';
  return isProduced(call.usage) ? 'below-one-credit' : 'nothing-produced';
}

function isProduced(usage: Usage): boolean {
  return totalTokens(usage) + usage.images + usage.videos > 0;
}
