import type { Funds } from '../accounts/contract.ts';
import { creditsMicro } from '../catalog/price.ts';
import { assert } from '../kernel/assert.ts';
import { minMicro } from '../kernel/money.ts';
import type { Overrun, PurseRequest } from './contract.ts';

/**
 * What the gate knows of one account's money. All amounts but those inside `funds` are micro-Credits.
 * `pendingMicro` may be negative for a moment: when the settler commits a charge before its call has left,
 * the committed funds are already smaller while the hold still stands.
 */
export interface Purse {
  funds: Funds;
  pendingMicro: bigint;
  heldMicro: bigint;
  /** The month new calls count into, and the part of pending and held that counts into it. */
  month: string;
  monthPendingMicro: bigint;
  monthHeldMicro: bigint;
}

export type PurseTerms = Pick<PurseRequest, 'autoExchange' | 'capMicro'>;

/** What is free, and which bound is the nearer one. */
export interface Free {
  readonly amountMicro: bigint;
  readonly bound: 'credits' | 'cap';
}

export function openPurse(funds: Funds, month: string): Purse {
  const purse = { funds, pendingMicro: 0n, heldMicro: 0n, month, monthPendingMicro: 0n, monthHeldMicro: 0n };
  turnMonth(purse, funds.month);
  return purse;
}

/** Funds travel by several ways and may arrive out of order: only a newer version counts. */
export function adoptFunds(purse: Purse, funds: Funds): void {
  if (funds.version <= purse.funds.version) return;
  purse.funds = funds;
  turnMonth(purse, funds.month);
}

/**
 * `2026-12` sorts after `2026-11`. A call of a month gone by counts into the current one: the safe side. That
 * is the books' month if they are ahead, as after a clock that was: they count nothing into an older one.
 */
export function turnMonth(purse: Purse, month: string): void {
  if (month <= purse.month) return;
  purse.month = month;
  purse.monthPendingMicro = 0n;
  purse.monthHeldMicro = 0n;
}

/** Committed, with balance at the exchange rate when it may be used. */
export function committedMicro(purse: Purse, terms: PurseTerms, creditsPerYuan: number): bigint {
  const { funds } = purse;
  if (!terms.autoExchange) return funds.creditsMicro;
  return funds.creditsMicro + creditsMicro(funds.balanceMicro, creditsPerYuan);
}

export function availableMicro(purse: Purse, terms: PurseTerms, creditsPerYuan: number): bigint {
  return committedMicro(purse, terms, creditsPerYuan) - purse.pendingMicro - purse.heldMicro;
}

/** Yuan are compared as Credits: the factor is whole, so nothing is rounded. */
export function monthUsedMicro(purse: Purse, creditsPerYuan: number): bigint {
  const spentMicro = purse.funds.month === purse.month ? purse.funds.monthSpentMicro : 0n;
  return creditsMicro(spentMicro, creditsPerYuan) + purse.monthPendingMicro + purse.monthHeldMicro;
}

/** Nothing when there is no cap. */
export function findUnderCapMicro(
  purse: Purse,
  terms: PurseTerms,
  creditsPerYuan: number,
): bigint | undefined {
  if (terms.capMicro <= 0n) return undefined;
  return creditsMicro(terms.capMicro, creditsPerYuan) - monthUsedMicro(purse, creditsPerYuan);
}

export function freeNow(purse: Purse, terms: PurseTerms, creditsPerYuan: number): Free {
  const available = availableMicro(purse, terms, creditsPerYuan);
  const underCap = findUnderCapMicro(purse, terms, creditsPerYuan);
  if (underCap === undefined || available <= underCap) return { amountMicro: available, bound: 'credits' };
  return { amountMicro: underCap, bound: 'cap' };
}

/** `Gate.covers`: these calls have left, so that all they cost is pending. */
export function coversOverrun(purse: Purse, { calls, capMicro, month, ...terms }: Overrun): boolean {
  let ownMicro = 0n;
  for (const { chargeMicro } of calls) ownMicro += chargeMicro;
  if (purse.pendingMicro + purse.heldMicro <= ownMicro) return true;
  // Under the cap of a month gone by nobody holds anything any more.
  const cap = month === purse.month ? capMicro : 0n;
  return (
    freeNow(purse, { autoExchange: terms.autoExchange, capMicro: cap }, terms.creditsPerYuan).amountMicro >=
    0n
  );
}

/** `month` is the call's, which may be over when its hold grows: `release` takes from the same one. */
export function hold(purse: Purse, amountMicro: bigint, month: string): void {
  assert(amountMicro >= 0n, 'a hold is never negative');
  purse.heldMicro += amountMicro;
  if (month === purse.month) purse.monthHeldMicro += amountMicro;
}

/** The hold of a call is dropped and its charge waits for the settler, in one step. */
export function release(purse: Purse, heldMicro: bigint, chargeMicro: bigint, month: string): void {
  assert(chargeMicro >= 0n, 'a charge is never negative');
  purse.heldMicro -= heldMicro;
  purse.pendingMicro += chargeMicro;
  if (month === purse.month) {
    purse.monthHeldMicro -= heldMicro;
    purse.monthPendingMicro += chargeMicro;
  }
  assert(purse.heldMicro >= 0n && purse.monthHeldMicro >= 0n, 'what is released was held');
}

/** Charges are committed in the order calls ended, so those of months gone by come first. */
export function settlePending(purse: Purse, chargedMicro: bigint): void {
  assert(chargedMicro >= 0n, 'a charge is never negative');
  const olderMicro = purse.pendingMicro - purse.monthPendingMicro;
  const fromOlderMicro = olderMicro > 0n ? minMicro(olderMicro, chargedMicro) : 0n;
  purse.pendingMicro -= chargedMicro;
  purse.monthPendingMicro -= chargedMicro - fromOlderMicro;
  if (purse.heldMicro === 0n && purse.pendingMicro < 0n) {
    // No call is running that could owe the difference: charges of strangers, which the funds contain.
    purse.pendingMicro = 0n;
    purse.monthPendingMicro = 0n;
  }
}

export function isIdle(purse: Purse): boolean {
  return purse.pendingMicro === 0n && purse.heldMicro === 0n;
}
