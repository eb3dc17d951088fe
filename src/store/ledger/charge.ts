import { creditsMicro, yuanOfMicro, yuanToBuyMicro } from '../../catalog/price.ts';
import { assert } from '../../kernel/assert.ts';
import { maxMicro, minMicro } from '../../kernel/money.ts';
import type { CallRecord } from '../../ledger/contract.ts';
import type { ShortOf } from '../../ledger/shortfall.ts';

/** The kinds and pools of ledger_entries. */
export type EntryKind = 'top_up' | 'exchange' | 'consumption' | 'grant' | 'adjustment' | 'hold';
export type Pool = 'balance' | 'credits';

/** The reason of a movement: a call, or the reason that a person gave. */
export interface Reason {
  readonly ref: string;
  /** The time of the call; undefined without a call. */
  readonly callAtMs?: number;
  /** When it was entered. Undefined: now. Times of an account never go back. */
  readonly enteredAtMs?: number;
}

export interface Entry extends Reason {
  readonly accountId: number;
  readonly seq: bigint;
  readonly kind: EntryKind;
  readonly pool: Pool;
  readonly changeMicro: bigint;
  readonly afterMicro: bigint;
}

/** An account's row while it is locked. The entries explain its new values. */
export interface Wallet {
  readonly accountId: number;
  readonly autoExchange: boolean;
  /** When it was last switched off. */
  readonly autoExchangeOffAtMs: number | undefined;
  creditsMicro: bigint;
  balanceMicro: bigint;
  /** The current monthly cap, micro-yuan; 0 = none. */
  readonly capMicro: bigint;
  month: string;
  monthSpentMicro: bigint;
  /** The highest cap that a call of the month was settled under. */
  monthCapMicro: bigint;
  lastSeq: bigint;
  readonly entries: Entry[];
}

/** The value of `monthCapMicro` without a cap: the largest number of its column. */
export const NO_CAP = 2n ** 63n - 1n;

/** What was taken for a call; a row of the consumption log if the call reached a vendor. */
export interface Consumption {
  readonly call: CallRecord;
  readonly month: string;
  readonly creditsPerYuan: number;
  readonly spentMicro: bigint;
  readonly creditsMicro: bigint;
  readonly shortfallMicro: bigint;
  /** Micro-yuan that auto-exchange moved for this call. */
  readonly exchangedMicro: bigint;
  /** Undefined if the charge was paid in full. */
  readonly short: Short | undefined;
}

/** Why no more was taken, with the values that prove it. */
export interface Short {
  readonly of: ShortOf;
  /** The cap that applied; null if there was none. */
  readonly capMicro: bigint | undefined;
  /** The balance could have been used too. */
  readonly mayExchange: boolean;
  /** The account's last entry when it was settled. */
  readonly seq: bigint;
}

export interface Terms {
  readonly creditsPerYuan: number;
  /** The month of the spending cap that the call counts in. */
  readonly month: string;
  readonly entries?: EntryTime;
}

/** Charges are entered when they are settled; in a past that is brought in, at the time of their calls. */
export type EntryTime = 'now' | 'at-call';

/**
 * Takes a call's charge from the wallet: from Credits first; what is missing is exchanged from the balance if
 * auto-exchange is on, or was while the call ran; what is then still missing is the shortfall. Nothing ever
 * goes below zero, and the monthly cap is never exceeded. Cost beyond the hold is taken like the rest:
 * `ledger/overrun.ts` makes sure that no other call holds that money when it is settled.
 */
export function takeCharge(wallet: Wallet, call: CallRecord, terms: Terms): Consumption {
  return take(wallet, call, { ...terms, kind: 'consumption' });
}

/** The same for the call of a running job. It is returned when the job ends. */
export function takeHold(wallet: Wallet, call: CallRecord, terms: Terms): Consumption {
  return take(wallet, call, { ...terms, kind: 'hold' });
}

/** What a running job has taken. */
export interface Held {
  readonly call: CallRecord;
  readonly month: string;
  readonly creditsMicro: bigint;
  readonly spentMicro: bigint;
  /** Micro-yuan that were exchanged for it. They stay Credits. */
  readonly exchangedMicro: bigint;
}

/** As if nothing had been taken. The spending of a month that is over stays as it is. */
export function returnHold(wallet: Wallet, { call, month, creditsMicro, spentMicro }: Held): void {
  if (creditsMicro > 0n) {
    move(wallet, { kind: 'hold', pool: 'credits', changeMicro: creditsMicro, ...reason(call) });
  }
  if (month === wallet.month) wallet.monthSpentMicro -= spentMicro;
  assert(wallet.monthSpentMicro >= 0n, 'no more is returned than was counted');
}

function take(
  wallet: Wallet,
  call: CallRecord,
  terms: Terms & { readonly kind: 'consumption' | 'hold' },
): Consumption {
  assert(call.chargeMicro > 0n, 'only a charge is taken');
  assert(call.payer === 'credits', 'only calls paid with Credits are charged');
  const { kind, month, creditsPerYuan } = terms;
  const capMicro = capFor(wallet, call, terms);
  const dueMicro = minMicro(call.chargeMicro, underCapMicro(wallet, call, { capMicro, ...terms }));
  const why = reason(call, terms.entries);
  const exchangedMicro = exchangeMissing(wallet, call, { dueMicro, why, ...terms });
  const paidMicro = minMicro(dueMicro, wallet.creditsMicro);
  if (paidMicro > 0n) move(wallet, { kind, pool: 'credits', changeMicro: -paidMicro, ...why });
  const shortfallMicro = call.chargeMicro - paidMicro;
  const spentMicro =
    shortfallMicro === 0n
      ? call.amountMicro
      : minMicro(call.amountMicro, yuanOfMicro(paidMicro, creditsPerYuan));
  const of = paidMicro < dueMicro ? 'credits' : month < wallet.month ? 'month-over' : 'cap';
  if (spentMicro > 0n) countMonth(wallet, month, { spentMicro, capMicro });
  assert(wallet.creditsMicro >= 0n && wallet.balanceMicro >= 0n, 'a wallet is never negative');
  const known = capMicro === NO_CAP ? undefined : capMicro;
  return {
    ...{ call, month, creditsPerYuan, spentMicro, creditsMicro: paidMicro, shortfallMicro, exchangedMicro },
    short:
      shortfallMicro === 0n
        ? undefined
        : { of, capMicro: known, mayExchange: mayExchange(wallet, call), seq: wallet.lastSeq },
  };
}

