import { assert } from '../kernel/assert.ts';
import { maxMicro, minMicro, quarterMicro } from '../kernel/money.ts';
import type { MoneyRequest, Shortage } from './contract.ts';
import { freeNow, hold, release, type Wallet } from './funds.ts';
import { leftMicro, type Rule, type Window } from './window.ts';

/** A window that bounds the money of a call, and its limit. */
export interface MoneyWindow {
  readonly name: 'amount' | 'coverage';
  readonly rule: Rule;
  readonly window: Window;
}

/** Where the money of a running call is held: the same amount in every one of these. */
export interface Holding {
  readonly kind: 'holding';
  readonly terms: MoneyRequest;
  /** Amount windows first, then coverage. */
  readonly windows: readonly MoneyWindow[];
  /** Undefined if the subscription pays. */
  readonly wallet: Wallet | undefined;
  /** The month that the call counts into. */
  readonly month: string;
}

/** The hold of one call, which may grow. */
export interface Held {
  heldMicro: bigint;
  shortOf: Shortage | undefined;
  freeMicro: bigint;
}

export const NO_MONEY_WINDOWS: readonly MoneyWindow[] = Object.freeze([]);

/** `running` is parallel to `rules`: the windows of the call's admission. */
export function moneyWindows(
  name: MoneyWindow['name'],
  rules: readonly Rule[],
  running: readonly (Window | undefined)[],
): readonly MoneyWindow[] {
  const windows: MoneyWindow[] = [];
  for (let index = 0; index < rules.length; index++) {
    const rule = rules[index];
    const window = running[index];
    if (rule?.dimension === 'amount' && window !== undefined) windows.push({ name, rule, window });
  }
  return windows;
}

interface Free {
  readonly amountMicro: bigint;
  /** The first of the windows with the least left. */
  readonly bound: Shortage;
}

/** Rule L-28: the hold of a call at entry. Every pot has at least `leastMicro` left. */
export function grantAtEntry(held: Held, holding: Holding, nowMs: number): void {
  const { terms } = holding;
  const free = findFree(holding, nowMs);
  if (free === undefined) {
    take(held, holding, terms.wantMicro);
    return;
  }
  const { amountMicro, bound } = free;
  held.freeMicro = amountMicro - take(held, holding, chooseShare(terms, amountMicro));
  held.shortOf = amountMicro < terms.wantMicro ? bound : undefined;
}

function chooseShare({ wantMicro, shareMicro, wholeIfFree }: MoneyRequest, freeMicro: bigint): bigint {
  if (wholeIfFree && freeMicro >= wantMicro) return wantMicro;
  return minMicro(wantMicro, maxMicro(quarterMicro(freeMicro), minMicro(freeMicro, shareMicro)));
}

/** Grants as much of the wanted amount as every pot has left. */
export function grantMore(held: Held, holding: Holding, wantMicro: bigint, nowMs: number): bigint {
  const free = findFree(holding, nowMs);
  const isShort = free !== undefined && free.amountMicro < wantMicro;
  held.shortOf = isShort ? free.bound : undefined;
  return take(held, holding, isShort ? maxMicro(0n, free.amountMicro) : wantMicro);
}

function take(held: Held, holding: Holding, amountMicro: bigint): bigint {
  held.heldMicro += amountMicro;
  holdIn(holding, amountMicro);
  return amountMicro;
}

/** What is left in the pot with the least; undefined if no pot bounds the call. */
function findFree(holding: Holding, nowMs: number): Free | undefined {
  const { terms, windows, wallet } = holding;
  let least: Free | undefined;
  for (let index = 0; index < windows.length; index++) {
    const pot = windows[index];
    // A window that has ended bounds nothing: the cost of the call will not count in it.
    if (pot === undefined || nowMs >= pot.window.endsAtMs) continue;
    const amountMicro = leftMicro(pot.rule, pot.window, terms.creditsPerYuan);
    if (least === undefined || amountMicro < least.amountMicro) least = { amountMicro, bound: pot.name };
  }
  if (wallet === undefined) return least;
  const free = freeFor(wallet, holding);
  return least === undefined || free.amountMicro < least.amountMicro ? free : least;
}

/** What the past month had left is no longer known, and the cap is a hard bound. */
function freeFor(wallet: Wallet, { terms, month }: Holding): ReturnType<typeof freeNow> {
  assert(terms.wallet !== undefined, 'a call paid by Credits has a wallet');
  if (month !== wallet.month && terms.wallet.capMicro > 0n) return { amountMicro: 0n, bound: 'cap' };
  return freeNow(wallet, terms.wallet, terms.creditsPerYuan);
}

export function holdIn({ windows, wallet, month }: Holding, amountMicro: bigint): void {
  for (let index = 0; index < windows.length; index++) {
    const window = windows[index]?.window;
    if (window !== undefined) window.heldMicro += amountMicro;
  }
  if (wallet !== undefined) hold(wallet, amountMicro, month);
}

/** The opposite of `holdIn`. The charge becomes pending in the same step. */
export function releaseFrom(
  { windows, wallet, month }: Holding,
  heldMicro: bigint,
  chargeMicro: bigint,
): void {
  for (let index = 0; index < windows.length; index++) {
    const window = windows[index]?.window;
    if (window === undefined) continue;
    window.heldMicro -= heldMicro;
    assert(window.heldMicro >= 0n, 'no more is returned than was held');
  }
  if (wallet !== undefined) release(wallet, heldMicro, chargeMicro, month);
}

/** Adds the cost of the call to the windows of its admission. Windows that have ended do not count. */
export function countIn({ windows }: Holding, amountMicro: bigint): void {
  for (let index = 0; index < windows.length; index++) {
    const window = windows[index]?.window;
    if (window !== undefined) window.used += amountMicro;
  }
}
