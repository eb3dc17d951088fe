import { assert } from '../kernel/assert.ts';
import type { MoneyRequest, Shortage } from './contract.ts';
import { freeNow, hold, type Purse, release } from './funds.ts';
import { leftMicro, type Rule, type Window } from './window.ts';

/** One window that bounds the money of a call, and its limit. */
export interface Pot {
  readonly rule: Rule;
  readonly window: Window;
}

/** Where the money of a running call is held: the same amount in every one of these. */
export interface Holding {
  readonly terms: MoneyRequest;
  readonly amounts: readonly Pot[];
  readonly coverage: readonly Pot[];
  /** Nothing when the subscription pays. */
  readonly purse: Purse | undefined;
  /** The month the call counts into. */
  readonly month: string;
}

export interface Grant {
  readonly micro: bigint;
  readonly shortOf: Shortage | undefined;
}

export const NO_POTS: readonly Pot[] = Object.freeze([]);

/** `running` stands parallel to `rules`, and names the windows that the call was admitted under. */
export function potsOf(rules: readonly Rule[], running: readonly (Window | undefined)[]): readonly Pot[] {
  const pots: Pot[] = [];
  for (let index = 0; index < rules.length; index++) {
    const rule = rules[index];
    const window = running[index];
    if (rule?.dimension === 'amount' && window !== undefined) pots.push({ rule, window });
  }
  return pots;
}

/** As much of what is wanted as every pot has left; when that is less, the first of the emptiest is named. */
export function findGrant(holding: Holding, wantMicro: bigint, nowMs: number): Grant {
  const { terms, purse } = holding;
  let grant: Grant = { micro: wantMicro, shortOf: undefined };
  for (const pot of holding.amounts) grant = narrow(grant, leftIn(pot, terms, nowMs), 'amount');
  for (const pot of holding.coverage) grant = narrow(grant, leftIn(pot, terms, nowMs), 'coverage');
  if (purse === undefined) return grant;
  assert(terms.purse !== undefined, 'who pays by Credits said from which');
  if (holding.month !== purse.month && terms.purse.capMicro > 0n) {
    // What the month gone by had left is no longer known, and the cap is a hard bound.
    return narrow(grant, 0n, 'cap');
  }
  const free = freeNow(purse, terms.purse, terms.creditsPerYuan);
  return narrow(grant, free.amountMicro, free.bound);
}

/** A window that has ended bounds nobody: what the call costs will count nowhere. */
function leftIn(pot: Pot, terms: MoneyRequest, nowMs: number): bigint | undefined {
  if (nowMs >= pot.window.endsAtMs) return undefined;
  return leftMicro(pot.rule, pot.window, terms.creditsPerYuan);
}

function narrow(grant: Grant, left: bigint | undefined, bound: Shortage): Grant {
  if (left === undefined || left >= grant.micro) return grant;
  return { micro: left < 0n ? 0n : left, shortOf: bound };
}

export function holdIn(holding: Holding, amountMicro: bigint): void {
  for (const { window } of holding.amounts) window.heldMicro += amountMicro;
  for (const { window } of holding.coverage) window.heldMicro += amountMicro;
  if (holding.purse !== undefined) hold(holding.purse, amountMicro, holding.month);
}

/** The opposite of `holdIn`; what is charged waits for the settler, in the same step. */
export function releaseFrom(holding: Holding, heldMicro: bigint, chargeMicro: bigint): void {
  for (const { window } of holding.amounts) giveBack(window, heldMicro);
  for (const { window } of holding.coverage) giveBack(window, heldMicro);
  if (holding.purse !== undefined) release(holding.purse, heldMicro, chargeMicro, holding.month);
}

function giveBack(window: Window, heldMicro: bigint): void {
  window.heldMicro -= heldMicro;
  assert(window.heldMicro >= 0n, 'what is given back was held');
}

/** What the call cost, into the windows it was admitted under: an ended one is nobody's any more. */
export function countIn(holding: Holding, amountMicro: bigint): void {
  for (const { window } of holding.amounts) window.used += amountMicro;
  for (const { window } of holding.coverage) window.used += amountMicro;
}
