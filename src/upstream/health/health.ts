import { CREDENTIAL_SUSPECT_MS, HEALTH_ENTRIES_MAX } from '../../bounds.ts';
import type { Credential, Route } from '../../catalog/contract.ts';
import { assert } from '../../kernel/assert.ts';
import type { Clock } from '../../kernel/time/clock.ts';
import { Breaker, type BreakerState } from './breaker.ts';
import { askedWaitMs, coolDownMs } from './cool-down.ts';
import { CredentialUse } from './credential-limits.ts';
import { isLimited, type Reservation, type SharedLimits } from './shared-limits.ts';
import { OutputSpeed } from './speed.ts';

/** The result of an attempt for its route. gateway/admit/route.ts `classify` derives it from a status. */
export type AttemptOutcome =
  | 'success'
  /** An error of the client. The route works. */
  | 'client-error'
  /** 429: the route works, and cools down. */
  | 'rate-limited'
  /** 401 and 403: the credential is refused. */
  | 'unauthorized'
  /** 404: the route, or an id in the request. Another route is tried, without effect on this one. */
  | 'not-found'
  | 'failure';

export interface VendorAnswer {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
}

/** `suspect`: the vendor refused the credential lately. `ejected`: by the breaker. The others are short. */
export type RouteCondition = 'ready' | 'suspect' | 'ejected' | 'cooling' | 'at-limit';

/** One attempt of one route, from before its first byte until its last. */
export interface Ticket {
  /** The speed of the route's model, measured in complete answers. */
  readonly speed: OutputSpeed;
  /** The first event of a stream has arrived: the route works and its credential is valid. */
  began(): void;
  /** The result of the attempt; for a stream at its end, because vendors may fail in the middle. */
  report(outcome: AttemptOutcome, answer?: VendorAnswer): void;
  /** Called exactly once at the end of the attempt. `tokens` is its use. */
  end(tokens: number): void;
}

export interface RouteReport {
  readonly routeId: number;
  /** The code of the vendor. */
  readonly vendor: string;
  readonly credentialId: number;
  readonly breaker: BreakerState;
  readonly failures: number;
  readonly ejections: number;
  readonly coolingMs: number;
}

export interface CredentialReport {
  readonly credentialId: number;
  readonly name: string;
  readonly active: number;
  readonly suspect: boolean;
  /** 401 and 403 since the process began. */
  readonly refusals: number;
}

interface RouteState {
  readonly routeId: number;
  readonly vendor: string;
  readonly credentialId: number;
  readonly breaker: Breaker;
  readonly speed: OutputSpeed;
  coolUntilMs: number;
}

interface CredentialState {
  readonly name: string;
  readonly use: CredentialUse;
  /** Its limits are exhausted by all nodes together until then. */
  fullUntilMs: number;
  suspectUntilMs: number;
  refusals: number;
}

interface HealthRecords {
  readonly routes: Map<string, RouteState>;
  readonly credentials: Map<number, CredentialState>;
}

/** The health of routes and credentials on this node. It is not stored: after a restart all are healthy. */
export class Health {
  readonly #clock: Clock;
  readonly #shared: SharedLimits | undefined;
  readonly #platform: HealthRecords = { routes: new Map(), credentials: new Map() };
  /** BYOK credentials. They are many, so they are separate and never displace those of the platform. */
  readonly #byok: HealthRecords = { routes: new Map(), credentials: new Map() };

  /** With `shared`, limits of credentials are counted for all nodes together; otherwise on this node. */
  constructor(clock: Clock, shared?: SharedLimits) {
    this.#clock = clock;
    this.#shared = shared;
  }

