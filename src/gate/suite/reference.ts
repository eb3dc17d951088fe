import type { Funds } from '../../accounts/contract.ts';
import { SLOT_LIFETIME_MS } from '../../bounds.ts';
import type { PolicyWindow } from '../../catalog/contract.ts';
import type { Actuals, EnterRequest, Lease, MoneyRequest, SettledCall } from '../contract.ts';

/**
 * A slow gate that keeps no counters: it remembers every call ever made and answers each question by looking
 * through all of them. Whatever it says is right by construction, so a fast gate must say the same.
 */
interface PastWindow extends Omit<PolicyWindow, 'limit'> {
  readonly scope: string;
  readonly startedAtMs: number;
}

/** A window that bounds money, and what its limit was when the call was admitted. */
interface PastPot {
  readonly window: PastWindow;
  readonly limit: bigint;
  readonly name: 'amount' | 'coverage';
}

/** The money of a call: who pays, on which terms, out of what. */
export interface PastMoney {
  readonly terms: MoneyRequest | undefined;
  readonly payer: Lease['payer'];
  readonly pots: readonly PastPot[];
  readonly heldMicro: bigint;
  readonly shortOf: string | undefined;
}

export interface PastCall {
  readonly request: EnterRequest;
  readonly enteredAtMs: number;
  readonly windows: PastWindow[];
  money: PastMoney;
  actuals: Actuals | undefined;
  settled: boolean;
}

/** One window that a call must pass. */
interface Hurdle {
  readonly name: string;
  readonly scope: string;
  readonly rule: PolicyWindow;
}

const NO_MONEY: PastMoney = {
  terms: undefined,
  payer: 'none',
  pots: [],
  heldMicro: 0n,
  shortOf: undefined,
};

export class ReferenceGate {
  nowMs = 0;
  readonly calls: PastCall[] = [];
  readonly #windows: PastWindow[] = [];

