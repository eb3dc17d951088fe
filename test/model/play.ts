import { expect } from 'vitest';
import type { EnterResult, ReholdResult } from '../../src/gate/contract.ts';
import type { ManualClock } from '../../src/kernel/time/clock.ts';
import type { CallRecord } from '../../src/ledger/contract.ts';
import type { Books } from './books.ts';
import type { TestLedger } from './ledgers.ts';
import { costMicro, isOverrun, type ModelCall, type Refused } from './model-call.ts';
import { type GateKind, Reference } from './reference.ts';
import { CREDITS_PER_YUAN, MONTH_MS, type Step } from './steps.ts';
import type { Running, System, Wanted } from './system.ts';

export interface PlayParts {
  readonly system: System;
  readonly books: Books;
  readonly ledger: TestLedger;
  readonly clock: ManualClock;
  readonly gateKind: GateKind;
  /** A gate with leases of its own has to be kept awake while time passes. */
  readonly advance: (ms: number) => void | Promise<void>;
}

/** Plays the same steps on the real parts and on the reference; after each, both tell the same story. */
export class Play {
  readonly reference: Reference;
  readonly #parts: PlayParts;
  readonly #running = new Map<ModelCall, Running>();
  #subscriptions = 0;

  constructor(parts: PlayParts) {
    this.#parts = parts;
    this.reference = new Reference(parts.gateKind);
  }

  async take(step: Step): Promise<void> {
    await this.#act(step);
    await this.#compare();
  }

