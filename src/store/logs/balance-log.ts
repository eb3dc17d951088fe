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
  readonly created_at: Date;
}

/** Numbers from the first to the last, both included. */
interface EntryNumbers {
  readonly first: number;
  readonly last: number;
}

/** Exported for the test that checks their plans. */
export const BALANCE_TEXTS = {
  page: `select id, seq, kind, pool, change_micro, after_micro, ref, created_at from ledger_entries
    where account_id = $1 and seq between $2 and $3 order by seq desc limit $4`,
  last: 'select last_seq from accounts where id = $1',
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
  { range, place }: { readonly range: TimeRange; readonly place: Place },
): Promise<LogPage<BalanceItem>> {
  const { first, last } = await findEntryNumbers(database, accountId, range);
  const total = Math.max(0, last - first + 1);
  if (place.skip >= total) return { items: [], total };
  const rows = await readEntries(database, accountId, {
    numbers: { first, last: last - place.skip },
    limit: place.size,
  });
  return { items: rows.map(itemFromRow), total };
}

/** Everything in the range, newest first, in pieces; each is a separate statement. */
export async function* wholeBalanceLog(
  database: Database,
  accountId: number,
  range: TimeRange,
): AsyncGenerator<readonly BalanceItem[], void, undefined> {
  const numbers = await findEntryNumbers(database, accountId, range);
  for (let { last } = numbers; last >= numbers.first; last -= EXPORT_ROWS_AT_ONCE) {
    const wanted = { numbers: { first: numbers.first, last }, limit: EXPORT_ROWS_AT_ONCE };
    const rows = await readEntries(database, accountId, wanted);
    yield rows.map(itemFromRow);
  }
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

function readEntries(
  database: Database,
  accountId: number,
  { numbers, limit }: { readonly numbers: EntryNumbers; readonly limit: number },
): Promise<EntryRow[]> {
  return database.query<EntryRow>(BALANCE_TEXTS.page, [accountId, numbers.first, numbers.last, limit]);
}

function itemFromRow(row: EntryRow): BalanceItem {
  return {
    id: idNumber(row.id),
    kind: row.kind,
    pool: row.pool,
    changeMicro: row.change_micro,
    afterMicro: row.after_micro,
    ref: row.ref,
    createdAtMs: row.created_at.getTime(),
  };
}
