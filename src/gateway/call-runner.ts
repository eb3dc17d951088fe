import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { ACCOUNT_READS_MAX } from '../bounds.ts';
import type { Route } from '../catalog/contract.ts';
import type { EnterResult, GateAway, GateRefused, MoneyRequest, ReholdResult } from '../gate/contract.ts';
import { assert } from '../kernel/assert.ts';
import { isRefusal, type Refusal, refuse } from '../kernel/errors.ts';
import { fault } from '../kernel/fault.ts';
import type { RawRequest, RequestFacts } from '../protocol/dialect.ts';
import { dialectOf } from '../protocol/registry.ts';
import { chooseLimits, enterRequest, limitsImages, moneyRequest, refusalOf } from './admit/enter.ts';
import { identifyAgain, WAIT_MS } from './admit/identify.ts';
import { picturesExpected, quote } from './admit/quote.ts';
import { refuseMoney } from './admit/refuse-money.ts';
import { orderRoutes } from './admit/route.ts';
import { firstLeg, type Leg, nextLeg, type Terms } from './admit/serving-options.ts';
import type { Passage } from './attempt/attempt-context.ts';
import { answerFailures, forward } from './attempt/forward.ts';
import { isRequestsOwn, newSetbacks, type Setbacks } from './attempt/route-failures.ts';
import type { Call } from './call.ts';
import type { Gateway } from './gateway.ts';

/** A request that was read and understood. */
export interface Received {
  readonly raw: RawRequest;
  readonly facts: RequestFacts;
  readonly response: ServerResponse;
  readonly headers: IncomingHttpHeaders;
}

/** The gate let the leg in: these routes are tried, in this order. */
interface Taken {
  readonly kind: 'taken';
  readonly passage: Passage;
  readonly routes: readonly Route[];
  readonly money: MoneyRequest | undefined;
}

/** The leg cannot be tried, but perhaps another one. */
interface Unserved {
  readonly kind: 'unserved';
  readonly refusal: Refusal;
}

/** A refusal as such is the call's: no leg would help. */
type Taking = Taken | Unserved | Refusal | 'stale';

/**
 * A call from the decision who serves it to its answer, over one leg or several (serving-options.ts). The
 * first leg that has a route enters the gate; later ones take over its lease. When none serves the call, it
 * is answered with what stood in the way of the model that was asked for.
 */
export class Journey {
  readonly #call: Call;
  readonly #received: Received;
  readonly #gateway: Gateway;
  #terms: Terms;
  #asked: Setbacks = newSetbacks();
  /** The last one with the model that was asked for. */
  #askedPassage: Passage | undefined;
  #reads = 0;
  /** Images that were expected when the gate was entered. */
  #imagesGuess = 0;

  constructor(call: Call, received: Received, gateway: Gateway) {
    this.#call = call;
    this.#received = received;
    this.#gateway = gateway;
    this.#terms = this.#termsNow();
  }

