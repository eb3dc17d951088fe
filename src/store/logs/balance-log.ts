import type { BalanceItem, LogPage, Place, TimeRange } from '../../ledger/log.ts';
import { EXPORT_ROWS_AT_ONCE } from '../../operations/bounds.ts';
import { type Database, idNumber } from '../database.ts';

/**
 * The balance log is the account's chain of ledger entries, numbered without gaps. A page is a range of
 * numbers, and a total is a difference of two.
 */
interface EntryRow {
  readonly id: bigint;
  readonly seq: bigint;
  readonly kind: string;
  readonly pool: string;
  readonly change_micro: bigint;
  readonly after_micro: bigint;
  readonly ref: string;
  readonly call_at: Date | null;
  readonly created_at: Date;
  readonly model?: string | null;
}

/** Numbers from the first to the last, both included. */
interface EntryNumbers {
  readonly first: number;
  readonly last: number;
}

export type Pool = 'balance' | 'credits';

/** Which entries: in a time, of one pool or of both. */
export interface BalanceQuestion {
  readonly range: TimeRange;
  readonly pool?: Pool | undefined;
}

/** Exported for the test that checks their plans. */
export const BALANCE_TEXTS = {
  entries: `select id, seq, kind, pool, change_micro, after_micro, ref, call_at, created_at from ledger_entries
    where account_id = $1 and seq between $2 and $3 order by seq desc limit $4`,
  ofPool: `select id, seq, kind, pool, change_micro, after_micro, ref, call_at, created_at from ledger_entries
    where account_id = $1 and seq between $2 and $3 and pool = '{pool}' order by seq desc limit $4`,
  /** A call has its time and its id as its key. */
  withModel: `select entry.*, (select model_used from calls where calls.created_at = entry.call_at
      and calls.call_id = entry.ref and calls.account_id = $1) as model
    from ({entries}) as entry order by seq desc`,
  last: 'select last_seq from accounts where id = $1',
  balances: `select count(*) as entries from ledger_entries
    where account_id = $1 and seq between $2 and $3 and pool = 'balance'`,
  /** The number of the entry behind $4 entries of balance. */
  balanceAt: `select seq from ledger_entries
    where account_id = $1 and seq between $2 and $3 and pool = 'balance' order by seq desc limit 1 offset $4`,
  /** Entries of balance among which $4 entries of Credits lie: each is above fewer numbers than it skips. */
  balancesAmong: `select count(*) as entries from (
      select seq, row_number() over (order by seq desc) as place from ledger_entries
      where account_id = $1 and seq between $2 and $3 and pool = 'balance') as entry
    where $3::bigint - seq - (place - 1) <= $4`,
  /** The first entry at or after a time, by binary search, because times ascend with the numbers. */
  search: `
    with recursive search(low, high) as (
      select 1::bigint, $3::bigint + 1
      union all
      select case when entry.created_at < $2 then entry.seq + 1 else low end,
        case when entry.created_at < $2 then high else entry.seq end
      from search cross join lateral (
        select seq, created_at from ledger_entries where account_id = $1 and seq = (low + high) / 2
        limit 1) as entry
      where low < high)
    select low as seq from search where low = high`,
} as const;

export async function pageOfBalanceLog(
  database: Database,
  accountId: number,
  { range, pool, place }: BalanceQuestion & { readonly place: Place },
): Promise<LogPage<BalanceItem>> {
  const all = await findEntryNumbers(database, accountId, range);
  const owned = { accountId, pool, numbers: all };
  const total = await countEntries(database, owned);
  if (place.skip >= total) return { items: [], total };
  const last = await lastAfterSkip(database, owned, place.skip);
  const numbers = { first: all.first, last };
  const values = [accountId, numbers.first, numbers.last, place.size];
  const text = BALANCE_TEXTS.withModel.replace('{entries}', chooseEntriesText(pool));
  const rows = await database.query<EntryRow>(text, values);
  return { items: rows.map(itemFromRow), total };
}

/** Everything in the range, newest first, in pieces; each is a separate statement. */
export async function* wholeBalanceLog(
  database: Database,
  accountId: number,
  { range, pool }: BalanceQuestion,
): AsyncGenerator<readonly BalanceItem[], void, undefined> {
  const { first, last: newest } = await findEntryNumbers(database, accountId, range);
  for (let last = newest; last >= first; ) {
    const values = [accountId, first, last, EXPORT_ROWS_AT_ONCE];
    const rows = await database.query<EntryRow>(chooseEntriesText(pool), values);
    const lowest = rows.at(-1)?.seq;
    if (lowest === undefined) return;
    yield rows.map(itemFromRow);
    last = idNumber(lowest) - 1;
  }
}

interface Entries {
  readonly accountId: number;
  readonly pool: Pool | undefined;
  readonly numbers: EntryNumbers;
}

async function countEntries(database: Database, { accountId, pool, numbers }: Entries): Promise<number> {
  const { first, last } = numbers;
  const all = Math.max(0, last - first + 1);
  if (pool === undefined || all === 0) return all;
  const values = [accountId, first, last];
  const [found] = await database.query<{ entries: bigint }>(BALANCE_TEXTS.balances, values);
  const balances = idNumber(found?.entries ?? 0n);
  return pool === 'balance' ? balances : all - balances;
}

/** The number where a page begins, at any depth without reading the entries before it. */
async function lastAfterSkip(
  database: Database,
  { accountId, pool, numbers: { first, last } }: Entries,
  skip: number,
): Promise<number> {
  if (pool === undefined || skip === 0) return last - skip;
  const values = [accountId, first, last, skip];
  if (pool === 'balance') {
    const [found] = await database.query<{ seq: bigint }>(BALANCE_TEXTS.balanceAt, values);
    return idNumber(found?.seq ?? 0n);
  }
  const [found] = await database.query<{ entries: bigint }>(BALANCE_TEXTS.balancesAmong, values);
  return last - skip - idNumber(found?.entries ?? 0n);
}

async function findEntryNumbers(
  database: Database,
  accountId: number,
  range: TimeRange,
): Promise<EntryNumbers> {
  const [account] = await database.query<{ last_seq: bigint }>(BALANCE_TEXTS.last, [accountId]);
  const last = idNumber(account?.last_seq ?? 0n);
  const firstSince = async (timeMs: number): Promise<number> => {
    const time = new Date(timeMs).toISOString();
    const [found] = await database.query<{ seq: bigint }>(BALANCE_TEXTS.search, [accountId, time, last]);
    return idNumber(found?.seq ?? 1n);
  };
  return {
    first: range.fromMs === undefined ? 1 : await firstSince(range.fromMs),
    last: range.toMs === undefined ? last : (await firstSince(range.toMs)) - 1,
  };
}

function chooseEntriesText(pool: Pool | undefined): string {
  return pool === undefined ? BALANCE_TEXTS.entries : BALANCE_TEXTS.ofPool.replace('{pool}', pool);
}

function itemFromRow(row: EntryRow): BalanceItem {
  return {
    id: idNumber(row.id),
    kind: row.kind,
    pool: row.pool,
    changeMicro: row.change_micro,
    afterMicro: row.after_micro,
    ref: row.ref,
    isOfCall: row.call_at !== null,
    model: row.model ?? undefined,
    createdAtMs: row.created_at.getTime(),
  };
}
