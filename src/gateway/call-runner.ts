import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { chooseLimits } from '../accounts/limits.ts';
import { ACCOUNT_READS_MAX } from '../bounds.ts';
import type { Route } from '../catalog/contract.ts';
import type { EnterResult, GateAway, GateRefused, MoneyRequest, ReholdResult } from '../gate/contract.ts';
import { assert } from '../kernel/assert.ts';
import { isRefusal, type Refusal, refuse } from '../kernel/errors.ts';
import { fault } from '../kernel/fault.ts';
import type { RawRequest, RequestFacts } from '../protocol/dialect.ts';
import { enterRequest, limitHit, limitsImages, moneyRequest, toRefusal } from './admit/enter.ts';
import { identifyAgain, WAIT_MS } from './admit/identify.ts';
import { imagesExpected, quote } from './admit/quote.ts';
import { refuseMoney } from './admit/refuse-money.ts';
import { orderRoutes } from './admit/route.ts';
import { type Eligibility, firstOption, nextOption, type ServingOption } from './admit/serving-options.ts';
import { type AttemptContext, limitedTokens } from './attempt/attempt-context.ts';
import { answerFailures, type ForwardEnd, forward } from './attempt/forward.ts';
import { isRequestFault, newRouteFailures, type RouteFailures } from './attempt/route-failures.ts';
import type { Call } from './call.ts';
import { callDialect } from './convert/call-dialect.ts';
import type { Gateway } from './gateway.ts';

/** A request that was read and parsed. */
export interface Received {
  readonly raw: RawRequest;
  readonly facts: RequestFacts;
  readonly response: ServerResponse;
  readonly headers: IncomingHttpHeaders;
  /** The routes that can serve the call, if not all of the model's. */
  readonly only?: ((route: Route) => boolean) | undefined;
}

/** The gate admitted the option: these routes are tried, in this order. */
interface Admitted {
  readonly kind: 'admitted';
  readonly context: AttemptContext;
  readonly routes: readonly Route[];
  readonly money: MoneyRequest | undefined;
}

/** This option cannot be tried. Another one may. */
interface Unserved {
  readonly kind: 'unserved';
  readonly refusal: Refusal;
}

/** A plain refusal ends the call: no other option would help. */
type AdmitResult = Admitted | Unserved | Refusal | 'stale';

const FILE_ELSEWHERE = refuse('notExpressible', {
  message: 'The credential that has this file cannot serve its model any more: upload the file again',
});

/**
 * Runs one call from the choice of a serving option to its answer. It tries the serving options in turn
 * (serving-options.ts). The first option that has a route enters the gate; later ones take over its lease. If
 * none serves the call, the client gets the failure of the model that it asked for.
 */
export class CallRunner {
  readonly #call: Call;
  readonly #received: Received;
  readonly #gateway: Gateway;
  #eligibility: Eligibility;
  #askedFailures: RouteFailures = newRouteFailures();
  /** The last context with the requested model. */
  #askedContext: AttemptContext | undefined;
  #reads = 0;
  /** The number of expected images when the call entered the gate. */
  #imagesGuess = 0;

  constructor(call: Call, received: Received, gateway: Gateway) {
    this.#call = call;
    this.#received = received;
    this.#gateway = gateway;
    this.#eligibility = this.#newEligibility();
  }

