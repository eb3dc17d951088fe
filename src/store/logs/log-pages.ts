import { assert } from '../../kernel/assert.ts';
import type {
  ConsumptionItem,
  LogFilter,
  LoggedCall,
  LogPage,
  LogQuestion,
  Place,
} from '../../ledger/log.ts';
import { EXPORT_ROWS_AT_ONCE } from '../../operations/bounds.ts';
import type { Database } from '../database.ts';
import { type CallRow, callFromRow, withCharges } from './call-log.ts';
import { callsThatFit, filterValues, findPageRanges, type Log, type PageRange } from './log-page-ranges.ts';
import { type ConsumptionRow, itemFromRow, withReceipts } from './receipts.ts';

/**
 * The keys of the calls of some ranges, newest first. $2 and $3 are the starts and ends of the ranges,
 * $4 and $5 their total range (so that months can be pruned), $6 and $7 offset and
 * limit, then the filter. Only the account's own rows of those hours are read.
 */
const keysOfCalls = (log: Log, column: 'id' | 'call_id'): string => `
  select key.created_at, key.${column}
  from unnest($2::timestamptz[], $3::timestamptz[]) as range(lo, hi)
  cross join lateral (
    select created_at, ${column === 'id' ? 'id' : `id, ${column}`} from calls
    where account_id = $1 and created_at >= range.lo and created_at < range.hi
      and created_at >= $4 and created_at < $5 and ${callsThatFit(log, 8)}
    order by created_at desc, id desc limit $6::bigint + $7::bigint) as key
  order by key.created_at desc, key.id desc offset $6 limit $7`;

const WHOLE = 'created_at >= $4 and created_at < $5';

/** Exported for the test that checks their plans. */
export const PAGE_TEXTS: Readonly<Record<Log, string>> = {
  calls: withCharges(`account_id = $1 and ${WHOLE} and (created_at, id) in (${keysOfCalls('calls', 'id')})`),
  consumptions: withReceipts(
    `account_id = $1 and ${WHOLE} and (created_at, call_id) in (${keysOfCalls('consumptions', 'call_id')})`,
    'c.id',
  ),
};

interface Kinds {
  readonly calls: { readonly row: CallRow; readonly item: LoggedCall };
  readonly consumptions: { readonly row: ConsumptionRow; readonly item: ConsumptionItem };
}

const FROM_ROW: { readonly [Kind in Log]: (row: Kinds[Kind]['row']) => Kinds[Kind]['item'] } = {
  calls: callFromRow,
  consumptions: itemFromRow,
};

export async function pageOfLog<Kind extends Log>(
  database: Database,
  log: Kind,
  question: LogQuestion,
): Promise<LogPage<Kinds[Kind]['item']>> {
  const { list, total } = await findPageRanges(database, log, question);
  const skipped = list[0]?.before ?? 0;
  const place = { skip: question.place.skip - skipped, size: question.place.size };
  return { items: await readPageRanges(database, log, { ...question, place, ranges: list }), total };
}

async function readPageRanges<Kind extends Log>(
  database: Database,
  log: Kind,
  wanted: LogQuestion & { readonly ranges: readonly PageRange[] },
): Promise<readonly Kinds[Kind]['item'][]> {
  const { accountId, filter, place, ranges } = wanted;
  const [newest] = ranges;
  const oldest = ranges.at(-1);
  if (newest === undefined || oldest === undefined) return [];
  assert(place.skip >= 0, 'a page begins in its first range');
  const rows = await database.query<Kinds[Kind]['row']>(PAGE_TEXTS[log], [
    accountId,
    ranges.map(({ from }) => from),
    ranges.map(({ to }) => to),
    oldest.from,
    newest.to,
    place.skip,
    place.size,
    ...filterValues(filter),
  ]);
  return rows.map(FROM_ROW[log]);
}

const ALL: Place = { skip: 0, size: Number.MAX_SAFE_INTEGER };

/**
 * All matching rows, newest first, in pieces. Each is a separate statement, so that a slow reader holds
 * no connection. Rows that are settled meanwhile may be missing; all earlier ones are included.
 */
export async function* wholeLog<Kind extends Log>(
  database: Database,
  log: Kind,
  { accountId, filter }: { readonly accountId: number; readonly filter: LogFilter },
): AsyncGenerator<readonly Kinds[Kind]['item'][], void, undefined> {
  const { list } = await findPageRanges(database, log, { accountId, filter, place: ALL });
  for (const piece of inPieces(list)) {
    let ranges: readonly PageRange[] = piece;
    let skip = 0;
    for (;;) {
      const place = { skip, size: EXPORT_ROWS_AT_ONCE };
      const items = await readPageRanges(database, log, { accountId, filter, place, ranges });
      if (items.length > 0) yield items;
      const last = items.at(-1);
      if (last === undefined || items.length < EXPORT_ROWS_AT_ONCE) break;
      // The next piece begins in the millisecond of the last row, whose known rows are skipped.
      const toMs = last.createdAtMs + 1;
      const known = items.filter(({ createdAtMs }) => createdAtMs === last.createdAtMs).length;
      skip = known === items.length ? skip + known : known;
      ranges = cutAt(ranges, toMs);
    }
  }
}

function cutAt(ranges: readonly PageRange[], toMs: number): readonly PageRange[] {
  return ranges
    .filter(({ from }) => from.getTime() < toMs)
    .map((range) => ({ ...range, to: new Date(Math.min(range.to.getTime(), toMs)) }));
}

/** Ranges that are read together. A large one is read alone. */
export function inPieces(list: readonly PageRange[]): readonly (readonly PageRange[])[] {
  const pieces: PageRange[][] = [];
  let room = 0;
  for (const range of list) {
    if (range.rows > room) {
      pieces.push([]);
      room = EXPORT_ROWS_AT_ONCE;
    }
    pieces.at(-1)?.push(range);
    room -= range.rows;
  }
  return pieces;
}