  /** The reason of a refusal with its figures, or the call. */
  enter(request: EnterRequest, funds: Funds): PastCall | string {
    const refusal =
      this.#refuseConcurrency(request) ??
      this.#refuseWindow(request, listHurdles(request)) ??
      this.#refuseWallet(request, funds);
    if (refusal !== undefined) return refusal;
    const call: PastCall = {
      request,
      enteredAtMs: this.nowMs,
      windows: [],
      money: NO_MONEY,
      actuals: undefined,
      settled: false,
    };
    for (const { scope, rule } of listHurdles(request)) {
      if (rule.dimension !== 'amount') call.windows.push(this.#runningOrNew(scope, rule));
    }
    this.calls.push(call);
    this.#pay(call, request, funds);
    return call;
  }

  /** Nothing when the new terms are taken; else why not. */
  rehold(call: PastCall, money: MoneyRequest | undefined, funds: Funds): string | undefined {
    const old = call.money;
    const request = { ...call.request, money };
    call.money = NO_MONEY;
    const amounts = listHurdles(request).filter((hurdle) => hurdle.rule.dimension === 'amount');
    const refusal = this.#refuseWindow(request, amounts) ?? this.#refuseWallet(request, funds);
    if (refusal === undefined) this.#pay(call, request, funds);
    else call.money = old;
    return refusal;
  }

  extend(call: PastCall, moreMicro: bigint, funds: Funds): bigint {
    const { terms, heldMicro } = call.money;
    if (terms === undefined) return 0n;
    const bounds: [string | undefined, bigint][] = [[undefined, moreMicro], ...this.#bounds(call, funds)];
    const [shortOf, leastMicro] = bounds.reduce((least, one) => (one[1] < least[1] ? one : least));
    const granted = leastMicro < 0n ? 0n : leastMicro;
    call.money = { ...call.money, heldMicro: heldMicro + granted, shortOf };
    return granted;
  }

  leave(call: PastCall, actuals: Actuals): void {
    call.actuals = actuals;
    if (actuals.images === 0 || imagesAtEntry(call.request) > 0) return;
    for (const { scope, policy } of call.request.limits) {
      for (const rule of policy?.windows ?? []) {
        if (rule.dimension === 'images') call.windows.push(this.#runningOrNew(scope, rule));
      }
    }
  }

  /** Settles everything that waits; answers what it was. */
  settle(accountId: number): SettledCall[] {
    const settled: SettledCall[] = [];
    for (const call of this.calls) {
      if (call.request.accountId !== accountId || call.actuals === undefined || call.settled) continue;
      call.settled = true;
      const { callId } = call.request;
      settled.push({ callId, chargeMicro: call.actuals.chargeMicro, month: monthOf(call) });
    }
    return settled;
  }

  get running(): PastCall[] {
    return this.calls.filter((call) => call.actuals === undefined);
  }

  #refuseConcurrency(request: EnterRequest): string | undefined {
    for (const { scope, policy } of request.limits) {
      const limit = policy?.concurrency;
      if (limit === undefined) continue;
      const counts = (call: PastCall): boolean => call.request.limits.some((one) => one.scope === scope);
      const used = this.running.filter(
        (call) => counts(call) && this.nowMs - call.enteredAtMs < SLOT_LIFETIME_MS,
      ).length;
      if (used >= limit) return `concurrency ${used}/${limit} 1000`;
    }
    return undefined;
  }

  /** Coverage is a hurdle only when nobody else pays. */
  #refuseWindow(request: EnterRequest, hurdles: readonly Hurdle[]): string | undefined {
    const all = request.money?.wallet === undefined ? [...hurdles, ...listCoverHurdles(request)] : hurdles;
    const refusing = all.flatMap((hurdle) => this.#refuseAt(hurdle, request) ?? []);
    const [first] = refusing;
    return first && `${first.text} ${Math.max(...refusing.map((one) => one.waitMs))}`;
  }

  #refuseAt(hurdle: Hurdle, request: EnterRequest): { text: string; waitMs: number } | undefined {
    const { name, scope, rule } = hurdle;
    const window = this.#findRunning(scope, rule);
    const used = window === undefined ? 0n : this.#used(window);
    const endsAtMs = (window?.startedAtMs ?? this.nowMs) + rule.seconds * 1000;
    const { money } = request;
    if (rule.dimension !== 'amount' || money === undefined) {
      if (fits(rule, used, request)) return undefined;
      return { text: `${name} ${used}/${rule.limit}`, waitMs: endsAtMs - this.nowMs };
    }
    const factor = BigInt(money.creditsPerYuan);
    const held = window === undefined ? 0n : this.#held(window);
    if ((rule.limit - used) * factor - held >= money.leastMicro) return undefined;
    const told = used + (held + factor - 1n) / factor;
    const onlyHeld = window !== undefined && (rule.limit - used) * factor >= money.leastMicro;
    return { text: `${name} ${told}/${rule.limit}`, waitMs: onlyHeld ? 1_000 : endsAtMs - this.nowMs };
  }

  #refuseWallet(request: EnterRequest, funds: Funds): string | undefined {
    const { money, accountId } = request;
    if (money?.wallet === undefined || this.#isCovered(request)) return undefined;
    return this.#walletBounds(accountId, money, funds).find(([, left]) => left < money.leastMicro)?.[0];
  }

  #isCovered(request: EnterRequest): boolean {
    if (request.money?.coverage === undefined) return false;
    return listCoverHurdles(request).every((hurdle) => this.#refuseAt(hurdle, request) === undefined);
  }

  /** Everybody agreed: the windows begin, and what is free of what is wanted is held. */
  #pay(call: PastCall, request: EnterRequest, funds: Funds): void {
    const { money } = request;
    if (money === undefined) return;
    const covered = this.#isCovered(request);
    const hurdles = [...listHurdles(request), ...(covered ? listCoverHurdles(request) : [])];
    const pots: PastPot[] = [];
    for (const { name, scope, rule } of hurdles) {
      if (name !== 'amount' && name !== 'coverage') continue;
      pots.push({ name, limit: rule.limit, window: this.#runningOrNew(scope, rule) });
    }
    call.money = { ...NO_MONEY, terms: money, payer: covered ? 'subscription' : 'credits', pots };
    this.#hold(call, money, funds);
  }

  /** Rule L-28: the most if it is free, else a quarter of what is free or the call's share of it. */
  #hold(call: PastCall, money: MoneyRequest, funds: Funds): void {
    const bounds = this.#bounds(call, funds);
    const [bound, free] = bounds.reduce(
      (least, one) => (one[1] < least[1] ? one : least),
      bounds[0] ?? ['', 0n],
    );
    const { wantMicro: most, shareMicro, wholeIfFree } = money;
    const sharing = [free / 4n, free < shareMicro ? free : shareMicro].reduce((a, b) => (a > b ? a : b));
    const held = bounds.length === 0 || (wholeIfFree && free >= most) || sharing > most ? most : sharing;
    const isShort = bounds.length > 0 && free < most;
    call.money = { ...call.money, heldMicro: held, shortOf: isShort ? bound : undefined };
  }

  /** Each pot that bounds the call, and what it has left. */
  #bounds(call: PastCall, funds: Funds): [string, bigint][] {
    const { terms, payer, pots } = call.money;
    if (terms === undefined) return [];
    const bounds: [string, bigint][] = [];
    for (const { name, window, limit } of pots) {
      if (this.#runs(window)) bounds.push([name, this.#leftMicro(window, limit, terms)]);
    }
    if (payer === 'credits') bounds.push(...this.#walletBounds(call.request.accountId, terms, funds));
    return bounds;
  }

  #walletBounds(accountId: number, money: MoneyRequest, funds: Funds): [string, bigint][] {
    const { wallet, creditsPerYuan } = money;
    if (wallet === undefined) throw new Error('who pays by Credits has a wallet');
    const factor = BigInt(creditsPerYuan);
    const taken = this.#taken(accountId);
    const exchange = wallet.autoExchange ? funds.balanceMicro * factor : 0n;
    const bounds: [string, bigint][] = [['credits', funds.creditsMicro + exchange - taken]];
    if (wallet.capMicro > 0n)
      bounds.push(['cap', (wallet.capMicro - funds.monthSpentMicro) * factor - taken]);
    return bounds;
  }

  /** Held by running calls and charged by calls that wait to be settled. */
  #taken(accountId: number): bigint {
    let sum = 0n;
    for (const call of this.calls) {
      if (call.request.accountId !== accountId || call.settled || call.money.payer !== 'credits') continue;
      sum += call.actuals === undefined ? call.money.heldMicro : call.actuals.chargeMicro;
    }
    return sum;
  }

