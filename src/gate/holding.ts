import { assert } from '../kernel/assert.ts';
import type { MoneyRequest, Shortage } from './contract.ts';
import { freeNow, hold, type Purse, release } from './funds.ts';
import { leftMicro, type Rule, type Window } from './window.ts';

/** One window that bounds the money of a call, and its limit. */
export interface Pot {
  readonly name: 'amount' | 'coverage';
  readonly rule: Rule;
  readonly window: Window;
}

/** Where the money of a running call is held: the same amount in every one of these. */
export interface Holding {
  readonly kind: 'holding';
  readonly terms: MoneyRequest;
  /** Amount windows first, then coverage. */
  readonly pots: readonly Pot[];
  /** Nothing when the subscription pays. */
  readonly purse: Purse | undefined;
  /** The month the call counts into. */
  readonly month: string;
}

/** The hold of one call as it grows. */
export interface Held {
  heldMicro: bigint;
  shortOf: Shortage | undefined;
}

export const NO_POTS: readonly Pot[] = Object.freeze([]);

/** `running` stands parallel to `rules`, and names the windows that the call was admitted under. */
export function potsOf(
  name: Pot['name'],
  rules: readonly Rule[],
  running: readonly (Window | undefined)[],
): readonly Pot[] {
  const pots: Pot[] = [];
  for (let index = 0; index < rules.length; index++) {
    const rule = rules[index];
    const window = running[index];
    if (rule?.dimension === 'amount' && window !== undefined) pots.push({ name, rule, window });
  }
  return pots;
}

/** Grants as much of what is wanted as every pot has left. If less, the first of the emptiest is named. */
export function grant(held: Held, holding: Holding, wantMicro: bigint, nowMs: number): bigint {
  const { terms, pots, purse } = holding;
  let granted = wantMicro;
  let shortOf: Shortage | undefined;
  for (let index = 0; index < pots.length; index++) {
    const pot = pots[index];
    // A window that has ended bounds nobody: what the call costs will count nowhere.
    if (pot === undefined || nowMs >= pot.window.endsAtMs) continue;
    const left = leftMicro(pot.rule, pot.window, terms.creditsPerYuan);
    if (left >= granted) continue;
    granted = left;
    shortOf = pot.name;
  }
  if (purse !== undefined) {
    const free = freeFor(purse, holding);
    if (free.amountMicro < granted) {
      granted = free.amountMicro;
      shortOf = free.bound;
    }
  }
  if (granted < 0n) granted = 0n;
  held.heldMicro += granted;
  held.shortOf = shortOf;
  holdIn(holding, granted);
  return granted;
}

/** What the month gone by had left is no longer known, and the cap is a hard bound. */
function freeFor(purse: Purse, { terms, month }: Holding): ReturnType<typeof freeNow> {
  assert(terms.purse !== undefined, 'who pays by Credits said from which');
  if (month !== purse.month && terms.purse.capMicro > 0n) return { amountMicro: 0n, bound: 'cap' };
  return freeNow(purse, terms.purse, terms.creditsPerYuan);
}

export function holdIn({ pots, purse, month }: Holding, amountMicro: bigint): void {
  for (let index = 0; index < pots.length; index++) {
    const window = pots[index]?.window;
    if (window !== undefined) window.heldMicro += amountMicro;
  }
  if (purse !== undefined) hold(purse, amountMicro, month);
}

/** The opposite of `holdIn`; what is charged waits for the settler, in the same step. */
export function releaseFrom({ pots, purse, month }: Holding, heldMicro: bigint, chargeMicro: bigint): void {
  for (let index = 0; index < pots.length; index++) {
    const window = pots[index]?.window;
    if (window === undefined) continue;
    window.heldMicro -= heldMicro;
    assert(window.heldMicro >= 0n, 'what is given back was held');
  }
  if (purse !== undefined) release(purse, heldMicro, chargeMicro, month);
}

/** What the call cost, into the windows it was admitted under: an ended one is nobody's any more. */
export function countIn({ pots }: Holding, amountMicro: bigint): void {
  for (let index = 0; index < pots.length; index++) {
    const window = pots[index]?.window;
    if (window !== undefined) window.used += amountMicro;
  }
}
