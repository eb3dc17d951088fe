import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { ACCOUNT_READS_MAX } from '../bounds.ts';
import type { Route } from '../catalog/contract.ts';
import type { EnterResult, GateAway, GateRefused, MoneyRequest, ReholdResult } from '../gate/contract.ts';
import { assert } from '../kernel/assert.ts';
import { isRefusal, type Refusal, refuse } from '../kernel/errors.ts';
import { fault } from '../kernel/fault.ts';
import type { RawRequest, RequestFacts } from '../protocol/dialect.ts';
import { getDialect } from '../protocol/registry.ts';
import { chooseLimits, enterRequest, limitsImages, moneyRequest, toRefusal } from './admit/enter.ts';
import { identifyAgain, WAIT_MS } from './admit/identify.ts';
import { picturesExpected, quote } from './admit/quote.ts';
import { refuseMoney } from './admit/refuse-money.ts';
import { orderRoutes } from './admit/route.ts';
import { type Eligibility, firstOption, nextOption, type ServingOption } from './admit/serving-options.ts';
import type { AttemptContext } from './attempt/attempt-context.ts';
import { answerFailures, forward } from './attempt/forward.ts';
import { isRequestFault, newRouteFailures, type RouteFailures } from './attempt/route-failures.ts';
import type { Call } from './call.ts';
import type { Gateway } from './gateway.ts';

/** A request that was read and understood. */
export interface Received {
  readonly raw: RawRequest;
  readonly facts: RequestFacts;
  readonly response: ServerResponse;
  readonly headers: IncomingHttpHeaders;
}

/** The gate let the option in: these routes are tried, in this order. */
interface Taken {
  readonly kind: 'taken';
  readonly context: AttemptContext;
  readonly routes: readonly Route[];
  readonly money: MoneyRequest | undefined;
}

/** The option cannot be tried, but perhaps another one. */
interface Unserved {
  readonly kind: 'unserved';
  readonly refusal: Refusal;
}

/** A plain refusal ends the call: no other option would help. */
type Taking = Taken | Unserved | Refusal | 'stale';

/**
 * Runs one call from the decision who serves it to its answer. It tries one serving option after the other
 * (serving-options.ts). The first option that has a route enters the gate; later ones take over its lease.
 * When none serves the call, the client gets the failure of the model that it asked for.
 */
export class CallRunner {
  readonly #call: Call;
  readonly #received: Received;
  readonly #gateway: Gateway;
  #eligibility: Eligibility;
  #asked: RouteFailures = newRouteFailures();
  /** The last one with the model that was asked for. */
  #askedContext: AttemptContext | undefined;
  #reads = 0;
  /** Images that were expected when the gate was entered. */
  #imagesGuess = 0;

  constructor(call: Call, received: Received, gateway: Gateway) {
    this.#call = call;
    this.#received = received;
    this.#gateway = gateway;
    this.#eligibility = this.#termsNow();
  }

