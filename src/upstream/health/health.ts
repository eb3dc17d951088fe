import { CREDENTIAL_SUSPECT_MS, HEALTH_ENTRIES_MAX } from '../../bounds.ts';
import type { Credential, Route } from '../../catalog/contract.ts';
import { assert } from '../../kernel/assert.ts';
import type { Clock } from '../../kernel/time/clock.ts';
import { Breaker, type BreakerState } from './breaker.ts';
import { askedWaitMs, coolDownMs } from './cool-down.ts';
import { CredentialUse } from './credential-limits.ts';
import { isLimited, type SharedLimits } from './shared-limits.ts';
import { OutputSpeed } from './speed.ts';

/** What an attempt says about its route; gateway/admit/route.ts `classify` makes it of a status. */
export type AttemptOutcome =
  | 'success'
  /** The client's own fault: the route is fine. */
  | 'client-error'
  /** 429: the route is fine and wants to be left alone for a while. */
  | 'rate-limited'
  /** 401 and 403: the credential is not. */
  | 'unauthorized'
  /** 404: perhaps the route, perhaps an id in the request; another route is tried, nobody is blamed. */
  | 'not-found'
  | 'failure';

export interface VendorAnswer {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
}

/** `suspect`: the vendor refused the credential lately. `ejected`: by the breaker. The rest will pass. */
export type RouteCondition = 'ready' | 'suspect' | 'ejected' | 'cooling' | 'at-limit';

/** One attempt of one route, from before its first byte until its last. */
export interface Ticket {
  /** Of the route's model; it learns from complete answers. */
  readonly speed: OutputSpeed;
  /** The first event of a stream is here: the route is up and its credential is taken. */
  began(): void;
  /** What came of the attempt; for a stream when it has ended, since many a vendor breaks in the middle. */
  report(outcome: AttemptOutcome, answer?: VendorAnswer): void;
  /** Exactly once, when nothing of the attempt is left; `tokens` is what it used. */
  end(tokens: number): void;
}

export interface RouteReport {
  readonly routeId: number;
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
  readonly credentialId: number;
  readonly breaker: Breaker;
  readonly speed: OutputSpeed;
  coolUntilMs: number;
}

interface CredentialState {
  readonly name: string;
  readonly use: CredentialUse;
  /** All nodes together have used up its limits until then. */
  fullUntilMs: number;
  suspectUntilMs: number;
  refusals: number;
}

interface HealthRecords {
  readonly routes: Map<string, RouteState>;
  readonly credentials: Map<number, CredentialState>;
}

/** What this node has seen of routes and credentials. Nothing here is stored: a restart begins with trust. */
export class Health {
  readonly #clock: Clock;
  readonly #shared: SharedLimits | undefined;
  readonly #platform: HealthRecords = { routes: new Map(), credentials: new Map() };
  /** Of credentials that accounts host: many, and none of them ever crowds out or reports as a platform's. */
  readonly #byok: HealthRecords = { routes: new Map(), credentials: new Map() };

  /** With `shared`, the limits of credentials are counted for all nodes together; otherwise here. */
  constructor(clock: Clock, shared?: SharedLimits) {
    this.#clock = clock;
    this.#shared = shared;
  }

  /** May the route be used now? The worst that is known of it. */
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

  /** How long a cooling or limited route stays so, as far as we know. */
  freeInMs(route: Route): number {
    const nowMs = this.#clock.monotonic();
    const { routes, credentials } = this.#chooseRecords(route);
    const credential = credentials.get(route.credential.id);
    const coolUntilMs = routes.get(toRouteKey(route))?.coolUntilMs ?? 0;
    const limitedMs = credential === undefined ? 0 : this.#limitedMs(credential, route.credential, nowMs);
    return Math.max(coolUntilMs - nowMs, limitedMs, 0);
  }

  /** Takes a place in the credential's own limits; nothing when they leave none (it raced with others). */
  begin(route: Route, tokens: number): Ticket | undefined | Promise<Ticket | undefined> {
    if (this.#shared !== undefined && isLimited(route.credential.limits)) {
      return this.#beginShared(route, tokens, this.#shared);
    }
    return this.#beginHere(route, tokens);
  }

  #beginHere(route: Route, tokens: number): Ticket | undefined {
    const credential = credentialIn(this.#chooseRecords(route), route.credential);
    const waitMs = credential.use.waitMs(route.credential.limits, tokens, this.#clock.monotonic());
    return waitMs > 0 ? undefined : this.#open(route, tokens);
  }

  async #beginShared(route: Route, tokens: number, shared: SharedLimits): Promise<Ticket | undefined> {
    const place = await shared.enter(route.credential, tokens);
    // While nobody can count for all, each node keeps to the limits by itself.
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

  /** Of the platform's own credentials: what becomes of users' keys is no matter of the operator's. */
  routeReports(): RouteReport[] {
    const nowMs = this.#clock.monotonic();
    return [...this.#platform.routes.values()].map(({ routeId, credentialId, breaker, coolUntilMs }) => ({
      routeId,
      credentialId,
      breaker: breaker.state(nowMs),
      failures: breaker.failures,
      ejections: breaker.ejections,
      coolingMs: Math.max(0, coolUntilMs - nowMs),
    }));
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
    const { id: routeId, credential } = route;
    const parts = { breaker: new Breaker(), speed: new OutputSpeed() };
    state = { routeId, credentialId: credential.id, ...parts, coolUntilMs: 0 };
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

/** A user's own credential on a route is another thing than the platform's: one does not eject the other. */
function toRouteKey(route: Route): string {
  return `${route.id}:${route.credential.id}`;
}

/** The oldest entry that nobody uses goes. */
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
  /** Gives back a place that all nodes count, with what was used. */
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
    this.#credential.suspectUntilMs = 0;
  }

  report(outcome: AttemptOutcome, answer?: VendorAnswer): void {
    const nowMs = this.#clock.monotonic();
    const { breaker } = this.#route;
    if (outcome === 'failure') {
      breaker.failed(this, nowMs);
      // A 503 that says when to come back is obeyed like a 429.
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
