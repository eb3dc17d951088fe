import type { Funds } from '../accounts/contract.ts';
import { assert } from '../kernel/assert.ts';
import type { Entry, Purse } from './charge.ts';
import { type Database, idNumber } from './database.ts';

/** A purse whose account row is locked until the transaction ends. */
export interface HeldPurse extends Purse {
  readonly fundsVersion: bigint;
  /** Days of the account that are added up end before. */
  readonly daysClosedToMs: number;
}

interface AccountRow {
  readonly id: bigint;
  readonly auto_exchange: boolean;
  readonly credits_micro: bigint;
  readonly balance_micro: bigint;
  readonly funds_version: bigint;
  readonly month: string;
  readonly month_spent_micro: bigint;
  readonly last_seq: bigint;
  readonly days_closed_to: Date;
}

/**
 * Locks the accounts in the order of their ids, which is the same for everybody, so that two transactions
 * never wait for each other in a circle.
 */
export async function holdPurses(
  transaction: Database,
  accountIds: readonly number[],
): Promise<ReadonlyMap<number, HeldPurse>> {
  const accounts = await transaction.query<AccountRow>(HOLD, [accountIds], 'hold-purses');
  const purses = new Map(accounts.map((row) => [idNumber(row.id), held(row)]));
  const unknown = accountIds.filter((id) => !purses.has(id));
  assert(unknown.length === 0, `the database knows the accounts of its calls (not ${unknown.join(', ')})`);
  return purses;
}

const HOLD = `
  select id, auto_exchange, credits_micro, balance_micro, funds_version, month, month_spent_micro, last_seq,
    days_closed_to
  from accounts where id = any($1::bigint[]) order by id for no key update`;

function held(row: AccountRow): HeldPurse {
  return {
    accountId: idNumber(row.id),
    autoExchange: row.auto_exchange,
    creditsMicro: row.credits_micro,
    balanceMicro: row.balance_micro,
    fundsVersion: row.funds_version,
    month: row.month,
    monthSpentMicro: row.month_spent_micro,
    lastSeq: row.last_seq,
    daysClosedToMs: row.days_closed_to.getTime(),
    entries: [],
  };
}

/** Writes the entries and the new figures of every purse that moved; answers the funds of all. */
export async function savePurses(
  transaction: Database,
  purses: ReadonlyMap<number, HeldPurse>,
): Promise<ReadonlyMap<number, Funds>> {
  const moved = [...purses.values()].filter((purse) => purse.entries.length > 0);
  if (moved.length > 0) {
    await insertEntries(
      transaction,
      moved.flatMap((purse) => purse.entries),
    );
    await updateAccounts(transaction, moved);
  }
  return new Map([...purses].map(([id, purse]) => [id, fundsOf(purse)]));
}

function fundsOf(purse: HeldPurse): Funds {
  return {
    version: idNumber(purse.fundsVersion) + (purse.entries.length > 0 ? 1 : 0),
    creditsMicro: purse.creditsMicro,
    balanceMicro: purse.balanceMicro,
    monthSpentMicro: purse.monthSpentMicro,
    month: purse.month,
  };
}

const UPDATE_ACCOUNTS = `
  update accounts set credits_micro = new.credits, balance_micro = new.balance, month = new.month,
    month_spent_micro = new.spent, last_seq = new.last_seq, funds_version = funds_version + 1
  from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::text[], $5::bigint[], $6::bigint[])
    as new(id, credits, balance, month, spent, last_seq)
  where accounts.id = new.id and accounts.id = any($1) returning 1`;

async function updateAccounts(transaction: Database, purses: readonly HeldPurse[]): Promise<void> {
  const values = [
    purses.map((purse) => purse.accountId),
    purses.map((purse) => purse.creditsMicro),
    purses.map((purse) => purse.balanceMicro),
    purses.map((purse) => purse.month),
    purses.map((purse) => purse.monthSpentMicro),
    purses.map((purse) => purse.lastSeq),
  ];
  const updated = await transaction.query(UPDATE_ACCOUNTS, values, 'update-accounts');
  assert(updated.length === purses.length, 'every purse is saved');
}

const INSERT_ENTRIES = `
  with ledger_transaction as (select nextval('ledger_transaction_seq') as id),
  entries as (
    select * from unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::bigint[], $6::bigint[], $7::text[],
      $8::timestamptz[]) as entry(account_id, seq, kind, pool, change_micro, after_micro, ref, call_at)),
  counter_entries as (
    select null::bigint, null::bigint, kind, pool, -sum(change_micro)::bigint, null::bigint, 'platform',
      null::timestamptz
    from entries group by kind, pool)
  insert into ledger_entries
    (transaction_id, account_id, seq, kind, pool, change_micro, after_micro, ref, call_at)
  select ledger_transaction.id, both_sides.* from ledger_transaction,
    (select * from entries union all select * from counter_entries) as both_sides`;

/** The accounts' entries and, for each kind and pool, the one of the platform's side that balances them. */
async function insertEntries(transaction: Database, entries: readonly Entry[]): Promise<void> {
  const callTimes = entries.map(({ callAtMs }) =>
    callAtMs === undefined ? null : new Date(callAtMs).toISOString(),
  );
  const values = [
    entries.map((entry) => entry.accountId),
    entries.map((entry) => entry.seq),
    entries.map((entry) => entry.kind),
    entries.map((entry) => entry.pool),
    entries.map((entry) => entry.changeMicro),
    entries.map((entry) => entry.afterMicro),
    entries.map((entry) => entry.ref),
    callTimes,
  ];
  await transaction.query(INSERT_ENTRIES, values, 'insert-entries');
}
