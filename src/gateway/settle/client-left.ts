import { NO_USAGE } from '../../kernel/usage.ts';
import {
  type AttemptContext,
  countedUsage,
  likelyInput,
  settleAttempt,
  unreportedUnits,
} from '../attempt/attempt-context.ts';
import type { Spent } from '../attempt/attempt-result.ts';
import { CLIENT_CLOSED } from '../call.ts';

/**
 * The client left before its answer while the vendor was at work. Rule M-9: usage that was not reported is
 * counted: the input, the search units of a reranking, and for an Images call the requested images, which are
 * produced even if the client has left. No other output is known.
 */
export function settleClientLeft(context: AttemptContext, spent: Spent = countedLeft(context)): void {
  const verdict = 'cut-by-client';
  settleAttempt(context, { status: CLIENT_CLOSED, errorCode: null, verdict, ...spent }, verdict);
}

function countedLeft(context: AttemptContext): Spent {
  const { images } = context.facts;
  return { usage: { ...countedUsage(context, 0), images }, estimated: true };
}

/** The vendor has begun to answer: if we crash after this, the input is charged. */
export function markInput(context: AttemptContext): void {
  const { call, deps } = context;
  const usage = { ...NO_USAGE, inputFresh: likelyInput(context), outputText: unreportedUnits(context) };
  deps.journal.mark(call.id, usage, call.lease?.heldMicro ?? 0n);
}
