import type { Route } from '../../catalog/contract.ts';
import { ERRORS, type Refusal, refuse } from '../../kernel/errors.ts';
import type { Health } from '../../upstream/health/health.ts';
import type { RouteFailure, VendorError } from './attempt-result.ts';

/** A route that was tried and failed. */
export interface FailedRoute {
  readonly route: Route;
  readonly failure: RouteFailure;
}

/** What stood in the way of one model: the answer of the call, when nobody serves it in the end. */
export interface RouteFailures {
  readonly failures: FailedRoute[];
  /** The first one: why its routes could not be chosen, said to the vendor, or paid for. */
  refusal: Refusal | undefined;
}

export function newRouteFailures(): RouteFailures {
  return { failures: [], refusal: undefined };
}

/** 40004 is about the request: another model would be a guess at what its author can do without. */
export function isRequestFault({ failures, refusal }: RouteFailures): boolean {
  return failures.length === 0 && refusal?.error === ERRORS.notExpressible;
}

/** The newest error that a vendor answered with, as far as it says something to the client. */
export function lastVendorError(failures: readonly FailedRoute[]): VendorError | undefined {
  return failures.findLast(({ failure, route }) => {
    return failure.error !== undefined && !isPlatformCredentialError(route, failure.error.status);
  })?.failure.error;
}

/** Rule I-42: 401 and 403 of a platform credential say nothing about the client; of its own, all. */
function isPlatformCredentialError({ credential }: Route, status: number): boolean {
  return credential.ownerAccountId === undefined && (status === 401 || status === 403);
}

/** No vendor said anything of use: nobody could be reached, nobody answered in time, or we had no room. */
export function refusalFor(failures: readonly FailedRoute[], health: Pick<Health, 'freeInMs'>): Refusal {
  if (failures.some(({ failure }) => failure.kind === 'timeout')) return refuse('upstreamTimeout');
  if (failures.length > 0 && failures.every(({ failure }) => failure.kind === 'limited')) {
    return atLimit(Math.min(...failures.map(({ route }) => health.freeInMs(route))));
  }
  if (failures.every(({ failure }) => isOwnDoing(failure.kind))) {
    return refuse('unavailable', { retryAfterMs: 1_000 });
  }
  return refuse('upstreamBroken');
}

/** Each route waits for its vendor, or for a place in the limits of its credential. */
export function atLimit(waitMs: number): Refusal {
  return refuse('unavailable', {
    message: 'Every upstream of this model is at its rate limit, please retry later',
    retryAfterMs: Math.max(1_000, waitMs),
  });
}

export function isOwnDoing(kind: RouteFailure['kind']): boolean {
  return kind === 'limited' || kind === 'stopped';
}
