import type { Account, Subscription } from '../../src/accounts/contract.ts';
import type { Model, Policy } from '../../src/catalog/contract.ts';
import type { EnterResult, Gate, Lease, MoneyRequest, ReholdResult } from '../../src/gate/contract.ts';
import type { MemoryGate } from '../../src/gate/memory.ts';
import { findPaymentSources } from '../../src/gateway/admit/eligible.ts';
import { enterRequest, moneyRequest } from '../../src/gateway/admit/enter.ts';
import { type PricingContext, priceSnapshot, quote } from '../../src/gateway/admit/quote.ts';
import { type Call, newCall, toCallTerms } from '../../src/gateway/call.ts';
import { settleCall } from '../../src/gateway/settle/settle.ts';
import { Tasks } from '../../src/kernel/async/task.ts';
import { newCallId } from '../../src/kernel/id.ts';
import { silentLogger } from '../../src/kernel/log.ts';
import type { ManualClock } from '../../src/kernel/time/clock.ts';
import { NO_USAGE, type Usage } from '../../src/kernel/usage.ts';
import type { CallRecord, OpenCall, RoutedTerms, Verdict } from '../../src/ledger/contract.ts';
import type { RequestFacts } from '../../src/protocol/dialect.ts';
import {
  sampleAccount,
  sampleCatalog,
  sampleCredential,
  sampleKey,
  sampleModel,
  samplePlan,
  sampleRoute,
} from '../support/samples.ts';
import type { Books } from './books.ts';
import type { TestLedger } from './ledgers.ts';
import type { Tokens } from './model-call.ts';
import {
  COVERAGE,
  CREDITS_PER_YUAN,
  INPUT_PRICE,
  LONGEST,
  OUTPUT_PRICES,
  POLICY,
  USER_RATE,
} from './steps.ts';

export interface SystemParts {
  readonly clock: ManualClock;
  readonly books: Books;
  readonly ledger: TestLedger;
  /** The gate after a start; called again for a restart. */
  readonly openGate: () => Gate | MemoryGate;
}

/** How a call shall be served: a model of the platform, or the account's own credential. */
export interface Wanted {
  readonly model: number | undefined;
  readonly input: number;
  /** Nothing: the request does not say. */
  readonly most: number | undefined;
}

export interface Running {
  readonly call: Call;
  readonly lease: Lease;
}

const policy: Policy = { id: 1, name: 'model', concurrency: undefined, windows: POLICY };
const plan = samplePlan({ coverageWindows: COVERAGE });
const OWN_ROUTE = sampleRoute({ id: 9, credential: sampleCredential({ ownerAccountId: 7 }) });
const ENDPOINT = { protocol: 'chat', path: undefined } as unknown as Call['endpoint'];

/** The real parts of money in the order of a call: means, quote, gate, journal, settlement, store. */
export class System {
  readonly records: CallRecord[] = [];
  #subscriptions: readonly Subscription[] = [];
  #switches = { apiBilling: true, autoExchange: false, extraApiQuotaMicro: 0n };
  #models: readonly Model[] = OUTPUT_PRICES.map((output, index) => modelOf(index, output));
  #version = 1;
  #gate: Gate;
  readonly #parts: SystemParts;
  readonly #tasks = new Tasks(silentLogger);

  constructor(parts: SystemParts) {
    this.#parts = parts;
    this.#gate = parts.openGate();
  }

  get gate(): Gate {
    return this.#gate;
  }

  setPrice(index: number, output: bigint): void {
    this.#models = this.#models.map((model, at) => (at === index ? modelOf(index, output) : model));
  }

  async setSwitch(changes: Partial<Pick<Account, 'apiBilling' | 'autoExchange' | 'extraApiQuotaMicro'>>) {
    this.#switches = { ...this.#switches, ...changes };
    this.#version += 1;
    const { books, clock } = this.#parts;
    if (changes.autoExchange !== undefined) await books.setAutoExchange(changes.autoExchange, clock.now());
    if (changes.extraApiQuotaMicro !== undefined) await books.setCap(changes.extraApiQuotaMicro);
  }

  subscribe(subscription: { readonly id: number; readonly endsAtMs: number } | undefined): void {
    this.#version += 1;
    const startsAtMs = 0;
    this.#subscriptions = subscription === undefined ? [] : [{ ...subscription, plan, startsAtMs }];
  }

  /** Money moved without a call: the gate is told what stands. */
  async tellFunds(): Promise<void> {
    const { books } = this.#parts;
    await this.#gate.settled({ accountId: books.accountId, calls: [], funds: await books.funds() });
  }

