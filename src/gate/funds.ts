import type { Funds } from '../accounts/contract.ts';
import { creditsMicro } from '../catalog/price.ts';
import { assert } from '../kernel/assert.ts';
import type { Overrun, WalletRequest } from './contract.ts';

/**
 * The money of one account in the gate. All amounts except those inside `funds` are micro-Credits.
 * `pendingMicro` may be negative for a moment: when the settler commits a charge before its call has left,
 * the committed funds are already smaller while the hold still exists.
 */
export interface Wallet {
  funds: Funds;
  pendingMicro: bigint;
  heldMicro: bigint;
  /** The month that new calls count into, and the part of pending and held that counts into it. */
  month: string;
  monthPendingMicro: bigint;
  monthHeldMicro: bigint;
}

export type WalletTerms = Pick<WalletRequest, 'autoExchange' | 'capMicro'>;

/** What is free, and which bound is nearer. */
export interface Free {
  readonly amountMicro: bigint;
  readonly bound: 'credits' | 'cap';
}

export function openWallet(funds: Funds, month: string): Wallet {
  const wallet = { funds, pendingMicro: 0n, heldMicro: 0n, month, monthPendingMicro: 0n, monthHeldMicro: 0n };
  turnMonth(wallet, funds.month);
  return wallet;
}

/** Funds may arrive out of order, so only a newer version is used. */
export function adoptFunds(wallet: Wallet, funds: Funds): void {
  if (funds.version <= wallet.funds.version) return;
  wallet.funds = funds;
  turnMonth(wallet, funds.month);
}

/**
 * `2026-12` sorts after `2026-11`. A call of a past month counts into the current one, the safe side. If the
 * month of the ledger is ahead, as after a wrong clock, it counts: the ledger has no older one.
 */
export function turnMonth(wallet: Wallet, month: string): void {
  if (month <= wallet.month) return;
  wallet.month = month;
  wallet.monthPendingMicro = 0n;
  wallet.monthHeldMicro = 0n;
}

/** Committed funds, with balance at the exchange rate if it may be used. */
export function committedMicro(wallet: Wallet, terms: WalletTerms, creditsPerYuan: number): bigint {
  const { funds } = wallet;
  if (!terms.autoExchange) return funds.creditsMicro;
  return funds.creditsMicro + creditsMicro(funds.balanceMicro, creditsPerYuan);
}

export function availableMicro(wallet: Wallet, terms: WalletTerms, creditsPerYuan: number): bigint {
  return committedMicro(wallet, terms, creditsPerYuan) - wallet.pendingMicro - wallet.heldMicro;
}

/** Yuan are compared as Credits. The factor is a whole number, so nothing is rounded. */
export function monthUsedMicro(wallet: Wallet, creditsPerYuan: number): bigint {
  const spentMicro = wallet.funds.month === wallet.month ? wallet.funds.monthSpentMicro : 0n;
  return creditsMicro(spentMicro, creditsPerYuan) + wallet.monthPendingMicro + wallet.monthHeldMicro;
}

/** Undefined if there is no cap. */
export function findUnderCapMicro(
  wallet: Wallet,
  terms: WalletTerms,
  creditsPerYuan: number,
): bigint | undefined {
  if (terms.capMicro <= 0n) return undefined;
  return creditsMicro(terms.capMicro, creditsPerYuan) - monthUsedMicro(wallet, creditsPerYuan);
}

export function freeNow(wallet: Wallet, terms: WalletTerms, creditsPerYuan: number): Free {
  const available = availableMicro(wallet, terms, creditsPerYuan);
  const underCap = findUnderCapMicro(wallet, terms, creditsPerYuan);
  if (underCap === undefined || available <= underCap) return { amountMicro: available, bound: 'credits' };
  return { amountMicro: underCap, bound: 'cap' };
}

/** `Gate.covers`: these calls have left, so their whole cost is pending. */
export function coversOverrun(wallet: Wallet, { calls, capMicro, month, ...terms }: Overrun): boolean {
  let ownMicro = 0n;
  let ownPastMicro = 0n;
  for (const call of calls) {
    ownMicro += call.chargeMicro;
    if (call.month !== wallet.month) ownPastMicro += call.chargeMicro;
  }
  if (wallet.pendingMicro + wallet.heldMicro <= ownMicro) return true;
  // What a past month had left under its cap is not known: other calls of past months are settled first.
  if (capMicro > 0n && ownPastMicro > 0n && pastMicro(wallet) > ownPastMicro) return false;
  const cap = month === wallet.month ? capMicro : 0n;
  return (
    freeNow(wallet, { autoExchange: terms.autoExchange, capMicro: cap }, terms.creditsPerYuan).amountMicro >=
    0n
  );
}

/** `month` is that of the call. It may be past when its hold grows; `release` takes from the same one. */
export function hold(wallet: Wallet, amountMicro: bigint, month: string): void {
  assert(amountMicro >= 0n, 'a hold is never negative');
  wallet.heldMicro += amountMicro;
  if (month === wallet.month) wallet.monthHeldMicro += amountMicro;
}

/** Drops the hold of a call and makes its charge pending, in one step. */
export function release(wallet: Wallet, heldMicro: bigint, chargeMicro: bigint, month: string): void {
  assert(chargeMicro >= 0n, 'a charge is never negative');
  wallet.heldMicro -= heldMicro;
  wallet.pendingMicro += chargeMicro;
  if (month === wallet.month) {
    wallet.monthHeldMicro -= heldMicro;
    wallet.monthPendingMicro += chargeMicro;
  }
  assert(wallet.heldMicro >= 0n && wallet.monthHeldMicro >= 0n, 'no more is released than was held');
}

/** Held or owed by calls of months before the current one. */
function pastMicro(wallet: Wallet): bigint {
  return wallet.pendingMicro + wallet.heldMicro - wallet.monthPendingMicro - wallet.monthHeldMicro;
}

/** The charge of a call is committed. `month` is the one in which it was held. */
export function settlePending(wallet: Wallet, chargedMicro: bigint, month: string | undefined): void {
  assert(chargedMicro >= 0n, 'a charge is never negative');
  wallet.pendingMicro -= chargedMicro;
  if (month === wallet.month) wallet.monthPendingMicro -= chargedMicro;
  if (wallet.heldMicro === 0n && wallet.pendingMicro < 0n) {
    // No call is running that could owe the difference: charges of unknown calls, which the funds contain.
    wallet.pendingMicro = 0n;
    wallet.monthPendingMicro = 0n;
  }
}

export function isIdle(wallet: Wallet): boolean {
  return wallet.pendingMicro === 0n && wallet.heldMicro === 0n;
}
