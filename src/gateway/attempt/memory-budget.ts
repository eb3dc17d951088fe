import { type Refusal, refuse } from '../../kernel/errors.ts';
import type { AttemptContext } from './attempt-context.ts';

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
  if (call.memory !== undefined) {
    call.memory.bytes += bytes;
    return true;
  }
  const memory = { bytes, bodyBytes: 0 };
  call.memory = memory;
  response.once('close', () => bodies.give(accountId, memory.bytes));
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
  const { call } = context;
  const missingBytes = bodyBytes - (call.memory?.bodyBytes ?? 0);
  if (missingBytes <= 0) return true;
  if (!reserveMemory(context, missingBytes)) return false;
  if (call.memory !== undefined) call.memory.bodyBytes = bodyBytes;
  return true;
}

export function refuseMemory(): Refusal {
  return refuse('unavailable', { retryAfterMs: 1_000 });
}