  async begin(wanted: Wanted): Promise<Running | EnterResult | 'not-billable'> {
    const { clock, ledger } = this.#parts;
    const createdAtMs = clock.now();
    const id = newCallId(createdAtMs);
    const account = await this.#account();
    const caller = { account, key: sampleKey(), readAtMs: 0 };
    const call = newCall({ id, createdAtMs, startedAt: clock.monotonic(), endpoint: ENDPOINT, caller });
    const money = this.#money(call, account, wanted);
    if (money === 'not-billable') return money;
    const facts = factsOf(wanted);
    const limits = [{ scope: `account:${account.id}`, policy }];
    const result = await this.#gate.enter(
      enterRequest({ callId: id, account, accountAgeMs: 0, limits, facts, imagesGuess: 0, money }),
    );
    if (result.kind !== 'entered') return result;
    call.lease = result.lease;
    this.#route(call, account, wanted);
    await ledger.journal.open(openOf(call, wanted));
    return { call, lease: result.lease };
  }

  async rehold({ call, lease }: Running, wanted: Wanted): Promise<ReholdResult | 'not-billable'> {
    const account = await this.#account();
    const money = this.#money(call, account, wanted);
    if (money === 'not-billable') return money;
    const result = await this.#gate.rehold(lease, money);
    if (result.kind !== 'reheld') return result;
    this.#route(call, account, wanted);
    await this.#parts.ledger.journal.open(openOf(call, wanted));
    return result;
  }

  mark({ call, lease }: Running, produced: Tokens): void {
    this.#parts.ledger.journal.mark(call.id, usageOf(produced), lease.heldMicro);
  }

  /** As the gateway ends it; the record is what the journal was told. */
  async end({ call }: Running, verdict: Verdict, produced: Tokens): Promise<CallRecord> {
    const { clock, ledger } = this.#parts;
    const records: CallRecord[] = [];
    const journal = {
      ...ledger.journal,
      end: (record: CallRecord) => {
        records.push(record);
        ledger.journal.end(record);
      },
      flush: () => ledger.journal.flush(),
    };
    const leaving: (void | Promise<void>)[] = [];
    const gate = {
      leave: (lease: Lease, actuals: Parameters<Gate['leave']>[1]) => {
        const left = this.#gate.leave(lease, actuals);
        leaving.push(left);
        return left;
      },
    } as Gate;
    const observer = { callEnded: () => {} };
    const settlement = {
      journal,
      gate,
      observer,
      clock,
      creditsPerYuan: CREDITS_PER_YUAN,
      tasks: this.#tasks,
    };
    const outcome = { status: 200, errorCode: null, verdict, usage: usageOf(produced), estimated: false };
    settleCall(call, outcome, settlement as unknown as Parameters<typeof settleCall>[2]);
    await Promise.all(leaving);
    const [record] = records;
    if (record === undefined) throw new Error('a call ends with a record');
    this.records.push(record);
    return record;
  }

  async restart(gateOutlives: boolean): Promise<void> {
    const { ledger, books, clock } = this.#parts;
    this.#gate = this.#parts.openGate();
    await ledger.restart(gateOutlives ? (account) => this.#gate.settled(account) : undefined);
    if ('restore' in this.#gate) (this.#gate as MemoryGate).restore(await books.windows(clock.now()));
  }

  #money(call: Call, account: Account, wanted: Wanted): MoneyRequest | undefined | 'not-billable' {
    if (wanted.model === undefined) return undefined;
    const month = new Date(call.createdAtMs).toISOString().slice(0, 7);
    const means = findPaymentSources(account, 'any', { nowMs: this.#parts.clock.now(), month });
    if (means === undefined) return 'not-billable';
    const tariff = this.#tariff(account, wanted);
    return moneyRequest(quote(factsOf(wanted), tariff.model.routes, tariff), means, CREDITS_PER_YUAN);
  }

  #route(call: Call, account: Account, wanted: Wanted): void {
    const tariff = this.#tariff(account, wanted);
    const route = wanted.model === undefined ? OWN_ROUTE : tariff.model.routes[0];
    if (route === undefined || call.lease === undefined) throw new Error('a model has a route');
    call.route = route;
    call.protocolOut = 'chat';
    call.price = priceSnapshot(route, tariff);
    call.payer = wanted.model === undefined ? 'byok' : call.lease.payer;
  }

  #tariff(account: Account, { model: index = 0 }: Wanted): PricingContext {
    const model = this.#models[index];
    if (model === undefined) throw new Error(`no model ${index}`);
    return { catalog: sampleCatalog(), model, account, nodeName: 'local' };
  }

  async #account(): Promise<Account> {
    const { books } = this.#parts;
    return sampleAccount({
      id: books.accountId,
      version: this.#version,
      userRateMicro: USER_RATE,
      subscriptions: this.#subscriptions,
      funds: await books.funds(),
      ...this.#switches,
    });
  }
}

function modelOf(index: number, outputMicro: bigint): Model {
  const modelId = `model-${index}`;
  const prices = { ...sampleModel().prices, inputMicro: INPUT_PRICE, outputMicro };
  const capabilities = { maxOutputTokens: LONGEST };
  return sampleModel({ modelId, prices, routes: [sampleRoute({ id: index + 1, modelId, capabilities })] });
}

function factsOf({ input, most }: Wanted): RequestFacts {
  return { inputTokensEstimate: input, outputTokensMax: most, answers: 1, images: 0 } as RequestFacts;
}

function usageOf({ input, output }: Tokens): Usage {
  return { ...NO_USAGE, inputFresh: input, outputText: output };
}

let attempts = 0;

function openOf(call: Call, { input }: Wanted): OpenCall {
  return {
    ...(toCallTerms(call, CREDITS_PER_YUAN) as RoutedTerms),
    // No call asks one route twice with one credential.
    credential: `credential-${++attempts}`,
    inputTokens: input,
    images: 0,
  };
}
