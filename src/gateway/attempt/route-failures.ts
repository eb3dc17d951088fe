import type { Route } from '../../catalog/contract.ts';
import { ERRORS, type Refusal, refuse } from '../../kernel/errors.ts';
import type { Health } from '../../upstream/health/health.ts';
import type { RouteFailure, VendorError } from './attempt-result.ts';

/** A route that was tried and failed. */
export interface FailedRoute {
  readonly route: Route;
  readonly failure: RouteFailure;
}

/** Why one model could not serve the call. It becomes the client's answer if no option serves the call. */
export interface RouteFailures {
  readonly failures: FailedRoute[];
  /**
   * The first refusal: why its routes could not be chosen, paid for, or expressed in the vendor's protocol.
   */
  refusal: Refusal | undefined;
}

export function newRouteFailures(): RouteFailures {
  return { failures: [], refusal: undefined };
}

/** 40004 is about the request. Another model would only guess what the client can do without. */
export function isRequestFault({ failures, refusal }: RouteFailures): boolean {
  return failures.length === 0 && refusal?.error === ERRORS.notExpressible;
}

/** The newest error of a vendor that is meaningful to the client. */
export function lastVendorError(failures: readonly FailedRoute[]): VendorError | undefined {
  return failures.findLast(({ failure, route }) => {
    return failure.error !== undefined && !isPlatformCredentialError(route, failure.error.status);
  })?.failure.error;
}

/**
 * Rule I-42: a 401 or 403 for a platform credential means nothing to the client; for its own credential it
 * does.
 */
function isPlatformCredentialError({ credential }: Route, status: number): boolean {
  return credential.ownerAccountId === undefined && (status === 401 || status === 403);
}

/**
 * The refusal if no vendor sent a usable error: none was reachable, none answered in time, or memory was
 * short.
 */
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

/** Every route waits for its vendor, or for the limits of its credential. */
export function atLimit(waitMs: number): Refusal {
  return refuse('unavailable', {
    message: 'Every upstream of this model is at its rate limit, please retry later',
    retryAfterMs: Math.max(1_000, waitMs),
  });
}

export function isOwnDoing(kind: RouteFailure['kind']): boolean {
  return kind === 'limited' || kind === 'stopped';
}