  /** Steps 2 to 6 of rule S-15. The caller answers a refusal. */
  async run(): Promise<Refusal | undefined> {
    let option: ServingOption | Refusal | undefined = firstOption(this.#eligibility);
    while (option !== undefined) {
      if (isRefusal(option)) return option;
      // Awaits only a promise: most calls pass the gate without leaving this turn.
      const admitting = this.#admit(option);
      const admitted = admitting instanceof Promise ? await admitting : admitting;
      if (admitted === 'stale') {
        option = await this.#decideAgain();
        continue;
      }
      if (isRefusal(admitted)) return this.#askedFailures.refusal ?? admitted;
      // The failures of a fallback model are not shown to the client.
      const routeFailures = this.#isAsked(option) ? this.#askedFailures : newRouteFailures();
      if (admitted.kind === 'unserved') routeFailures.refusal ??= admitted.refusal;
      else {
        if (this.#isAsked(option)) this.#askedContext = admitted.context;
        const { times } = this.#gateway;
        const tried = option;
        // If another option may follow, all routes of this one are tried, whatever the retry budget allows.
        // So no client pays for, or is answered by, another model while the requested one can still serve.
        const limitsRetries = (): boolean => this.#next(tried) === undefined;
        const { context, routes } = admitted;
        let end: ForwardEnd;
        try {
          end = await forward(context, routes, { times, routeFailures, limitsRetries });
        } finally {
          // No attempt took it.
          context.reservation?.cancel();
        }
        if (end === 'answered') return undefined;
        if (end === 'stopped') break;
      }
      option = this.#next(option);
    }
    return this.#answer();
  }

  #next(option: ServingOption): ServingOption | undefined {
    const next = nextOption(this.#eligibility, option);
    return next !== undefined && !this.#isAsked(next) && isRequestFault(this.#askedFailures)
      ? undefined
      : next;
  }

  #isAsked({ model }: ServingOption): boolean {
    return model.modelId === this.#eligibility.modelId;
  }

  /** Rule S-28: the original error. */
  #answer(): Refusal | undefined {
    const { failures, refusal } = this.#askedFailures;
    if (failures.length === 0 && refusal !== undefined) return refusal;
    assert(this.#askedContext !== undefined, 'a call that was not refused was tried');
    answerFailures(this.#askedContext, this.#askedFailures);
    return undefined;
  }

  /**
   * Chooses routes, then takes limits and hold in one atomic step. The routes come first: they set the price.
   */
  #admit(option: ServingOption): AdmitResult | Promise<AdmitResult> {
    const { deps, random } = this.#gateway;
    const { gate, journal, health, clock } = deps;
    const { protocol } = this.#eligibility;
    const { routing } = option.model;
    const { body } = this.#received.raw;
    const usable = this.#usable(option.routes);
    const routes = isRefusal(usable)
      ? usable
      : orderRoutes(usable, { routing, protocol, health, random, body });
    if (isRefusal(routes)) return { kind: 'unserved', refusal: routes };
    if (!journal.writable) return refuse('unavailable', { retryAfterMs: WAIT_MS });
    const { facts } = this.#received;
    const pricing = this.#pricing(option);
    const { creditsPerYuan } = deps.settlement;
    const money =
      option.payment === undefined
        ? undefined
        : moneyRequest(quote(facts, routes, pricing), option.payment, creditsPerYuan);
    const context = this.#context(option, pricing, money, (facts) => this.#holdFor(facts, admitted, option));
    const admitted: Admitted = { kind: 'admitted', context, routes, money };
    const { lease, id: callId, caller } = this.#call;
    const { account, catalog, moment } = this.#eligibility;
    const limits = chooseLimits(caller, catalog, moment.nowMs);
    const imagesGuess = imagesExpected(facts, option.model);
    if (lease !== undefined) {
      // The first model makes no images and this one does, but the lease has no image of a limited number.
      const isOver = imagesGuess > this.#imagesGuess && limitsImages(limits);
      if (isOver) return { kind: 'unserved', refusal: refuse('policyLimitExceeded') };
      fault('option.before-rehold');
      const reholding = gate.rehold(lease, money);
      if (reholding instanceof Promise)
        return reholding.then((result) => this.#reheld(result, admitted, option));
      return this.#reheld(reholding, admitted, option);
    }
    this.#imagesGuess = imagesGuess;
    const askedAt = clock.monotonic();
    this.#call.gateAskedAt = askedAt;
    const accountAgeMs = askedAt - caller.readAtMs;
    const entering = gate.enter(
      enterRequest({ callId, account, accountAgeMs, limits, facts, imagesGuess, money }),
    );
    if (!(entering instanceof Promise)) return this.#entered(entering, admitted, option);
    const [first] = routes;
    const inputTokens = limitedTokens(this.#call, facts.inputTokensEstimate);
    context.reservation = first && health.reserve(first, inputTokens, callId);
    return entering.then((result) => this.#entered(result, admitted, option));
  }

  #usable(routes: readonly Route[]): readonly Route[] | Refusal {
    const { only } = this.#received;
    const usable = only === undefined ? routes : routes.filter(only);
    return usable.length > 0 || routes.length === 0 ? usable : FILE_ELSEWHERE;
  }

  #pricing({ model }: ServingOption): AttemptContext['pricing'] {
    const { account, catalog } = this.#eligibility;
    const isBatch = this.#call.endpoint.action === 'batch' ? true : undefined;
    return { catalog, model, account, nodeName: this.#gateway.nodeName, isBatch };
  }

  #context(
    { model }: ServingOption,
    pricing: AttemptContext['pricing'],
    money: MoneyRequest | undefined,
    holdFor: AttemptContext['holdFor'],
  ): AttemptContext {
    const { raw, facts, response, headers } = this.#received;
    const call = this.#call;
    const dialect = callDialect(call.endpoint);
    const { catalog } = pricing;
    const { deps } = this.#gateway;
    const { wantMicro = 0n, shareMicro = 0n } = money ?? {};
    const held = { wantMicro, shareMicro, fetchedTokens: 0, reservation: undefined, holdFor };
    return { call, model, catalog, pricing, raw, facts, dialect, response, headers, ...held, deps };
  }

  #entered(result: EnterResult, admitted: Admitted, option: ServingOption): AdmitResult {
    if (result.kind !== 'entered') admitted.context.reservation?.cancel();
    if (result.kind === 'stale') return 'stale';
    if (result.kind !== 'entered') return this.#refused(result, admitted);
    fault('gate.after-enter');
    this.#call.lease = result.lease;
    this.#call.admittedAt = this.#gateway.deps.clock.monotonic();
    this.#pay(option);
    return admitted;
  }

  /** If refused, the old hold stays until the call ends, and the failure of the option stays the answer. */
  #reheld(result: ReholdResult, admitted: Admitted, option: ServingOption): AdmitResult {
    if (result.kind !== 'reheld') return { kind: 'unserved', refusal: this.#refused(result, admitted) };
    fault('option.after-rehold');
    this.#pay(option);
    return admitted;
  }

  /** Takes a larger hold when the option needs more than was known at entry. */
  #holdFor(
    facts: RequestFacts,
    admitted: Admitted,
    option: ServingOption,
  ): ReturnType<AttemptContext['holdFor']> {
    const { context, routes } = admitted;
    const { lease } = this.#call;
    if (option.payment === undefined || lease === undefined) return undefined;
    const { gate, settlement } = this.#gateway.deps;
    const money = moneyRequest(
      quote(facts, routes, context.pricing),
      option.payment,
      settlement.creditsPerYuan,
    );
    const finish = (result: ReholdResult): Refusal | undefined => {
      if (result.kind !== 'reheld') {
        return this.#refused(result, { ...admitted, context: { ...context, facts }, money });
      }
      context.wantMicro = money.wantMicro;
      context.shareMicro = money.shareMicro;
      this.#pay(option);
      return undefined;
    };
    const reholding = gate.rehold(lease, money);
    return reholding instanceof Promise ? reholding.then(finish) : finish(reholding);
  }

