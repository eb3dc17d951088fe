import { ATTEMPTS_MAX, COOL_DOWN_MS_IGNORED, RETRY_BUDGET_MIN, RETRY_BUDGET_PERCENT } from '../../bounds.ts';
import type { Model, Route } from '../../catalog/contract.ts';
import { assert } from '../../kernel/assert.ts';
import { type Refusal, refuse } from '../../kernel/errors.ts';
import type { AttemptOutcome, Health } from '../../upstream/health/health.ts';
import { atLimit } from '../attempt/route-failures.ts';
import { type RouteOrder, sortRoutes } from './route-order.ts';
import { canServe } from './route-protocols.ts';

/** The part of `Health` that the choice of routes needs. */
export type RouteHealth = Pick<Health, 'condition' | 'freeInMs' | 'firstTokenMs'>;

export interface RouteChoice extends RouteOrder {
  readonly health: RouteHealth;
}

/**
 * The routes of a model that can serve a call of this protocol, in the order in which they are tried: by
 * priority, and within a priority by the model's routing. Routes whose credential the vendor refused
 * recently come last. They are not left out, because a single request can cause a 403.
 *
 * Routes are left out if the breaker ejected them, if they cool down after a 429, or if their credential is
 * at its own limits. If no route is left:
 * - if the breaker is the reason, the best ejected route is tried anyway (Envoy's panic rule: the last route
 *   is never ejected);
 * - otherwise the route that is free first is tried, if that is within a second, because trying costs less
 *   than a refusal; else the answer is 50301 with the wait as `Retry-After`.
 */
export function chooseRoutes(
  model: Model | undefined,
  choice: Omit<RouteChoice, 'routing'>,
): readonly Route[] | Refusal {
  if (model === undefined || model.status !== 'enabled') return refuse('noUpstream');
  return orderRoutes(model.routes, { ...choice, routing: model.routing });
}

/** The same for routes that are not in the catalogue: those of an account's own credentials. */
export function orderRoutes(routes: readonly Route[], choice: RouteChoice): readonly Route[] | Refusal {
  const { protocol, health } = choice;
  const enabled = routes.filter(
    ({ status, credential }) => status === 'enabled' && credential.status === 'enabled',
  );
  if (enabled.length === 0) return refuse('noUpstream');
  const serving = enabled.filter((route) => canServe(route, protocol));
  if (serving.length === 0) {
    return refuse('notExpressible', { message: `No usable upstream of this model can serve "${protocol}"` });
  }
  const [only] = serving;
  if (only !== undefined && serving.length === 1 && health.condition(only) === 'ready') return serving;
  return sortByCondition(sortRoutes(serving, choice), health);
}

function sortByCondition(ordered: readonly Route[], health: RouteHealth): readonly Route[] | Refusal {
  const ready: Route[] = [];
  const suspect: Route[] = [];
  let ejected: Route | undefined;
  let waiting: Route | undefined;
  let waitMs = Number.POSITIVE_INFINITY;
  for (const route of ordered) {
    const condition = health.condition(route);
    if (condition === 'ready') ready.push(route);
    else if (condition === 'suspect') suspect.push(route);
    else if (condition === 'ejected') ejected ??= route;
    else {
      const freeInMs = health.freeInMs(route);
      if (freeInMs >= waitMs) continue;
      waiting = route;
      waitMs = freeInMs;
    }
  }
  if (ready.length + suspect.length > 0) return [...ready, ...suspect].slice(0, ATTEMPTS_MAX);
  if (ejected !== undefined) return [ejected];
  assert(waiting !== undefined, 'a route that is neither usable nor ejected waits');
  if (waitMs <= COOL_DOWN_MS_IGNORED) return [waiting];
  return atLimit(waitMs);
}

/**
 * What a vendor's status means (rule S-23). Everything except `success` and `client-error` is a failed route,
 * and the next route is tried. This includes redirects and answers without content.
 */
export function classify(status: number): AttemptOutcome {
  if (status === 401 || status === 403) return 'unauthorized';
  if (status === 404) return 'not-found';
  if (status === 429) return 'rate-limited';
  if (status === 408) return 'failure';
  if (status >= 400 && status < 500) return 'client-error';
  return status >= 200 && status < 300 && status !== 204 && status !== 205 ? 'success' : 'failure';
}

/**
 * Envoy's retry budget: retries are limited to a share of the running calls, so that they do not double an
 * outage.
 */
export class RetryBudget {
  #taken = 0;

  /**
   * `active`: the number of running calls. True: the retry may start; `release` must be called when it has
   * ended.
   */
  take(active: number): boolean {
    const allowed = Math.max(RETRY_BUDGET_MIN, Math.floor((active * RETRY_BUDGET_PERCENT) / 100));
    if (this.#taken >= allowed) return false;
    this.#taken += 1;
    return true;
  }

  release(): void {
    assert(this.#taken > 0, 'a retry is given back once');
    this.#taken -= 1;
  }

  get taken(): number {
    return this.#taken;
  }
}
