import { type Refusal, refuse } from '../../kernel/errors.ts';
import type { Call } from '../call.ts';
import type { AttemptContext } from './attempt-context.ts';

interface Held {
  bytes: number;
  /** The part for the body of a converted request. The routes use it one after the other. */
  bodyBytes: number;
}

/** Per call, for all of its options. */
const heldByCalls = new WeakMap<Call, Held>();

/**
 * Reserves memory for what a call holds beside its request: converted bodies and fetched media. It is
 * released when the client has its answer, because another route may need it until then. False: there is
 * none.
 */
export function reserveMemory(context: AttemptContext, bytes: number): boolean {
  const { call, response, deps } = context;
  const { bodies } = deps;
  const { id: accountId } = call.caller.account;
  if (response.closed || !bodies.take(accountId, bytes)) return false;
  const known = heldByCalls.get(call);
  if (known !== undefined) {
    known.bytes += bytes;
    return true;
  }
  const held: Held = { bytes, bodyBytes: 0 };
  heldByCalls.set(call, held);
  response.once('close', () => bodies.give(accountId, held.bytes));
  return true;
}

/** Bodies up to this size need no listener. */
const SMALL_BODY_BYTES = 64 * 1024;
/** The new body, and the text of the client's body that it was made from. */
const COPIES = 2;

/** Reserves memory for the body of a converted request, beyond what the previous route's body reserved. */
export function hasMemory(context: AttemptContext, length: number): boolean {
  if (length <= SMALL_BODY_BYTES) return true;
  const bodyBytes = length * COPIES;
  const missingBytes = bodyBytes - (heldByCalls.get(context.call)?.bodyBytes ?? 0);
  if (missingBytes <= 0) return true;
  if (!reserveMemory(context, missingBytes)) return false;
  const held = heldByCalls.get(context.call);
  if (held !== undefined) held.bodyBytes = bodyBytes;
  return true;
}

export function refuseMemory(): Refusal {
  return refuse('unavailable', { retryAfterMs: 1_000 });
}
