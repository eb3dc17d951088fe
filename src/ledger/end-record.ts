import { chargeableCreditsMicro, costMicro } from '../catalog/price.ts';
import type { JobEnding, VoidReason } from '../jobs/contract.ts';
import { assert } from '../kernel/assert.ts';
import { NO_USAGE, totalTokens, type Usage } from '../kernel/usage.ts';
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
    job: end.job,
    ttfbMs: end.ttfbMs,
    durationMs: end.durationMs,
    droppedFields: end.droppedFields,
    windows: windowUse(terms.windows, { tokens, images, amountMicro, videos: countVideos(terms, usage) }),
  };
}

/** A call for a video counts at entry, whether it is made or not. */
function countVideos({ protocolIn }: CallTerms, usage: Usage): number {
  return protocolIn === 'videos' ? 1 : usage.videos;
}

/** The vendor's fault, as a gateway reports it. */
const STATUS_VOID = 502;

const WHY_VOID: Readonly<Record<VoidReason, string>> = {
  failed: 'The vendor accepted the job, and it failed there. Nothing is charged.',
  missing: 'The vendor accepted the job and does not know it any more. Nothing is charged.',
  expired: 'The vendor accepted the job and did not complete it in time. Nothing is charged.',
};

/** The record of a call whose job has ended. Its windows were counted when it was held. */
export function jobRecord(call: CallRecord, ending: JobEnding, creditsPerYuan: number): CallRecord {
  if (ending.state === 'void') return voidRecord(call, ending.why ?? 'failed');
  if (ending.result === undefined) return { ...call, windows: [] };
  const { usage, estimated } = ending.result;
  const { amountMicro, chargeMicro } = computeBill(call, usage, call.creditsPerYuan ?? creditsPerYuan);
  const freeReason = findFreeReason({ payer: call.payer, chargeMicro, usage });
  return { ...call, usage, estimated, amountMicro, chargeMicro, freeReason, windows: [] };
}

/** The record of a call whose job is void: it produced nothing. Its windows were counted when it was held. */
export function voidRecord(call: CallRecord, why: VoidReason): CallRecord {
  const { payer } = call;
  return {
    ...call,
    status: STATUS_VOID,
    errorCode: null,
    verdict: 'failed',
    usage: NO_USAGE,
    amountMicro: 0n,
    chargeMicro: 0n,
    freeReason: findFreeReason({ payer, chargeMicro: 0n, usage: NO_USAGE }),
    refusal: { message: WHY_VOID[why] },
    windows: [],
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
