import type { Funds } from '../../accounts/contract.ts';
import { assert } from '../../kernel/assert.ts';
import { type Columns, columnNames, encodeColumns, text, time, whole } from '../columns.ts';
import { type Database, idNumber } from '../database.ts';
import { type Part, Writes } from '../writes.ts';
import type { Entry, Wallet } from './charge.ts';

/** A wallet whose account row is locked until the transaction ends. */
export interface LockedWallet extends Wallet {
  readonly fundsVersion: bigint;
  /** Closed days of the account end before this. */
  readonly daysClosedToMs: number;
}

interface AccountRow {
  readonly id: bigint;
  readonly auto_exchange: boolean;
  readonly auto_exchange_off_at: Date | null;
  readonly credits_micro: bigint;
  readonly balance_micro: bigint;
  readonly funds_version: bigint;
  readonly month: string;
  readonly month_spent_micro: bigint;
  readonly month_cap_micro: bigint;
  readonly extra_api_quota_micro: bigint;
  readonly last_seq: bigint;
  readonly days_closed_to: Date;
}

/**
 * Locks the accounts in the order of their ids, which is the same everywhere, so that there are no deadlocks.
 */
export async function lockWallets(
  transaction: Database,
  accountIds: readonly number[],
): Promise<ReadonlyMap<number, LockedWallet>> {
  const accounts = await transaction.query<AccountRow>(HOLD, [`{${accountIds.join(',')}}`], 'hold-wallets');
  const wallets = new Map(accounts.map((row) => [idNumber(row.id), held(row)]));
  const unknown = accountIds.filter((id) => !wallets.has(id));
  assert(unknown.length === 0, `the database knows the accounts of its calls (not ${unknown.join(', ')})`);
  return wallets;
}

const HOLD = `
  select id, auto_exchange, auto_exchange_off_at, credits_micro, balance_micro, funds_version, month, month_spent_micro, month_cap_micro,
    extra_api_quota_micro, last_seq, days_closed_to
  from accounts where id = any($1::bigint[]) order by id for no key update`;

function held(row: AccountRow): LockedWallet {
  return {
    accountId: idNumber(row.id),
    autoExchange: row.auto_exchange,
    autoExchangeOffAtMs: row.auto_exchange_off_at?.getTime(),
    creditsMicro: row.credits_micro,
    balanceMicro: row.balance_micro,
    fundsVersion: row.funds_version,
    month: row.month,
    capMicro: row.extra_api_quota_micro,
    monthSpentMicro: row.month_spent_micro,
    monthCapMicro: row.month_cap_micro,
    lastSeq: row.last_seq,
    daysClosedToMs: row.days_closed_to.getTime(),
    entries: [],
  };
}

/** Writes the entries and the new values of every wallet that changed. Returns the funds of all. */
export async function saveWallets(
  transaction: Database,
  wallets: ReadonlyMap<number, LockedWallet>,
): Promise<ReadonlyMap<number, Funds>> {
  const writes = new Writes();
  addWallets(writes, wallets);
  await writes.send(transaction);
  return new Map([...wallets].map(([id, wallet]) => [id, toFunds(wallet)]));
}

export function addWallets(writes: Writes, wallets: ReadonlyMap<number, LockedWallet>): void {
  const moved = [...wallets.values()].filter((wallet) => wallet.entries.length > 0);
  if (moved.length === 0) return;
  const entries = moved.flatMap((wallet) => wallet.entries);
  writes.add(INSERT_ENTRIES, encodeColumns(GIVEN_COLUMNS, entries));
  writes.add(UPDATE_ACCOUNTS, encodeColumns(PURSE_COLUMNS, moved));
}

/** As they are when the wallet is saved. */
export function toFunds(wallet: LockedWallet): Funds {
  return {
    version: idNumber(wallet.fundsVersion) + (wallet.entries.length > 0 ? 1 : 0),
    creditsMicro: wallet.creditsMicro,
    balanceMicro: wallet.balanceMicro,
    monthSpentMicro: wallet.monthSpentMicro,
    month: wallet.month,
  };
}

const PURSE_COLUMNS: Columns<LockedWallet> = {
  held_id: whole('bigint', (wallet) => wallet.accountId),
  credits: whole('bigint', (wallet) => wallet.creditsMicro),
  balance: whole('bigint', (wallet) => wallet.balanceMicro),
  new_month: text((wallet) => wallet.month),
  spent: whole('bigint', (wallet) => wallet.monthSpentMicro),
  month_cap: whole('bigint', (wallet) => wallet.monthCapMicro),
  new_seq: whole('bigint', (wallet) => wallet.lastSeq),
};

/** All rows exist, because they are locked. */
const UPDATE_ACCOUNTS: Part = {
  name: 'saved',
  columns: PURSE_COLUMNS,
  text: (given) => `
    update accounts set credits_micro = credits, balance_micro = balance, month = new_month,
      month_spent_micro = spent, month_cap_micro = month_cap, last_seq = new_seq, funds_version = funds_version + 1
    from ${given} where id = held_id and id = any($1)`,
};

const ENTRY_COLUMNS: Columns<Entry> = {
  account_id: whole('bigint', (entry) => entry.accountId),
  seq: whole('bigint', (entry) => entry.seq),
  kind: text((entry) => entry.kind),
  pool: text((entry) => entry.pool),
  change_micro: whole('bigint', (entry) => entry.changeMicro),
  after_micro: whole('bigint', (entry) => entry.afterMicro),
  ref: text((entry) => entry.ref),
  call_at: time((entry) => entry.callAtMs ?? null),
};

const GIVEN_COLUMNS: Columns<Entry> = {
  ...ENTRY_COLUMNS,
  entered_at: time((entry) => entry.enteredAtMs ?? null),
};

/** The accounts' entries and, for each kind and pool, the balancing entry of the platform side. */
const INSERT_ENTRIES: Part = {
  name: 'entered',
  columns: GIVEN_COLUMNS,
  text: (given) => `
    with ledger_transaction as (select nextval('ledger_transaction_seq') as id),
    entries as (
      select ${columnNames(ENTRY_COLUMNS)}, coalesce(entered_at, now()) as created_at from ${given}),
    counter_entries as (
      select null::bigint, null::bigint, kind, pool, -sum(change_micro)::bigint, null::bigint, 'platform',
        null::timestamptz, max(created_at)
      from entries group by kind, pool)
    insert into ledger_entries (transaction_id, ${columnNames(ENTRY_COLUMNS)}, created_at)
    select ledger_transaction.id, both_sides.* from ledger_transaction,
      (select * from entries union all select * from counter_entries) as both_sides`,
};
