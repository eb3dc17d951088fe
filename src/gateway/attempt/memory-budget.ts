import { type Refusal, refuse } from '../../kernel/errors.ts';
import type { Call } from '../call.ts';
import type { AttemptContext } from './attempt-context.ts';

interface Held {
  bytes: number;
  /** Of them for the body of a converted request: the routes use it one after the other. */
  bodyBytes: number;
}

/** By the call, whichever option of it is under way. */
const heldByCalls = new WeakMap<Call, Held>();

/**
 * Room for what a call holds beside its request: converted bodies, fetched media. It is given back when the
 * client has its answer, because another route may need it until then. False: there is none.
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

/** Bodies up to this size are not worth a listener. */
const SMALL_BODY_BYTES = 64 * 1024;
/** The body that was made, and the text of the client's that it was made from. */
const COPIES = 2;

/** Takes room for the body of a converted request, as far as the one for the route before does not do. */
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
