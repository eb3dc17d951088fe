import type { IncomingMessage } from 'node:http';
import { type Caller, StoreUnavailable } from '../../accounts/contract.ts';
import { type Refusal, refuse } from '../../kernel/errors.ts';
import type { Gateway } from '../gateway.ts';
import { authenticate } from './authenticate.ts';

/** What somebody waits who meets us at a bad moment. */
export const WAIT_MS = 1_000;

/** The part of a request that says who sent it. */
type Sent = Pick<IncomingMessage, 'headers'> & Partial<Pick<IncomingMessage, 'socket'>>;

/** 1. Authentication. */
export function identify(
  request: Sent,
  gateway: Gateway,
  nowMs: number,
): Caller | Refusal | Promise<Caller | Refusal> {
  if (gateway.isDraining()) return refuse('unavailable', { retryAfterMs: WAIT_MS });
  const { headers, socket } = request;
  const found = authenticate(headers.authorization, gateway.directory, nowMs, socket);
  return found instanceof Promise ? found.catch(refuseIfAway) : found;
}

/** Somebody else knows a newer account than this caller's: it is read from the store. */
export function identifyAgain(
  request: Sent,
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