  /** Steps 2 to 7 of decisions.md 3. A refusal is still to be answered. */
  async run(): Promise<Refusal | undefined> {
    let leg: Leg | Refusal | undefined = firstLeg(this.#terms);
    while (leg !== undefined) {
      if (isRefusal(leg)) return leg;
      // Awaited only where somebody has to be waited for: most calls pass the gate without leaving this turn.
      const taking = this.#take(leg);
      const taken = taking instanceof Promise ? await taking : taking;
      if (taken === 'stale') {
        leg = await this.#decideAgain();
        continue;
      }
      if (isRefusal(taken)) return this.#asked.refusal ?? taken;
      // What stands in the way of a fallback model is nobody's answer.
      const setbacks = this.#isAsked(leg) ? this.#asked : newSetbacks();
      if (taken.kind === 'unserved') setbacks.refusal ??= taken.refusal;
      else {
        if (this.#isAsked(leg)) this.#askedPassage = taken.passage;
        const { times } = this.#gateway;
        let end = await forward(taken.passage, taken.routes, times, setbacks);
        // A leg that another one may follow is tried to its last route, whatever the budget for retries says:
        // nobody is charged, or answered by another model, while what he asked for can still serve him.
        while (typeof end === 'object' && this.#after(leg) !== undefined) {
          end = await forward(taken.passage, end, times, setbacks);
        }
        if (end === 'answered') return undefined;
        if (end === 'stopped') break;
      }
      leg = this.#after(leg);
    }
    return this.#answer();
  }

  #after(leg: Leg): Leg | undefined {
    const next = nextLeg(this.#terms, leg);
    return next !== undefined && !this.#isAsked(next) && isRequestsOwn(this.#asked) ? undefined : next;
  }

  #isAsked({ model }: Leg): boolean {
    return model.modelId === this.#terms.modelId;
  }

  /** Spec 3.2, row 5: the original error. */
  #answer(): Refusal | undefined {
    const { failures, refusal } = this.#asked;
    if (failures.length === 0 && refusal !== undefined) return refusal;
    assert(this.#askedPassage !== undefined, 'what was neither tried nor refused is not answered');
    answerFailures(this.#askedPassage, this.#asked);
    return undefined;
  }

  /** Routes, then limits and hold in one atomic step; the routes come first, because they make the price. */
  #take(leg: Leg): Taking | Promise<Taking> {
    const { carriage, random } = this.#gateway;
    const { gate, journal, health, clock } = carriage;
    const routes = orderRoutes(leg.routes, this.#terms.protocol, health, random);
    if (isRefusal(routes)) return { kind: 'unserved', refusal: routes };
    if (!journal.writable) return refuse('unavailable', { retryAfterMs: WAIT_MS });
    const { facts } = this.#received;
    const tariff = this.#tariff(leg);
    const { creditsPerYuan } = carriage.settlement;
    const money =
      leg.means === undefined
        ? undefined
        : moneyRequest(quote(facts, routes, tariff), leg.means, creditsPerYuan);
    const passage = this.#passage(leg, tariff, money, (facts) => this.#holdFor(facts, taken, leg));
    const taken: Taken = { kind: 'taken', passage, routes, money };
    const { lease, id: callId, caller } = this.#call;
    const { account, catalog, moment } = this.#terms;
    const limits = chooseLimits(caller, catalog, moment.nowMs);
    const imagesGuess = picturesExpected(facts, leg.model);
    if (lease !== undefined) {
      // A model that paints takes over from one that does not: the call has no image of a limited number.
      const isOver = imagesGuess > this.#imagesGuess && limitsImages(limits);
      if (isOver) return { kind: 'unserved', refusal: refuse('policyLimitExceeded') };
      fault('leg.before-rehold');
      const reholding = gate.rehold(lease, money);
      if (reholding instanceof Promise) return reholding.then((result) => this.#reheld(result, taken, leg));
      return this.#reheld(reholding, taken, leg);
    }
    this.#imagesGuess = imagesGuess;
    const accountAgeMs = clock.monotonic() - caller.readAtMs;
    const entering = gate.enter(
      enterRequest({ callId, account, accountAgeMs, limits, facts, imagesGuess, money }),
    );
    if (entering instanceof Promise) return entering.then((result) => this.#entered(result, taken, leg));
    return this.#entered(entering, taken, leg);
  }

  #tariff({ model }: Leg): Passage['tariff'] {
    const { account, catalog } = this.#terms;
    return { catalog, model, account, nodeName: this.#gateway.nodeName };
  }

  #passage(
    { model }: Leg,
    tariff: Passage['tariff'],
    money: MoneyRequest | undefined,
    holdFor: Passage['holdFor'],
  ): Passage {
    const { raw, facts, response, headers } = this.#received;
    const call = this.#call;
    const dialect = dialectOf(call.endpoint.protocol);
    const { catalog } = tariff;
    const { carriage } = this.#gateway;
    const { wantMicro = 0n, shareMicro = 0n } = money ?? {};
    const held = { wantMicro, shareMicro, fetchedTokens: 0, holdFor };
    return { call, model, catalog, tariff, raw, facts, dialect, response, headers, ...held, carriage };
  }

  #entered(result: EnterResult, taken: Taken, leg: Leg): Taking {
    if (result.kind === 'stale') return 'stale';
    if (result.kind !== 'entered') return this.#refused(result, taken);
    fault('gate.after-enter');
    this.#call.lease = result.lease;
    this.#pay(leg);
    return taken;
  }

  /** Refused, the old hold stands until the call ends; what its own leg failed with stays the answer. */
  #reheld(result: ReholdResult, taken: Taken, leg: Leg): Taking {
    if (result.kind !== 'reheld') return { kind: 'unserved', refusal: this.#refused(result, taken) };
    fault('leg.after-rehold');
    this.#pay(leg);
    return taken;
  }

  /** The leg turns out to need more than was known at its entry. */
  #holdFor(facts: RequestFacts, taken: Taken, leg: Leg): ReturnType<Passage['holdFor']> {
    const { passage, routes } = taken;
    const { lease } = this.#call;
    if (leg.means === undefined || lease === undefined) return undefined;
    const { gate, settlement } = this.#gateway.carriage;
    const money = moneyRequest(quote(facts, routes, passage.tariff), leg.means, settlement.creditsPerYuan);
    const finish = (result: ReholdResult): Refusal | undefined => {
      if (result.kind !== 'reheld') {
        return this.#refused(result, { ...taken, passage: { ...passage, facts }, money });
      }
      passage.wantMicro = money.wantMicro;
      passage.shareMicro = money.shareMicro;
      this.#pay(leg);
      return undefined;
    };
    const reholding = gate.rehold(lease, money);
    return reholding instanceof Promise ? reholding.then(finish) : finish(reholding);
  }

  #refused(result: GateRefused | GateAway, { passage, routes, money }: Taken): Refusal {
    if (result.kind === 'gate-away') return refusalOf(result);
    const { reason } = result;
    this.#gateway.carriage.observer.gateRefused(reason);
    if (money === undefined || (reason !== 'credits' && reason !== 'cap')) return refusalOf(result);
    const { facts, tariff } = passage;
    return refuseMoney(result, { facts, routes, tariff, money, protocol: this.#terms.protocol });
  }

  #pay({ means }: Leg): void {
    const { lease } = this.#call;
    assert(lease !== undefined, 'who entered has a lease');
    this.#call.payer = means === undefined ? 'byok' : lease.payer;
  }

  /** The account was changed on another node: nothing that was decided with the old one holds. */
  async #decideAgain(): Promise<Leg | Refusal> {
    this.#reads += 1;
    if (this.#reads > ACCOUNT_READS_MAX) return refuse('unavailable', { retryAfterMs: WAIT_MS });
    const { caller, createdAtMs } = this.#call;
    const current = await identifyAgain(this.#received, caller, this.#gateway, createdAtMs);
    if (isRefusal(current)) return current;
    this.#call.caller = current;
    this.#terms = this.#termsNow();
    this.#asked = newSetbacks();
    return firstLeg(this.#terms);
  }

  #termsNow(): Terms {
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
