import type { IncomingMessage } from 'node:http';
import { type Caller, StoreUnavailable } from '../../accounts/contract.ts';
import { type Refusal, refuse } from '../../kernel/errors.ts';
import type { Gateway } from '../gateway.ts';
import { authenticate } from './authenticate.ts';

/** `Retry-After` for failures that are expected to pass quickly. */
export const WAIT_MS = 1_000;

/** The part of a request that authentication reads. */
type IdentifiedRequest = Pick<IncomingMessage, 'headers'> & Partial<Pick<IncomingMessage, 'socket'>>;

export function identify(
  request: IdentifiedRequest,
  gateway: Gateway,
  nowMs: number,
): Caller | Refusal | Promise<Caller | Refusal> {
  if (gateway.isDraining()) return refuse('unavailable', { retryAfterMs: WAIT_MS });
  const { headers, socket } = request;
  const found = authenticate(headers, gateway.directory, nowMs, socket);
  return found instanceof Promise ? found.catch(refuseIfAway) : found;
}

/** Reads the account from the store, because another node has a newer version of it. */
export function identifyAgain(
  request: IdentifiedRequest,
  { account }: Caller,
  gateway: Gateway,
  nowMs: number,
): Caller | Refusal | Promise<Caller | Refusal> {
  gateway.directory.forgetAccount(account.id);
  return identify(request, gateway, nowMs);
}

export function refuseIfAway(error: unknown): Refusal {
  if (error instanceof StoreUnavailable) return refuse('unavailable', { retryAfterMs: WAIT_MS });
  throw error;
}