  #refused(result: GateRefused | GateAway, { context, routes, money }: Admitted): Refusal {
    const { facts, pricing } = context;
    const { catalog, moment, protocol } = this.#eligibility;
    const limits = chooseLimits(this.#call.caller, catalog, moment.nowMs);
    const { inputTokensEstimate: inputTokens, images } = facts;
    const needed = { limits, inputTokens, images, imagesGuess: this.#imagesGuess, money };
    if (result.kind === 'gate-away') return toRefusal(result, needed);
    const { reason } = result;
    this.#gateway.deps.observer.gateRefused(reason);
    if (money === undefined || (reason !== 'credits' && reason !== 'cap')) return toRefusal(result, needed);
    return refuseMoney(result, { facts, routes, pricing, money, protocol, hit: limitHit(result, needed) });
  }

  #pay({ payment }: ServingOption): void {
    const { lease } = this.#call;
    assert(lease !== undefined, 'a call that entered has a lease');
    this.#call.payer = payment === undefined ? 'byok' : lease.payer;
  }

  /** The account was changed on another node, so everything is decided again with the new account. */
  async #decideAgain(): Promise<ServingOption | Refusal> {
    this.#reads += 1;
    if (this.#reads > ACCOUNT_READS_MAX) return refuse('unavailable', { retryAfterMs: WAIT_MS });
    const { caller, createdAtMs } = this.#call;
    const current = await identifyAgain(this.#received, caller, this.#gateway, createdAtMs);
    if (isRefusal(current)) return current;
    this.#call.caller = current;
    this.#eligibility = this.#newEligibility();
    this.#askedFailures = newRouteFailures();
    return firstOption(this.#eligibility);
  }

  #newEligibility(): Eligibility {
    const { caller, createdAtMs, endpoint } = this.#call;
    const { directory, calendar } = this.#gateway;
    return {
      account: caller.account,
      catalog: directory.catalog(),
      modelId: this.#received.facts.model,
      protocol: endpoint.protocol,
      moment: { nowMs: createdAtMs, month: calendar.month(createdAtMs) },
    };
  }
}
