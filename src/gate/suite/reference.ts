import type { Funds } from '../../accounts/contract.ts';
import { SLOT_LIFETIME_MS } from '../../bounds.ts';
import type { PolicyWindow } from '../../catalog/contract.ts';
import type { Actuals, EnterRequest, HoldRequest } from '../contract.ts';

/**
 * A slow gate that keeps no counters: it remembers every call ever made and answers each question by looking
 * through all of them. Whatever it says is right by construction, so a fast gate must say the same.
 */
interface PastWindow {
  readonly scope: string;
  readonly rule: PolicyWindow;
  readonly startedAtMs: number;
}

export interface PastCall {
  readonly request: EnterRequest;
  readonly enteredAtMs: number;
  readonly windows: PastWindow[];
  heldMicro: bigint;
  actuals: Actuals | undefined;
  settled: boolean;
}

export class ReferenceGate {
  nowMs = 0;
  readonly calls: PastCall[] = [];
  readonly #windows: PastWindow[] = [];

  /** The reason of a refusal with its figures, or the call. */
  enter(request: EnterRequest, funds: Funds): PastCall | string {
    const refusal =
      this.#refuseConcurrency(request) ?? this.#refuseWindow(request) ?? this.#refuseHold(request, funds);
    if (refusal !== undefined) return refusal;
    const call: PastCall = {
      request,
      enteredAtMs: this.nowMs,
      windows: [],
      heldMicro: 0n,
      actuals: undefined,
      settled: false,
    };
    for (const rule of request.policy?.windows ?? []) {
      if (usesDimension(rule, request)) call.windows.push(this.#runningOrNew(request.scope, rule));
    }
    this.calls.push(call);
    if (request.hold !== undefined) this.extend(call, request.hold.wantMicro, funds);
    return call;
  }

  extend(call: PastCall, moreMicro: bigint, funds: Funds): bigint {
    const { hold, accountId } = call.request;
    if (hold === undefined) return 0n;
    const free = [this.#available(accountId, hold, funds), this.#underCap(accountId, hold, funds), moreMicro];
    const granted = free.reduce((least, one) => (one < least ? one : least));
    if (granted <= 0n) return 0n;
    call.heldMicro += granted;
    return granted;
  }

  leave(call: PastCall, actuals: Actuals): void {
    call.actuals = actuals;
    if (actuals.images === 0 || call.request.images > 0) return;
    for (const rule of call.request.policy?.windows ?? []) {
      if (rule.dimension === 'images') call.windows.push(this.#runningOrNew(call.request.scope, rule));
    }
  }

  /** Settles everything that waits; answers the sum. */
  settle(accountId: number): bigint {
    let sum = 0n;
    for (const call of this.calls) {
      if (call.request.accountId !== accountId || call.actuals === undefined || call.settled) continue;
      call.settled = true;
      sum += call.actuals.chargeMicro;
    }
    return sum;
  }

  get running(): PastCall[] {
    return this.calls.filter((call) => call.actuals === undefined);
  }

  #refuseConcurrency(request: EnterRequest): string | undefined {
    const limit = request.policy?.concurrency;
    if (limit === undefined) return undefined;
    const used = this.running.filter(
      (call) => call.request.scope === request.scope && this.nowMs - call.enteredAtMs < SLOT_LIFETIME_MS,
    ).length;
    return used < limit ? undefined : `concurrency ${used}/${limit} 1000`;
  }

  #refuseWindow(request: EnterRequest): string | undefined {
    const refusing = [];
    for (const rule of request.policy?.windows ?? []) {
      if (!usesDimension(rule, request)) continue;
      const window = this.#findRunning(request.scope, rule);
      const used = window === undefined ? 0n : this.#used(window);
      if (fits(rule, used, request)) continue;
      const endsAtMs = (window?.startedAtMs ?? this.nowMs) + rule.seconds * 1000;
      refusing.push({ text: `${rule.dimension} ${used}/${rule.limit}`, waitMs: endsAtMs - this.nowMs });
    }
    const [first] = refusing;
    return first && `${first.text} ${Math.max(...refusing.map((one) => one.waitMs))}`;
  }

  #refuseHold(request: EnterRequest, funds: Funds): string | undefined {
    const { hold, accountId } = request;
    if (hold === undefined) return undefined;
    if (this.#available(accountId, hold, funds) < hold.leastMicro) return 'credits';
    return this.#underCap(accountId, hold, funds) < hold.leastMicro ? 'cap' : undefined;
  }

  #available(accountId: number, hold: HoldRequest, funds: Funds): bigint {
    const exchange = hold.autoExchange ? funds.balanceMicro * BigInt(hold.creditsPerYuan) : 0n;
    return funds.creditsMicro + exchange - this.#taken(accountId);
  }

  #underCap(accountId: number, hold: HoldRequest, funds: Funds): bigint {
    if (hold.capMicro === 0n) return funds.creditsMicro + funds.balanceMicro * 1_000_000n;
    return (hold.capMicro - funds.monthSpentMicro) * BigInt(hold.creditsPerYuan) - this.#taken(accountId);
  }

  /** Held by running calls and charged by calls that wait to be settled. */
  #taken(accountId: number): bigint {
    let sum = 0n;
    for (const call of this.calls) {
      if (call.request.accountId !== accountId || call.settled) continue;
      sum += call.actuals === undefined ? call.heldMicro : call.actuals.chargeMicro;
    }
    return sum;
  }

  #used(window: PastWindow): bigint {
    let sum = 0n;
    for (const call of this.calls) if (call.windows.includes(window)) sum += countOf(window.rule, call);
    return sum;
  }

  #findRunning(scope: string, rule: PolicyWindow): PastWindow | undefined {
    return this.#windows.find(
      (window) =>
        window.scope === scope &&
        window.rule === rule &&
        this.nowMs >= window.startedAtMs &&
        this.nowMs < window.startedAtMs + rule.seconds * 1000,
    );
  }

  #runningOrNew(scope: string, rule: PolicyWindow): PastWindow {
    const running = this.#findRunning(scope, rule);
    if (running !== undefined) return running;
    const made = { scope, rule, startedAtMs: this.nowMs };
    this.#windows.push(made);
    return made;
  }
}

function usesDimension(rule: PolicyWindow, request: EnterRequest): boolean {
  if (rule.dimension === 'images') return request.images > 0;
  if (rule.dimension === 'videos') return request.videos > 0;
  return true;
}

function fits(rule: PolicyWindow, used: bigint, request: EnterRequest): boolean {
  const takes = { requests: 1, tokens: request.inputTokens, images: request.images, videos: request.videos };
  if (rule.dimension === 'amount') return used < rule.limit;
  if (rule.dimension === 'tokens' && used === 0n) return true;
  return used + BigInt(takes[rule.dimension]) <= rule.limit;
}

function countOf(rule: PolicyWindow, call: PastCall): bigint {
  const { request, actuals } = call;
  switch (rule.dimension) {
    case 'requests':
      return 1n;
    case 'tokens':
      return BigInt(actuals?.tokens ?? request.inputTokens);
    case 'images':
      return BigInt(Math.max(request.images, actuals?.images ?? 0));
    case 'videos':
      return BigInt(request.videos);
    case 'amount':
      return actuals?.amountMicro ?? 0n;
  }
}
