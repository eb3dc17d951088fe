import { NO_USAGE } from '../../kernel/usage.ts';
import { countedInput, likelyInput, type Passage, settlePassage } from '../attempt/attempt-context.ts';
import type { Spent } from '../attempt/attempt-result.ts';
import { CLIENT_CLOSED } from '../call.ts';

/**
 * The client left before its answer while the vendor was at work. decisions.md 6: what was not reported is
 * counted: the input, and of an Images call the pictures it asked for, which are made whether or not somebody
 * waits. Of other output nothing is known.
 */
export function settleLeft(passage: Passage, spent: Spent = countedLeft(passage)): void {
  const verdict = 'cut-by-client';
  settlePassage(passage, { status: CLIENT_CLOSED, errorCode: null, verdict, ...spent }, verdict);
}

function countedLeft(passage: Passage): Spent {
  const { images } = passage.facts;
  return { usage: { ...NO_USAGE, inputFresh: countedInput(passage), images }, estimated: true };
}

/** The vendor has begun to answer: if we die from here on, the input is charged. */
export function markInput(passage: Passage): void {
  const { call, carriage } = passage;
  const usage = { ...NO_USAGE, inputFresh: likelyInput(passage) };
  carriage.journal.mark(call.id, usage, call.lease?.heldMicro ?? 0n);
}