  #leftMicro(window: PastWindow, limit: bigint, terms: MoneyRequest): bigint {
    return (limit - this.#used(window)) * BigInt(terms.creditsPerYuan) - this.#held(window);
  }

  #held(window: PastWindow): bigint {
    let sum = 0n;
    for (const { money } of this.running) {
      if (money.pots.some((pot) => pot.window === window)) sum += money.heldMicro;
    }
    return sum;
  }

  #used(window: PastWindow): bigint {
    let sum = 0n;
    for (const call of this.calls) {
      if (call.windows.includes(window)) sum += countUse(window, call);
      if (call.money.pots.some((pot) => pot.window === window)) sum += call.actuals?.amountMicro ?? 0n;
    }
    return sum;
  }

  #runs(window: PastWindow): boolean {
    return this.nowMs < window.startedAtMs + window.seconds * 1000;
  }

  #findRunning(scope: string, rule: PolicyWindow): PastWindow | undefined {
    return this.#windows.find(
      (window) =>
        window.scope === scope &&
        window.dimension === rule.dimension &&
        window.seconds === rule.seconds &&
        this.#runs(window),
    );
  }

  #runningOrNew(scope: string, rule: PolicyWindow): PastWindow {
    const running = this.#findRunning(scope, rule);
    if (running !== undefined) return running;
    const { dimension, seconds } = rule;
    const made = { scope, dimension, seconds, startedAtMs: this.nowMs };
    this.#windows.push(made);
    return made;
  }
}

/** The month that the money of the call counts into; none if no wallet pays. */
export function monthOf({ money: { payer, terms } }: PastCall): string | undefined {
  return payer === 'credits' ? terms?.wallet?.month : undefined;
}

/** The windows of the policies that the call uses, in their order. */
function listHurdles(request: EnterRequest): Hurdle[] {
  return request.limits.flatMap(({ scope, policy }) =>
    (policy?.windows ?? [])
      .filter((rule) => usesDimension(rule, request))
      .map((rule) => ({ name: rule.dimension, scope, rule })),
  );
}

function listCoverHurdles(request: EnterRequest): Hurdle[] {
  const coverage = request.money?.coverage;
  if (coverage === undefined) return [];
  return coverage.windows.map(({ seconds, amountMicro }) => ({
    name: 'coverage',
    scope: coverage.scope,
    rule: { dimension: 'amount', seconds, limit: amountMicro },
  }));
}

function usesDimension(rule: PolicyWindow, request: EnterRequest): boolean {
  if (rule.dimension === 'images') return imagesAtEntry(request) > 0;
  if (rule.dimension === 'videos') return request.videos > 0;
  return rule.dimension !== 'amount' || request.money !== undefined;
}

function imagesAtEntry({ images, imagesGuess }: EnterRequest): number {
  return images + imagesGuess;
}

function fits(rule: PolicyWindow, used: bigint, request: EnterRequest): boolean {
  const { inputTokens: tokens, videos } = request;
  const takes = { requests: 1, tokens, images: imagesAtEntry(request), videos };
  if (rule.dimension === 'amount') return true;
  if (rule.dimension === 'tokens' && used === 0n) return true;
  return used + BigInt(takes[rule.dimension]) <= rule.limit;
}

function countUse(window: PastWindow, call: PastCall): bigint {
  const { request, actuals } = call;
  switch (window.dimension) {
    case 'requests':
      return 1n;
    case 'tokens':
      return BigInt(actuals?.tokens ?? request.inputTokens);
    case 'images':
      return BigInt(actuals ? Math.max(request.images, actuals.images) : imagesAtEntry(request));
    case 'videos':
      return BigInt(request.videos);
    case 'amount':
      return 0n;
  }
}