  /** Everything ends and is settled: then nothing may be held, pending or owed. */
  async finish(): Promise<void> {
    for (const call of this.reference.running) await this.#end(call, 'complete', call.produced);
    await this.take({ kind: 'settle' });
    // Then those that had to wait for the others.
    await this.take({ kind: 'settle' });
    expect(this.reference.calls.filter(({ state }) => state !== 'settled')).toEqual([]);
    expect(this.#parts.system.gate.active).toBe(0);
    expect(await this.#parts.books.problems()).toEqual([]);
  }

  async #act(step: Step): Promise<void> {
    const { system, reference } = { ...this.#parts, reference: this.reference };
    switch (step.kind) {
      case 'begin':
        return this.#begin({ model: step.model, input: step.input, most: step.most });
      case 'begin-own':
        return this.#begin({ model: undefined, input: step.input, most: 0 });
      case 'produce':
        return this.#produce(step);
      case 'extend':
        return this.#extend(step);
      case 'rehold':
        return this.#rehold(step);
      case 'end':
        return this.#onRunning(step.which, (call) => this.#end(call, step.verdict, call.produced));
      case 'release':
        return this.#onRunning(step.which, (call) => this.#end(call, 'complete', { input: 0, output: 0 }));
      case 'price':
        reference.outputPrices[step.model] = step.output;
        return system.setPrice(step.model, step.output);
      case 'restart':
        this.#running.clear();
        reference.restart();
        return system.restart(this.#parts.gateKind === 'outlives');
      default:
        return this.#settleOrSwitch(step);
    }
  }

  async #settleOrSwitch(step: Step): Promise<void> {
    const { system, ledger, books } = this.#parts;
    const { reference } = this;
    switch (step.kind) {
      case 'settle':
        reference.settle();
        return ledger.settle();
      case 'settle-again': {
        const known = system.records.filter(({ callId }) => this.#find(callId).state === 'settled');
        const again = known[step.which % Math.max(1, known.length)];
        if (again !== undefined) await books.settle([again, again]);
        return;
      }
      case 'auto-exchange':
        if (reference.autoExchange && !step.on) reference.autoExchangeOffAtMs = reference.nowMs;
        reference.autoExchange = step.on;
        return system.setSwitch({ autoExchange: step.on });
      case 'api-billing':
        reference.apiBilling = step.on;
        return system.setSwitch({ apiBilling: step.on });
      case 'cap':
        reference.capMicro = step.micro;
        return system.setSwitch({ extraApiQuotaMicro: step.micro });
      default:
        return this.#moveOrWait(step);
    }
  }

  async #moveOrWait(step: Step): Promise<void> {
    const { system, books } = this.#parts;
    const { reference } = this;
    if (step.kind === 'top-up') {
      reference[step.pool === 'credits' ? 'creditsMicro' : 'balanceMicro'] += step.micro;
      await books.topUp(step.pool, step.micro);
      await system.tellFunds();
    } else if (step.kind === 'exchange') {
      const enough = step.micro <= reference.balanceMicro;
      if (enough) {
        reference.balanceMicro -= step.micro;
        reference.creditsMicro += step.micro * BigInt(CREDITS_PER_YUAN);
      }
      expect(await books.exchange(step.micro)).toBe(enough);
      await system.tellFunds();
    } else if (step.kind === 'subscribe') {
      const endsAtMs = reference.nowMs + step.ms;
      this.#subscriptions += 1;
      // Subscriptions of other runs are others, also for a gate that several runs share.
      reference.subscription = { id: this.#parts.books.accountId * 1_000 + this.#subscriptions, endsAtMs };
      system.subscribe(reference.subscription);
    } else if (step.kind === 'unsubscribe') {
      reference.subscription = undefined;
      system.subscribe(undefined);
    } else if (step.kind === 'advance' || step.kind === 'next-month') {
      if (step.kind === 'next-month' && this.#parts.gateKind === 'outlives') await this.#settleAll();
      const ms = step.kind === 'advance' ? step.ms : MONTH_MS;
      reference.nowMs += ms;
      await this.#parts.advance(ms);
    }
  }

  /** A gate that outlives us gives up what nobody has settled for a week. */
  async #settleAll(): Promise<void> {
    await this.#act({ kind: 'settle' });
    // An overrun waits for the calls beside it. They do not run for a week.
    if (this.reference.calls.every(({ state }) => state !== 'ended')) return;
    for (const call of this.reference.running) await this.#end(call, 'complete', call.produced);
    await this.#act({ kind: 'settle' });
    await this.#act({ kind: 'settle' });
  }

  async #begin(wanted: Wanted): Promise<void> {
    const got = await this.#parts.system.begin(wanted);
    const id = typeof got === 'object' && 'call' in got ? got.call.id : 'refused';
    const expected = this.reference.begin({ ...wanted, id, outputPrice: this.#priceOf(wanted) });
    if (typeof got === 'string' || !('call' in got)) return expect(textOf(got)).toBe(textOfModel(expected));
    expect(textOfModel(expected)).toBe('entered');
    if ('reason' in expected) return;
    this.#running.set(expected, got);
    this.#expectSameHold(expected, got);
    expected.openHeldMicro = expected.heldMicro;
  }

  #produce(step: Step & { kind: 'produce' }): Promise<void> {
    return this.#onRunning(step.which, (call, running) => {
      call.produced = { input: call.input, output: call.produced.output + step.tokens };
      if (!step.marked) return;
      call.marked = call.produced;
      call.openHeldMicro = call.heldMicro;
      this.#parts.system.mark(running, call.produced);
    });
  }

  #extend(step: Step & { kind: 'extend' }): Promise<void> {
    return this.#onRunning(step.which, async (call, running) => {
      if (call.payer === 'byok') return;
      const expected = this.reference.extend(call, step.moreMicro);
      expect(await this.#parts.system.gate.extend(running.lease, step.moreMicro)).toBe(expected);
      this.#expectSameHold(call, running);
    });
  }

  #rehold(step: Step & { kind: 'rehold' }): Promise<void> {
    return this.#onRunning(step.which, async (call, running) => {
      const wanted = { model: step.own ? undefined : step.model, input: call.input, most: 30 };
      const refused = this.reference.rehold(call, {
        ...wanted,
        id: call.id,
        outputPrice: this.#priceOf(wanted),
      });
      const got = await this.#parts.system.rehold(running, wanted);
      expect(textOf(got)).toBe(refused === undefined ? 'reheld' : textOfModel(refused));
      this.#expectSameHold(call, running);
      if (refused !== undefined) return;
      // What the route before had begun is not owed.
      call.openHeldMicro = call.heldMicro;
      call.marked = undefined;
    });
  }

  async #end(call: ModelCall, verdict: 'complete' | 'cut-by-client', used: ModelCall['produced']) {
    const running = this.#running.get(call);
    if (running === undefined) throw new Error('only a running call ends');
    this.#running.delete(call);
    this.reference.end(call, used);
    expectSameRecord(await this.#parts.system.end(running, verdict, used), call);
  }

  async #onRunning(
    which: number,
    act: (call: ModelCall, running: Running) => void | Promise<void>,
  ): Promise<void> {
    const entries = [...this.#running];
    const picked = entries[which % Math.max(1, entries.length)];
    if (picked !== undefined) await act(...picked);
  }

  #priceOf({ model }: Wanted): bigint | undefined {
    return model === undefined ? undefined : this.reference.outputPrices[model];
  }

  #find(callId: string): ModelCall {
    const call = this.reference.calls.find(({ id }) => id === callId);
    if (call === undefined) throw new Error(`the model knows no ${callId}`);
    return call;
  }

  #expectSameHold(call: ModelCall, { call: real, lease }: Running): void {
    expect({ payer: real.payer, heldMicro: lease.heldMicro }).toEqual({
      payer: call.payer,
      heldMicro: call.heldMicro,
    });
  }

  /** I1 to I3: the books say what the rules say, call by call and in sum. */
  async #compare(): Promise<void> {
    const { books, system } = this.#parts;
    const { reference } = this;
    const funds = await books.funds();
    expect({ credits: funds.creditsMicro, balance: funds.balanceMicro }).toEqual({
      credits: reference.creditsMicro,
      balance: reference.balanceMicro,
    });
    expect(funds.creditsMicro >= 0n && funds.balanceMicro >= 0n).toBe(true);
    const spent = [...reference.spentMicro].filter(([, micro]) => micro > 0n).toSorted();
    expect(funds.monthSpentMicro).toBe(spent.at(-1)?.[1] ?? 0n);
    const settled = reference.calls.filter(({ state }) => state === 'settled');
    const expected = settled.map(({ id, paidMicro, chargeMicro }) => `${id} ${paidMicro} ${chargeMicro}`);
    const taken = (await books.taken()).map(
      (one) => `${one.callId} ${one.creditsMicro} ${one.creditsMicro + one.shortfallMicro}`,
    );
    expect(taken.toSorted()).toEqual(expected.toSorted());
    // Nobody took what another call held: who stayed within his hold is paid for in full. But a call that may
    // use the balance takes Credits first, and one that began after auto-exchange was switched off has
    // nothing else.
    const isSure = (call: ModelCall): boolean =>
      call.autoExchange ||
      call.createdAtMs <= reference.autoExchangeOffAtMs ||
      reference.autoExchangeOffAtMs === 0;
    const short = settled.filter((call) => call.paidMicro < call.chargeMicro && !isOverrun(call));
    expect(short.filter(isSure)).toEqual([]);
    expect(system.gate.active).toBe(this.#running.size);
  }
}

/** I5 to I7: what was produced, at the price of the moment it was routed, and who paid. */
function expectSameRecord(record: CallRecord, call: ModelCall): void {
  expect({
    tokens: [record.usage.inputFresh, record.usage.outputText],
    payer: record.payer,
    amountMicro: record.amountMicro,
    chargeMicro: record.chargeMicro,
    heldMicro: record.heldMicro,
  }).toEqual({
    tokens: [call.produced.input, call.produced.output],
    payer: call.payer,
    amountMicro: costMicro(call.produced, call.outputPrice),
    chargeMicro: call.chargeMicro,
    heldMicro: call.heldMicro,
  });
  expect(record.price?.prices.outputMicro ?? 0n).toBe(call.outputPrice ?? 0n);
}

function textOf(result: EnterResult | ReholdResult | 'not-billable'): string {
  if (typeof result === 'string') return `${result} 0`;
  return result.kind === 'gate-refused' ? `${result.reason} ${result.retryAfterMs}` : result.kind;
}

function textOfModel(result: ModelCall | Refused): string {
  return 'reason' in result ? `${result.reason} ${result.waitMs}` : 'entered';
}
