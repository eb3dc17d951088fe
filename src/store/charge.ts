import { creditsMicro, yuanOfMicro, yuanToBuyMicro } from '../catalog/price.ts';
import { assert } from '../kernel/assert.ts';
import { minMicro } from '../kernel/money.ts';
import type { CallRecord } from '../ledger/contract.ts';

/** The kinds and pools of ledger_entries. */
export type EntryKind = 'top_up' | 'exchange' | 'consumption' | 'grant' | 'adjustment';
export type Pool = 'balance' | 'credits';

/** Why money moved: a call, or what a person gave as the reason. */
export interface Reason {
  readonly ref: string;
  /** The call's time; nothing when there is no call. */
  readonly callAtMs?: number;
}

export interface Entry extends Reason {
  readonly accountId: number;
  readonly seq: bigint;
  readonly kind: EntryKind;
  readonly pool: Pool;
  readonly changeMicro: bigint;
  readonly afterMicro: bigint;
}

/** An account's row while its lock is held; the entries say how it came to its new figures. */
export interface Purse {
  readonly accountId: number;
  readonly autoExchange: boolean;
  creditsMicro: bigint;
  balanceMicro: bigint;
  month: string;
  monthSpentMicro: bigint;
  lastSeq: bigint;
  readonly entries: Entry[];
}

/** What was taken for a call; a row of the consumption log when the call reached a vendor. */
export interface Consumption {
  readonly call: CallRecord;
  readonly month: string;
  readonly creditsPerYuan: number;
  readonly spentMicro: bigint;
  readonly creditsMicro: bigint;
  readonly shortfallMicro: bigint;
  /** Micro-yuan that auto-exchange moved for this call. */
  readonly exchangedMicro: bigint;
}

export interface Terms {
  readonly creditsPerYuan: number;
  /** Of the spending cap that the call counts in. */
  readonly month: string;
}

/**
 * Takes a call's charge from the purse: from Credits first; what is missing is bought from the balance when
 * auto-exchange is on, or was when the gate let the call in; what is then still missing is the shortfall.
 * Nothing ever goes below zero. No more is taken than the gate has granted: at its end a call was granted all
 * that was free, so the rest is what other calls hold, or what the cap does not allow.
 */
export function takeCharge(purse: Purse, call: CallRecord, terms: Terms): Consumption {
  assert(call.chargeMicro > 0n, 'only a charge is taken');
  assert(call.payer === 'credits', 'only calls paid with Credits are charged');
  const dueMicro = minMicro(call.chargeMicro, call.heldMicro);
  const exchangedMicro = exchangeMissing(purse, call, { dueMicro, ...terms });
  const paidMicro = minMicro(dueMicro, purse.creditsMicro);
  if (paidMicro > 0n) {
    move(purse, { kind: 'consumption', pool: 'credits', changeMicro: -paidMicro, ...reason(call) });
  }
  const shortfallMicro = call.chargeMicro - paidMicro;
  const spentMicro =
    shortfallMicro === 0n
      ? call.amountMicro
      : minMicro(call.amountMicro, yuanOfMicro(paidMicro, terms.creditsPerYuan));
  if (spentMicro > 0n) countMonth(purse, terms.month, spentMicro);
  assert(purse.creditsMicro >= 0n && purse.balanceMicro >= 0n, 'a purse is never negative');
  const { month, creditsPerYuan } = terms;
  return { call, month, creditsPerYuan, spentMicro, creditsMicro: paidMicro, shortfallMicro, exchangedMicro };
}

/** Of a call that costs nothing. */
export function freeConsumption(call: CallRecord, { month, creditsPerYuan }: Terms): Consumption {
  assert(call.chargeMicro === 0n, 'a charge is not free');
  const nothing = { spentMicro: 0n, creditsMicro: 0n, shortfallMicro: 0n, exchangedMicro: 0n };
  return { call, month, creditsPerYuan, ...nothing };
}

/** Exactly what is missing, or all there is; balance moves in whole micro-yuan. */
function exchangeMissing(
  purse: Purse,
  call: CallRecord,
  { dueMicro, creditsPerYuan }: { readonly dueMicro: bigint; readonly creditsPerYuan: number },
): bigint {
  const missingMicro = dueMicro - purse.creditsMicro;
  // Who has switched it off since had his balance held all the same.
  const mayExchange = purse.autoExchange || call.mayExchange;
  if (missingMicro <= 0n || !mayExchange || purse.balanceMicro === 0n) return 0n;
  const movedMicro = minMicro(yuanToBuyMicro(missingMicro, creditsPerYuan), purse.balanceMicro);
  exchange(purse, movedMicro, { creditsPerYuan, ...reason(call) });
  return movedMicro;
}

function reason(call: CallRecord): Reason {
  return { ref: call.callId, callAtMs: call.createdAtMs };
}

/** Two movements that belong together: balance out, Credits in. */
export function exchange(
  purse: Purse,
  movedMicro: bigint,
  terms: Reason & { readonly creditsPerYuan: number },
): void {
  assert(movedMicro > 0n && movedMicro <= purse.balanceMicro, 'only what is there can be exchanged');
  const { creditsPerYuan, ...reason } = terms;
  const boughtMicro = creditsMicro(movedMicro, creditsPerYuan);
  move(purse, { kind: 'exchange', pool: 'balance', changeMicro: -movedMicro, ...reason });
  move(purse, { kind: 'exchange', pool: 'credits', changeMicro: boughtMicro, ...reason });
}

/** The one place where a purse changes, so that no change is without its entry. */
export function move(
  purse: Purse,
  movement: Reason & { readonly kind: EntryKind; readonly pool: Pool; readonly changeMicro: bigint },
): void {
  assert(movement.changeMicro !== 0n, 'an entry changes something');
  const beforeMicro = movement.pool === 'credits' ? purse.creditsMicro : purse.balanceMicro;
  const afterMicro = beforeMicro + movement.changeMicro;
  assert(afterMicro >= 0n, 'Credits and balance never go below zero');
  if (movement.pool === 'credits') purse.creditsMicro = afterMicro;
  else purse.balanceMicro = afterMicro;
  purse.lastSeq += 1n;
  purse.entries.push({ accountId: purse.accountId, seq: purse.lastSeq, afterMicro, ...movement });
}

/** A newer month starts at zero. A late call of an older month counts in a month that is over. */
function countMonth(purse: Purse, month: string, spentMicro: bigint): void {
  if (month < purse.month) return;
  if (month > purse.month) {
    purse.month = month;
    purse.monthSpentMicro = 0n;
  }
  purse.monthSpentMicro += spentMicro;
}