  /** Whether the route may be used now: the worst of its conditions. */
  condition(route: Route): RouteCondition {
    const nowMs = this.#clock.monotonic();
    const { routes, credentials } = this.#chooseRecords(route);
    const credential = credentials.get(route.credential.id);
    const state = routes.get(toRouteKey(route));
    if (credential !== undefined && this.#limitedMs(credential, route.credential, nowMs) > 0)
      return 'at-limit';
    if (state !== undefined) {
      if (nowMs < state.coolUntilMs) return 'cooling';
      const breaker = state.breaker.state(nowMs);
      if (breaker === 'open' || breaker === 'probing') return 'ejected';
    }
    return credential !== undefined && nowMs < credential.suspectUntilMs ? 'suspect' : 'ready';
  }

  /** How long a cooling or limited route stays so. */
  freeInMs(route: Route): number {
    const nowMs = this.#clock.monotonic();
    const { routes, credentials } = this.#chooseRecords(route);
    const credential = credentials.get(route.credential.id);
    const coolUntilMs = routes.get(toRouteKey(route))?.coolUntilMs ?? 0;
    const limitedMs = credential === undefined ? 0 : this.#limitedMs(credential, route.credential, nowMs);
    return Math.max(coolUntilMs - nowMs, limitedMs, 0);
  }

  /** The measured time to the first token of the route's streams. Undefined before the first. */
  firstTokenMs(route: Route): number | undefined {
    return this.#chooseRecords(route).routes.get(toRouteKey(route))?.speed.firstTokenMs;
  }

  /**
   * Asks for a place in the shared limits of the route's credential together with the entry of a call, which
   * must have asked the gate right before. So both are one message. Undefined if nothing is counted there.
   */
  reserve(route: Route, tokens: number, callId: string): Reservation | undefined {
    const { credential } = route;
    if (this.#shared === undefined || !isLimited(credential.limits)) return undefined;
    return this.#shared.reserve(callId, credential, tokens);
  }

  /**
   * Takes a place in the credential's own limits; undefined if there is none left. `reservation` is one for
   * the same route and tokens.
   */
  begin(
    route: Route,
    tokens: number,
    reservation?: Reservation,
  ): Ticket | undefined | Promise<Ticket | undefined> {
    if (this.#shared !== undefined && isLimited(route.credential.limits)) {
      return this.#beginShared(route, tokens, { shared: this.#shared, reservation });
    }
    return this.#beginHere(route, tokens);
  }

  #beginHere(route: Route, tokens: number): Ticket | undefined {
    const credential = credentialIn(this.#chooseRecords(route), route.credential);
    const waitMs = credential.use.waitMs(route.credential.limits, tokens, this.#clock.monotonic());
    return waitMs > 0 ? undefined : this.#open(route, tokens);
  }

  async #beginShared(
    route: Route,
    tokens: number,
    { shared, reservation }: { readonly shared: SharedLimits; readonly reservation: Reservation | undefined },
  ): Promise<Ticket | undefined> {
    const place = (await reservation?.take()) ?? (await shared.enter(route.credential, tokens));
    // Without the shared count each node applies the limits by itself.
    if (place === 'unknown') return this.#beginHere(route, tokens);
    if ('waitMs' in place) {
      const credential = credentialIn(this.#chooseRecords(route), route.credential);
      credential.fullUntilMs = this.#clock.monotonic() + place.waitMs;
      return undefined;
    }
    return this.#open(route, tokens, (used) => shared.leave(place, used));
  }

  #open(route: Route, tokens: number, left?: (tokens: number) => void): Ticket {
    const records = this.#chooseRecords(route);
    const credential = credentialIn(records, route.credential);
    const platform = records === this.#platform;
    return new OpenTicket(this.#clock, routeIn(records, route), credential, { platform, tokens, left });
  }

  #limitedMs({ use, fullUntilMs }: CredentialState, { limits }: Credential, nowMs: number): number {
    return this.#shared === undefined ? use.waitMs(limits, 0, nowMs) : fullUntilMs - nowMs;
  }

  /** The platform's own credentials. BYOK credentials do not concern the operator. */
  routeReports(): RouteReport[] {
    const nowMs = this.#clock.monotonic();
    return [...this.#platform.routes.values()].map(
      ({ routeId, vendor, credentialId, breaker, coolUntilMs }) => ({
        routeId,
        vendor,
        credentialId,
        breaker: breaker.state(nowMs),
        failures: breaker.failures,
        ejections: breaker.ejections,
        coolingMs: Math.max(0, coolUntilMs - nowMs),
      }),
    );
  }

  credentialReports(): CredentialReport[] {
    const nowMs = this.#clock.monotonic();
    return [...this.#platform.credentials].map(([credentialId, state]) => ({
      credentialId,
      name: state.name,
      active: state.use.active,
      suspect: nowMs < state.suspectUntilMs,
      refusals: state.refusals,
    }));
  }