  /** Steps 2 to 6 of rule S-15. A refusal is still to be answered. */
  async run(): Promise<Refusal | undefined> {
    let option: ServingOption | Refusal | undefined = firstOption(this.#eligibility);
    while (option !== undefined) {
      if (isRefusal(option)) return option;
      // Awaited only where somebody has to be waited for: most calls pass the gate without leaving this turn.
      const taking = this.#take(option);
      const taken = taking instanceof Promise ? await taking : taking;
      if (taken === 'stale') {
        option = await this.#decideAgain();
        continue;
      }
      if (isRefusal(taken)) return this.#asked.refusal ?? taken;
      // What stands in the way of a fallback model is nobody's answer.
      const routeFailures = this.#isAsked(option) ? this.#asked : newRouteFailures();
      if (taken.kind === 'unserved') routeFailures.refusal ??= taken.refusal;
      else {
        if (this.#isAsked(option)) this.#askedContext = taken.context;
        const { times } = this.#gateway;
        let end = await forward(taken.context, taken.routes, times, routeFailures);
        // An option that another one may follow is tried to its last route, whatever the retry budget says:
        // no client pays for, or is answered by, another model while the one it asked for can still serve.
        while (typeof end === 'object' && this.#after(option) !== undefined) {
          end = await forward(taken.context, end, times, routeFailures);
        }
        if (end === 'answered') return undefined;
        if (end === 'stopped') break;
      }
      option = this.#after(option);
    }
    return this.#answer();
  }

  #after(option: ServingOption): ServingOption | undefined {
    const next = nextOption(this.#eligibility, option);
    return next !== undefined && !this.#isAsked(next) && isRequestFault(this.#asked) ? undefined : next;
  }

  #isAsked({ model }: ServingOption): boolean {
    return model.modelId === this.#eligibility.modelId;
  }

  /** Rule S-28: the original error. */
  #answer(): Refusal | undefined {
    const { failures, refusal } = this.#asked;
    if (failures.length === 0 && refusal !== undefined) return refusal;
    assert(this.#askedContext !== undefined, 'what was neither tried nor refused is not answered');
    answerFailures(this.#askedContext, this.#asked);
    return undefined;
  }

  /** Routes, then limits and hold in one atomic step; the routes come first, because they make the price. */
  #take(option: ServingOption): Taking | Promise<Taking> {
    const { deps, random } = this.#gateway;
    const { gate, journal, health, clock } = deps;
    const routes = orderRoutes(option.routes, this.#eligibility.protocol, health, random);
    if (isRefusal(routes)) return { kind: 'unserved', refusal: routes };
    if (!journal.writable) return refuse('unavailable', { retryAfterMs: WAIT_MS });
    const { facts } = this.#received;
    const pricing = this.#pricing(option);
    const { creditsPerYuan } = deps.settlement;
    const money =
      option.payment === undefined
        ? undefined
        : moneyRequest(quote(facts, routes, pricing), option.payment, creditsPerYuan);
    const context = this.#context(option, pricing, money, (facts) => this.#holdFor(facts, taken, option));
    const taken: Taken = { kind: 'taken', context, routes, money };
    const { lease, id: callId, caller } = this.#call;
    const { account, catalog, moment } = this.#eligibility;
    const limits = chooseLimits(caller, catalog, moment.nowMs);
    const imagesGuess = picturesExpected(facts, option.model);
    if (lease !== undefined) {
      // A model that paints takes over from one that does not: the call has no image of a limited number.
      const isOver = imagesGuess > this.#imagesGuess && limitsImages(limits);
      if (isOver) return { kind: 'unserved', refusal: refuse('policyLimitExceeded') };
      fault('option.before-rehold');
      const reholding = gate.rehold(lease, money);
      if (reholding instanceof Promise)
        return reholding.then((result) => this.#reheld(result, taken, option));
      return this.#reheld(reholding, taken, option);
    }
    this.#imagesGuess = imagesGuess;
    const accountAgeMs = clock.monotonic() - caller.readAtMs;
    const entering = gate.enter(
      enterRequest({ callId, account, accountAgeMs, limits, facts, imagesGuess, money }),
    );
    if (entering instanceof Promise) return entering.then((result) => this.#entered(result, taken, option));
    return this.#entered(entering, taken, option);
  }

  #pricing({ model }: ServingOption): AttemptContext['pricing'] {
    const { account, catalog } = this.#eligibility;
    return { catalog, model, account, nodeName: this.#gateway.nodeName };
  }

  #context(
    { model }: ServingOption,
    pricing: AttemptContext['pricing'],
    money: MoneyRequest | undefined,
    holdFor: AttemptContext['holdFor'],
  ): AttemptContext {
    const { raw, facts, response, headers } = this.#received;
    const call = this.#call;
    const dialect = getDialect(call.endpoint.protocol);
    const { catalog } = pricing;
    const { deps } = this.#gateway;
    const { wantMicro = 0n, shareMicro = 0n } = money ?? {};
    const held = { wantMicro, shareMicro, fetchedTokens: 0, holdFor };
    return { call, model, catalog, pricing, raw, facts, dialect, response, headers, ...held, deps };
  }

  #entered(result: EnterResult, taken: Taken, option: ServingOption): Taking {
    if (result.kind === 'stale') return 'stale';
    if (result.kind !== 'entered') return this.#refused(result, taken);
    fault('gate.after-enter');
    this.#call.lease = result.lease;
    this.#pay(option);
    return taken;
  }

  /** Refused, the old hold stands until the call ends; what its own option failed with stays the answer. */
  #reheld(result: ReholdResult, taken: Taken, option: ServingOption): Taking {
    if (result.kind !== 'reheld') return { kind: 'unserved', refusal: this.#refused(result, taken) };
    fault('option.after-rehold');
    this.#pay(option);
    return taken;
  }

  /** The option turns out to need more than was known at its entry. */
  #holdFor(facts: RequestFacts, taken: Taken, option: ServingOption): ReturnType<AttemptContext['holdFor']> {
    const { context, routes } = taken;
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
        return this.#refused(result, { ...taken, context: { ...context, facts }, money });
      }
      context.wantMicro = money.wantMicro;
      context.shareMicro = money.shareMicro;
      this.#pay(option);
      return undefined;
    };
    const reholding = gate.rehold(lease, money);
    return reholding instanceof Promise ? reholding.then(finish) : finish(reholding);
  }

  #refused(result: GateRefused | GateAway, { context, routes, money }: Taken): Refusal {
    if (result.kind === 'gate-away') return toRefusal(result);
    const { reason } = result;
    this.#gateway.deps.observer.gateRefused(reason);
    if (money === undefined || (reason !== 'credits' && reason !== 'cap')) return toRefusal(result);
    const { facts, pricing } = context;
    return refuseMoney(result, { facts, routes, pricing, money, protocol: this.#eligibility.protocol });
  }

  #pay({ payment }: ServingOption): void {
    const { lease } = this.#call;
    assert(lease !== undefined, 'who entered has a lease');
    this.#call.payer = payment === undefined ? 'byok' : lease.payer;
  }

  /** The account was changed on another node: nothing that was decided with the old one holds. */
  async #decideAgain(): Promise<ServingOption | Refusal> {
    this.#reads += 1;
    if (this.#reads > ACCOUNT_READS_MAX) return refuse('unavailable', { retryAfterMs: WAIT_MS });
    const { caller, createdAtMs } = this.#call;
    const current = await identifyAgain(this.#received, caller, this.#gateway, createdAtMs);
    if (isRefusal(current)) return current;
    this.#call.caller = current;
    this.#eligibility = this.#termsNow();
    this.#asked = newRouteFailures();
    return firstOption(this.#eligibility);
  }

  #termsNow(): Eligibility {
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
