import {
  type Ask,
  costMicro,
  counts,
  type Hurdle,
  isOverrun,
  larger,
  least,
  type ModelCall,
  type Refused,
  sum,
  type Tokens,
  type Window,
} from './model-call.ts';
import { BEGIN_MS, COVERAGE, CREDITS_PER_YUAN, LONGEST, OUTPUT_PRICES, POLICY } from './steps.ts';

/**
 * The rules of money and limits (rule S-15, rule M-1, rule L-28), written down once more and as slowly as
 * possible: nothing is counted, every question is answered by looking through all calls there ever were.
 * Micro-Credits and micro-yuan are whole numbers; `FACTOR` turns yuan into Credits.
 */
const FACTOR = BigInt(CREDITS_PER_YUAN);
const CREDIT = 1_000_000n;
const GUESS_MS = 1_000;
const LEAST_TOKENS = 256;
const SHARE_TOKENS = 4_096;

/** `forgets`: windows come back from the store. `outlives`: the gate has them, and its own idea of months. */
export type GateKind = 'forgets' | 'outlives';

export class Reference {
  nowMs = BEGIN_MS;
  creditsMicro = 0n;
  balanceMicro = 0n;
  autoExchange = false;
  autoExchangeOffAtMs = 0;
  apiBilling = true;
  capMicro = 0n;
  subscription: { readonly id: number; readonly endsAtMs: number } | undefined;
  readonly outputPrices: bigint[] = [...OUTPUT_PRICES];
  readonly spentMicro = new Map<string, bigint>();
  readonly calls: ModelCall[] = [];
  #windows: Window[] = [];
  /** The newest month in which somebody asked for Credits: the cap of an older one is closed. */
  #monthSeen = '';
  readonly #gate: GateKind;

  constructor(gate: GateKind) {
    this.#gate = gate;
  }

  get running(): ModelCall[] {
    return this.calls.filter((call) => call.state === 'running');
  }