  #chooseRecords({ credential }: Route): HealthRecords {
    return credential.ownerAccountId === undefined ? this.#platform : this.#byok;
  }
}

function routeIn({ routes }: HealthRecords, route: Route): RouteState {
  const key = toRouteKey(route);
  let state = routes.get(key);
  if (state === undefined) {
    makeRoom(routes, () => true);
    const { id: routeId, vendor, credential } = route;
    const parts = { breaker: new Breaker(), speed: new OutputSpeed() };
    state = { routeId, vendor: vendor.code, credentialId: credential.id, ...parts, coolUntilMs: 0 };
    routes.set(key, state);
  }
  return state;
}

function credentialIn({ credentials }: HealthRecords, credential: Credential): CredentialState {
  let state = credentials.get(credential.id);
  if (state === undefined) {
    makeRoom(credentials, ({ use }) => use.active === 0);
    state = {
      name: credential.name,
      use: new CredentialUse(),
      fullUntilMs: 0,
      suspectUntilMs: 0,
      refusals: 0,
    };
    credentials.set(credential.id, state);
  }
  return state;
}

/** A BYOK credential on a route has its own state, so that it does not eject the platform's. */
function toRouteKey(route: Route): string {
  return `${route.id}:${route.credential.id}`;
}

/** Removes the oldest idle entry. */
function makeRoom<Key, State>(states: Map<Key, State>, idle: (state: State) => boolean): void {
  if (states.size < HEALTH_ENTRIES_MAX) return;
  for (const [key, state] of states) {
    if (!idle(state)) continue;
    states.delete(key);
    return;
  }
}

interface BegunCall {
  readonly platform: boolean;
  readonly tokens: number;
  /** Releases a place of the shared limits, with the true use. */
  readonly left?: ((tokens: number) => void) | undefined;
}

class OpenTicket implements Ticket {
  readonly #clock: Clock;
  readonly #route: RouteState;
  readonly #credential: CredentialState;
  readonly #platform: boolean;
  readonly #tokens: number;
  readonly #left: ((tokens: number) => void) | undefined;
  readonly #begunAtMs: number;
  readonly #windowAtMs: number;
  #ended = false;

  constructor(clock: Clock, route: RouteState, credential: CredentialState, call: BegunCall) {
    this.#clock = clock;
    this.#route = route;
    this.#credential = credential;
    this.#platform = call.platform;
    this.#tokens = call.tokens;
    this.#left = call.left;
    this.#begunAtMs = clock.monotonic();
    this.#windowAtMs = credential.use.enter(call.tokens, this.#begunAtMs);
    route.breaker.begin(this, this.#begunAtMs);
  }

  get speed(): OutputSpeed {
    return this.#route.speed;
  }

  began(): void {
    this.#route.breaker.began(this.#begunAtMs);
    this.#route.speed.noteFirstToken(this.#clock.monotonic() - this.#begunAtMs);
    this.#credential.suspectUntilMs = 0;
  }

  report(outcome: AttemptOutcome, answer?: VendorAnswer): void {
    const nowMs = this.#clock.monotonic();
    const { breaker } = this.#route;
    if (outcome === 'failure') {
      breaker.failed(this, nowMs);
      // A 503 with a wait is handled like a 429.
      const asked = answer === undefined ? undefined : askedWaitMs(answer.headers, this.#clock.now());
      if (asked !== undefined) this.#cool(nowMs + asked);
      return;
    }
    breaker.succeeded(this.#begunAtMs, nowMs);
    if (outcome === 'rate-limited') {
      this.#cool(nowMs + coolDownMs(answer?.headers ?? {}, answer?.body, this.#clock.now()));
    } else if (outcome === 'unauthorized' && this.#platform) {
      this.#credential.refusals += 1;
      this.#credential.suspectUntilMs = nowMs + CREDENTIAL_SUSPECT_MS;
    } else if (outcome === 'success') {
      this.#credential.suspectUntilMs = 0;
    }
  }

  end(tokens: number): void {
    assert(!this.#ended, 'an attempt ends once');
    this.#ended = true;
    this.#route.breaker.end(this);
    this.#credential.use.leave(this.#windowAtMs, tokens - this.#tokens);
    this.#left?.(tokens);
  }

  #cool(untilMs: number): void {
    this.#route.coolUntilMs = Math.max(this.#route.coolUntilMs, untilMs);
  }
}