/**
 * The cap that applies to the call: the highest of that of its admission, the current one, and those of other
 * calls of the month. So lowering it while calls run, or raising it for some, does not make calls free.
 */
function capFor(wallet: Wallet, call: CallRecord, { month }: Terms): bigint {
  const isSet = call.capMicro !== undefined && call.capMicro > 0n && wallet.capMicro > 0n;
  if (!isSet) return NO_CAP;
  const highest = maxMicro(call.capMicro, wallet.capMicro);
  return month === wallet.month ? maxMicro(highest, wallet.monthCapMicro) : highest;
}

/** Micro-Credits. What a past month had left is no longer known, so the hold is the bound. */
function underCapMicro(
  wallet: Wallet,
  call: CallRecord,
  { capMicro, creditsPerYuan, month }: Terms & { readonly capMicro: bigint },
): bigint {
  if (capMicro === NO_CAP) return call.chargeMicro;
  if (month < wallet.month) return call.heldMicro;
  const spentMicro = month === wallet.month ? wallet.monthSpentMicro : 0n;
  return spentMicro >= capMicro ? 0n : creditsMicro(capMicro - spentMicro, creditsPerYuan);
}

/** For a call that costs nothing. */
export function freeConsumption(call: CallRecord, { month, creditsPerYuan }: Terms): Consumption {
  assert(call.chargeMicro === 0n, 'a charge is not free');
  const nothing = { spentMicro: 0n, creditsMicro: 0n, shortfallMicro: 0n, exchangedMicro: 0n };
  return { call, month, creditsPerYuan, ...nothing, short: undefined };
}

/** Exactly what is missing, or all there is. Balance moves in whole micro-yuan. */
function exchangeMissing(
  wallet: Wallet,
  call: CallRecord,
  { dueMicro, why, creditsPerYuan }: Terms & { readonly dueMicro: bigint; readonly why: Reason },
): bigint {
  const missingMicro = dueMicro - wallet.creditsMicro;
  if (missingMicro <= 0n || !mayExchange(wallet, call) || wallet.balanceMicro === 0n) return 0n;
  const movedMicro = minMicro(yuanToBuyMicro(missingMicro, creditsPerYuan), wallet.balanceMicro);
  exchange(wallet, movedMicro, { creditsPerYuan, ...why });
  return movedMicro;
}

/**
 * Balance was held even if auto-exchange has been switched off since: for this call, or for another one that
 * has taken the Credits of this one.
 */
function mayExchange({ autoExchange, autoExchangeOffAtMs = 0 }: Wallet, call: CallRecord): boolean {
  return autoExchange || call.mayExchange === true || call.createdAtMs <= autoExchangeOffAtMs;
}

function reason({ callId, createdAtMs }: CallRecord, entries: EntryTime = 'now'): Reason {
  const known = { ref: callId, callAtMs: createdAtMs };
  return entries === 'now' ? known : { ...known, enteredAtMs: createdAtMs };
}

/** Two movements that belong together: balance out, Credits in. */
export function exchange(
  wallet: Wallet,
  movedMicro: bigint,
  terms: Reason & { readonly creditsPerYuan: number },
): void {
  assert(movedMicro > 0n && movedMicro <= wallet.balanceMicro, 'only what is there can be exchanged');
  const { creditsPerYuan, ...reason } = terms;
  const boughtMicro = creditsMicro(movedMicro, creditsPerYuan);
  move(wallet, { kind: 'exchange', pool: 'balance', changeMicro: -movedMicro, ...reason });
  move(wallet, { kind: 'exchange', pool: 'credits', changeMicro: boughtMicro, ...reason });
}

/** The only place where a wallet changes, so that every change has its entry. */
export function move(
  wallet: Wallet,
  movement: Reason & { readonly kind: EntryKind; readonly pool: Pool; readonly changeMicro: bigint },
): void {
  assert(movement.changeMicro !== 0n, 'an entry changes something');
  const beforeMicro = movement.pool === 'credits' ? wallet.creditsMicro : wallet.balanceMicro;
  const afterMicro = beforeMicro + movement.changeMicro;
  assert(afterMicro >= 0n, 'Credits and balance never go below zero');
  if (movement.pool === 'credits') wallet.creditsMicro = afterMicro;
  else wallet.balanceMicro = afterMicro;
  wallet.lastSeq += 1n;
  wallet.entries.push({ accountId: wallet.accountId, seq: wallet.lastSeq, afterMicro, ...movement });
}

/** A newer month starts at zero. A late call of an older month counts in a month that is over. */
function countMonth(
  wallet: Wallet,
  month: string,
  { spentMicro, capMicro }: { readonly spentMicro: bigint; readonly capMicro: bigint },
): void {
  if (month < wallet.month) return;
  if (month > wallet.month) {
    wallet.month = month;
    wallet.monthSpentMicro = 0n;
    wallet.monthCapMicro = 0n;
  }
  wallet.monthSpentMicro += spentMicro;
  wallet.monthCapMicro = maxMicro(wallet.monthCapMicro, capMicro);
}