  begin(ask: Ask): ModelCall | Refused {
    const call: ModelCall = {
      id: ask.id,
      createdAtMs: this.nowMs,
      input: ask.input,
      windows: [],
      outputPrice: ask.outputPrice,
      payer: 'byok',
      pots: [],
      heldMicro: 0n,
      openHeldMicro: 0n,
      holdMonth: '',
      autoExchange: false,
      capMicro: 0n,
      settledCapMicro: undefined,
      produced: { input: ask.input, output: 0 },
      marked: undefined,
      state: 'running',
      amountMicro: 0n,
      chargeMicro: 0n,
      countedMicro: 0n,
      countedTokens: ask.input,
      paidMicro: 0n,
    };
    const refused = this.#pay(call, ask, ['requests', 'amount', 'tokens']);
    if (refused !== undefined) return refused;
    for (const rule of POLICY) {
      if (rule.dimension === 'amount') continue;
      call.windows.push(this.#runningOrNew({ ...rule, name: rule.dimension, scope: 'account:7' }));
    }
    this.calls.push(call);
    return call;
  }

  /** The old hold goes, the new one is taken, or everything stays as it was. */
  rehold(call: ModelCall, ask: Ask): Refused | undefined {
    const old = { ...call };
    Object.assign(call, { heldMicro: 0n, pots: [], payer: 'byok', outputPrice: ask.outputPrice });
    const refused = this.#pay(call, ask, ['amount']);
    if (refused !== undefined) Object.assign(call, old);
    return refused;
  }

  /** What is granted of it. */
  extend(call: ModelCall, moreMicro: bigint): bigint {
    const micro = larger(0n, least([moreMicro, ...this.#bounds(call)]));
    call.heldMicro += micro;
    return micro;
  }

  end(call: ModelCall, used: Tokens): void {
    this.#cost(call, used);
    call.state = 'ended';
    call.countedMicro = call.amountMicro;
    call.countedTokens = used.input + used.output;
    // In the order in which calls ended they are settled.
    this.calls.splice(this.calls.indexOf(call), 1);
    this.calls.push(call);
  }

  /**
   * Calls within their holds first. Those that cost more wait as long as the funds do not pay for them and
   * for all that others hold or owe, unless there are no others.
   */
  settle(): void {
    const ended = this.calls.filter(({ state }) => state === 'ended');
    const overruns = ended.filter(isOverrun);
    const covered = this.#covers(overruns);
    for (const call of ended) if (!isOverrun(call)) this.#take(call);
    if (covered) for (const call of overruns) this.#take(call);
  }

  #covers(overruns: readonly ModelCall[]): boolean {
    const owed = sum(overruns, (call) => call.chargeMicro);
    if (this.#taken(() => true) === owed) return true;
    if (this.#freeCredits(overruns.every((call) => call.autoExchange)) < 0n) return false;
    const caps = overruns.map((call) => call.capMicro).filter((cap) => cap > 0n);
    // What a past month had left under its cap is not known: other calls of past months come first.
    const isPast = (call: ModelCall): boolean => call.holdMonth !== this.#monthSeen;
    const past = overruns.filter(isPast);
    const pastOwed = sum(past, (call) => call.chargeMicro);
    if (caps.length > 0 && past.length > 0 && this.#taken(isPast) > pastOwed) return false;
    const month = overruns
      .map((call) => call.holdMonth)
      .toSorted()
      .at(-1);
    if (caps.length === 0 || month === undefined || month !== this.#monthSeen) return true;
    return (
      this.#freeUnderCap(
        caps.reduce((least, one) => (one < least ? one : least)),
        month,
      ) >= 0n
    );
  }

  /** Whoever ran is ended at its last mark. Windows that count nobody are forgotten with the process. */
  restart(): void {
    const cut = this.running;
    for (const call of cut) {
      // Before the first mark nothing is known to have been produced, and nothing is charged.
      this.#cost(call, call.marked ?? { input: 0, output: 0 });
      call.heldMicro = call.openHeldMicro;
      call.countedMicro = call.amountMicro;
      // A gate that outlives us corrects no tokens of calls that never left.
      if (this.#gate === 'forgets' && call.marked !== undefined) {
        call.countedTokens = call.marked.input + call.marked.output;
      }
    }
    const left = [...this.calls.filter(({ state }) => state === 'ended'), ...cut];
    for (const call of left) if (!isOverrun(call)) this.#take(call);
    for (const call of left) if (isOverrun(call)) this.#take(call);
    if (this.#gate === 'outlives') return;
    this.#monthSeen = '';
    this.#windows = this.#windows.filter((window) => this.calls.some((call) => counts(call, window)));
  }

  monthOf(timeMs: number): string {
    return new Date(timeMs).toISOString().slice(0, 7);
  }

  #take(call: ModelCall): void {
    call.state = 'settled';
    const month = call.payer === 'credits' ? call.holdMonth : this.monthOf(call.createdAtMs);
    const roomMicro = this.#roomUnderCap(call, month);
    const dueMicro = call.chargeMicro < roomMicro ? call.chargeMicro : roomMicro;
    const missingMicro = dueMicro - this.creditsMicro;
    // Who has switched it off since had the balance held all the same, for this call or for one beside it.
    const mayExchange =
      this.autoExchange || call.autoExchange || call.createdAtMs <= this.autoExchangeOffAtMs;
    if (missingMicro > 0n && mayExchange) {
      const wantedMicro = (missingMicro + FACTOR - 1n) / FACTOR;
      const movedMicro = wantedMicro < this.balanceMicro ? wantedMicro : this.balanceMicro;
      this.balanceMicro -= movedMicro;
      this.creditsMicro += movedMicro * FACTOR;
    }
    call.paidMicro = dueMicro < this.creditsMicro ? dueMicro : this.creditsMicro;
    this.creditsMicro -= call.paidMicro;
    call.settledCapMicro =
      this.capMicro > 0n && call.capMicro > 0n ? larger(this.capMicro, call.capMicro) : undefined;
    this.spentMicro.set(month, (this.spentMicro.get(month) ?? 0n) + call.paidMicro / FACTOR);
  }

  /**
   * The highest cap of the month counts: that of the call's hold, that of now, and those that other calls of
   * the month were settled under. Of a month gone by only what was held is known to fit.
   */
  #roomUnderCap(call: ModelCall, month: string): bigint {
    if (this.capMicro === 0n || call.capMicro === 0n) return call.chargeMicro;
    const months = [...this.spentMicro].filter(([, micro]) => micro > 0n).map(([name]) => name);
    const newest = months.toSorted().at(-1) ?? '';
    const paying = this.calls.filter((one) => one.paidMicro >= FACTOR && one.holdMonth === month);
    if (month === newest && paying.some((one) => one.settledCapMicro === undefined)) return call.chargeMicro;
    if (month < newest) return call.heldMicro;
    const caps = paying.flatMap((one) => one.settledCapMicro ?? []);
    const cap = [this.capMicro, call.capMicro, ...(month === newest ? caps : [])].reduce(larger);
    const left = (cap - (this.spentMicro.get(month) ?? 0n)) * FACTOR;
    return left > 0n ? left : 0n;
  }

  #cost(call: ModelCall, used: Tokens): void {
    call.produced = used;
    call.amountMicro = costMicro(used, call.outputPrice);
    const credits = call.amountMicro * FACTOR;
    call.chargeMicro = call.payer === 'credits' && credits >= CREDIT ? credits : 0n;
  }

  #pay(call: ModelCall, ask: Ask, names: readonly string[]): Refused | undefined {
    const costs = ask.outputPrice !== undefined;
    const rules = POLICY.filter(({ dimension }) => names.includes(dimension));
    const hurdles = rules
      .filter(({ dimension }) => dimension !== 'amount' || costs)
      .map((rule) => ({ ...rule, name: rule.dimension, scope: 'account:7' }));
    const most = Math.min(ask.most ?? LONGEST, LONGEST);
    const costOf = (output: number): bigint =>
      costMicro({ input: ask.input, output: Math.min(output, most) }, ask.outputPrice) * FACTOR;
    const wantMicro = costOf(most);
    const leastMicro = costOf(LEAST_TOKENS);
    const month = this.monthOf(call.createdAtMs);
    const { cover, hasWallet } = this.#means();
    if (costs && cover.length === 0 && !hasWallet) return { reason: 'not-billable', waitMs: 0 };
    if (costs && hasWallet && this.#gate === 'outlives') this.#see(month);
    const refusing = (list: readonly Hurdle[]): Refused[] =>
      list.flatMap((hurdle) => this.#refuse(hurdle, leastMicro, ask.input) ?? []);
    const uncovered = refusing(cover);
    const refused = refusing(hurdles);
    const [first] = refused;
    if (first !== undefined) {
      const all = costs && !hasWallet ? [...refused, ...uncovered] : refused;
      return { reason: first.reason, waitMs: Math.max(...all.map(({ waitMs }) => waitMs)) };
    }
    if (!costs) return undefined;
    const covered = cover.length > 0 && uncovered.length === 0;
    const [last] = uncovered;
    if (!covered && !hasWallet && last !== undefined) {
      return { reason: last.reason, waitMs: Math.max(...uncovered.map(({ waitMs }) => waitMs)) };
    }
    if (!covered) {
      this.#see(month);
      if (this.#freeCredits(this.autoExchange) < leastMicro) return { reason: 'credits', waitMs: 0 };
      const underCap = this.#freeUnderCap(this.capMicro, this.#monthSeen);
      if (this.capMicro > 0n && underCap < leastMicro) return { reason: 'cap', waitMs: 0 };
    }
    const amounts = hurdles.filter(({ name }) => name === 'amount');
    call.payer = covered ? 'subscription' : 'credits';
    call.pots = [...amounts, ...(covered ? cover : [])].map((hurdle) => this.#runningOrNew(hurdle));
    call.holdMonth = this.#monthSeen;
    call.autoExchange = this.autoExchange;
    call.capMicro = this.capMicro;
    this.#hold(call, { wantMicro, shareMicro: costOf(SHARE_TOKENS), isNamed: ask.most !== undefined });
    return undefined;
  }

  /** Rule L-28: the whole if the request names it and it is free, else a share of what is free. */
  #hold(
    call: ModelCall,
    wanted: { readonly wantMicro: bigint; readonly shareMicro: bigint; readonly isNamed: boolean },
  ): void {
    const free = least(this.#bounds(call));
    const part = larger(free / 4n, least([free, wanted.shareMicro]));
    const isWhole = wanted.isNamed && free >= wanted.wantMicro;
    call.heldMicro = isWhole ? wanted.wantMicro : least([wanted.wantMicro, part]);
  }

  /** What each pot of the call has left. */
  #bounds(call: ModelCall): bigint[] {
    const bounds = call.pots.filter((pot) => this.#runs(pot)).map((pot) => this.#left(pot));
    if (call.payer !== 'credits') return bounds;
    bounds.push(this.#freeCredits(call.autoExchange));
    // Rule M-17: the cap is hard. What a month gone by had left nobody can tell any more.
    if (call.capMicro > 0n) {
      const closed = call.holdMonth !== this.#monthSeen;
      bounds.push(closed ? 0n : this.#freeUnderCap(call.capMicro, call.holdMonth));
    }
    return bounds;
  }

  #see(month: string): void {
    if (month > this.#monthSeen) this.#monthSeen = month;
  }

  #means(): { readonly cover: readonly Hurdle[]; readonly hasWallet: boolean } {
    const { subscription } = this;
    const valid = subscription !== undefined && this.nowMs < subscription.endsAtMs;
    const scope = `subscription:${subscription?.id}`;
    const cover = valid
      ? COVERAGE.map(({ seconds, amountMicro }) => ({
          name: 'coverage' as const,
          scope,
          seconds,
          limit: amountMicro,
        }))
      : [];
    const hasFunds = this.creditsMicro > 0n || (this.autoExchange && this.balanceMicro > 0n);
    return { cover, hasWallet: this.apiBilling && hasFunds };
  }

  #refuse(hurdle: Hurdle, leastMicro: bigint, input: number): Refused | undefined {
    const { name, limit, seconds } = hurdle;
    const window = this.#find(hurdle);
    const endsAtMs = (window?.startedAtMs ?? this.nowMs) + seconds * 1000;
    const refused = { reason: name, waitMs: endsAtMs - this.nowMs };
    const used = window === undefined ? 0n : this.#used(window);
    if (name === 'requests') return used + 1n <= limit ? undefined : refused;
    if (name === 'tokens') return used === 0n || used + BigInt(input) <= limit ? undefined : refused;
    if ((window === undefined ? limit * FACTOR : this.#left(window)) >= leastMicro) return undefined;
    // Only what others hold stands in the way.
    const onlyHeld = window !== undefined && (limit - used) * FACTOR >= leastMicro;
    return onlyHeld ? { ...refused, waitMs: GUESS_MS } : refused;
  }

  #freeCredits(autoExchange: boolean): bigint {
    const there = this.creditsMicro + (autoExchange ? this.balanceMicro * FACTOR : 0n);
    return there - this.#taken(() => true);
  }

  #freeUnderCap(capMicro: bigint, month: string): bigint {
    const spent = this.spentMicro.get(month) ?? 0n;
    return (capMicro - spent) * FACTOR - this.#taken((call) => call.holdMonth === month);
  }

  /** Held by running calls, and owed by calls that wait to be settled. */
  #taken(which: (call: ModelCall) => boolean): bigint {
    return sum(
      this.calls.filter((call) => call.payer === 'credits' && which(call)),
      (call) => {
        if (call.state === 'settled') return 0n;
        return call.state === 'running' ? call.heldMicro : call.chargeMicro;
      },
    );
  }

  #left(window: Window): bigint {
    const held = sum(this.running, (call) => (call.pots.includes(window) ? call.heldMicro : 0n));
    return (window.limit - this.#used(window)) * FACTOR - held;
  }

  #used(window: Window): bigint {
    return sum(this.calls, (call) => {
      if (call.pots.includes(window)) return call.countedMicro;
      if (!call.windows.includes(window)) return 0n;
      return window.name === 'requests' ? 1n : BigInt(call.countedTokens);
    });
  }

  #runs(window: Window): boolean {
    return this.nowMs < window.startedAtMs + window.seconds * 1000;
  }

  #find({ name, scope, seconds }: Hurdle): Window | undefined {
    const same = (one: Window): boolean =>
      one.name === name && one.scope === scope && one.seconds === seconds;
    return this.#windows.find((one) => same(one) && this.#runs(one));
  }

  #runningOrNew({ name, scope, seconds, limit }: Hurdle): Window {
    const running = this.#find({ name, scope, seconds, limit });
    if (running !== undefined) return running;
    const made = { name, scope, seconds, limit, startedAtMs: this.nowMs };
    this.#windows.push(made);
    return made;
  }
}
