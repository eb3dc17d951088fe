import type { LogFilter, LogQuestion } from '../../ledger/log.ts';
import { storable } from '../columns.ts';
import { type Database, idNumber } from '../database.ts';
import { daysAndGaps, hoursOfGaps } from './daily-rollup-read.ts';

/**
 * Where a page of the logs begins, without reading up to it. The roll-ups have the number of rows of each
 * closed day and hour for every filter. The total is a sum over them, and so are the page's days and hours.
 * Rows are read from those hours only. An hour that the time range cuts is counted in the log.
 */
export type Log = 'calls' | 'consumptions';

/** A part of the log with rows of the filter: an hour, or the part of it inside the range. */
export interface PageRange {
  readonly from: Date;
  readonly to: Date;
  readonly rows: number;
  /** The number of rows that are newer than this range. */
  readonly before: number;
}

export interface PageRanges {
  /** Ranges that contain rows of the requested page, the newest first. */
  readonly list: readonly PageRange[];
  readonly total: number;
}

/** The values of the filter, for `callsThatFit` and `rollupsThatFit`. */
export function filterValues(filter: LogFilter): readonly unknown[] {
  const { models, keyId, protocol, status, payer } = filter;
  return [
    models === undefined ? null : models.map(storable),
    keyId ?? null,
    protocol ?? null,
    typeof status === 'number' ? status : null,
    typeof status === 'string' ? status : null,
    payer ?? null,
  ];
}

const placesFrom = (first: number): readonly string[] => [0, 1, 2, 3, 4, 5].map((each) => `$${first + each}`);

/** The condition of the filter on `calls`. `first` is the number of the filter's first parameter. */
export function callsThatFit(log: Log, first: number): string {
  const [model, key, protocol, status, result, payer] = placesFrom(first);
  const priced = log === 'consumptions' ? ' and price is not null' : '';
  return `(${model}::text[] is null or model_used = any(${model})) and (${key}::bigint is null or key_id = ${key})
    and (${protocol}::text is null or protocol_in = ${protocol}) and (${status}::int is null or status = ${status})
    and (${result}::text is null or (verdict in ('complete', 'cut-by-client')) = (${result} = 'ok'))
    and (${payer}::text is null or payer = ${payer})${priced}`;
}

/** The condition of the filter on roll-ups, without success, which is a separate count. */
export function rollupsThatFit(first: number): string {
  const [model, key, protocol, status, , payer] = placesFrom(first);
  return `(${model}::text[] is null or model_id = any(${model})) and (${key}::bigint is null or key_id = ${key})
    and (${protocol}::text is null or protocol = ${protocol}) and (${status}::int is null or status = ${status})
    and (${payer}::text is null or payer = ${payer})`;
}

/** $4 and $5 are offset and limit, $6 the cut hours. The filter follows, with its result in $11. */
const FILTER = 7;
const FITS = rollupsThatFit(FILTER);
const COUNT: Readonly<Record<Log, string>> = {
  calls: "sum(case $11::text when 'ok' then calls - failed when 'failed' then failed else calls end)",
  consumptions: 'sum(case when $11::text is null then consumed else 0 end)',
};

/** A moment before all calls, and one after them. */
const EARLIEST = '-infinity';
const LATEST = 'infinity';

const spans = (log: Log): string => `
  select starts_at as lo, ends_at as hi, true as is_day, ${COUNT[log]} as rows
  from day_rows where ${FITS} group by 1, 2
  union all
  select hour, hour + interval '1 hour', false, ${COUNT[log]}
  from ${hoursOfGaps(`hour <> all($6::timestamptz[]) and ${FITS}`)} group by 1`;

/** The log of hours before this was dropped, so they cannot be divided. */
export const KEPT_FROM = '(select kept_from from log_retention)';

const cutHours = (log: Log): string => `
  select greatest(cut, $2), least(cut + interval '1 hour', $3), false,
    (select count(*) from calls where account_id = $1 and created_at >= greatest(cut, $2)
       and created_at < least(cut + interval '1 hour', $3) and ${callsThatFit(log, FILTER)})
  from unnest($6::timestamptz[]) as cut where cut >= ${KEPT_FROM}`;

const WANTED = 'before + rows > $4::bigint and before < $4::bigint + $5::bigint';
const IN_LOGS = { from: '(select kept_from from logs)', to: '$3::timestamptz' };

/** Without cut hours the log is not read at all. */
const FIND: Readonly<Record<Log, Readonly<Record<'whole' | 'cut', string>>>> = {
  calls: {
    whole: find('calls', spans('calls')),
    cut: find('calls', `${spans('calls')} union all ${cutHours('calls')}`),
  },
  consumptions: {
    whole: find('consumptions', spans('consumptions')),
    cut: find('consumptions', `${spans('consumptions')} union all ${cutHours('consumptions')}`),
  },
};

/** Days with rows of the requested page are read by their hours. */
function find(log: Log, all: string): string {
  return `
    with logs as materialized (select greatest($2::timestamptz, kept_from) as kept_from from log_retention),
    ${daysAndGaps(IN_LOGS)},
    spans as (${all}),
    numbered as materialized (
      select lo, hi, is_day, rows, sum(rows) over (order by lo desc) - rows as before from spans where rows > 0),
    near as (select * from numbered where ${WANTED}),
    ranges as (
      select lo, hi, rows, before from near where not is_day
      union all
      select hour, hour + interval '1 hour', hours.rows,
        day.before + sum(hours.rows) over (partition by day.lo order by hour desc) - hours.rows
      from (select lo, hi, before from near where is_day) as day cross join lateral (
        select hour, ${COUNT[log]} as rows from usage_hourly
        where account_id = $1 and hour >= day.lo and hour < day.hi and ${FITS} group by hour offset 0) as hours
      where hours.rows > 0)
    select lo, hi, rows::bigint, before::bigint, whole.total::bigint
    from (select coalesce(sum(rows), 0) as total from numbered) as whole left join ranges on ${WANTED}
    order by lo desc`;
}

interface PageRangeRow {
  readonly lo: Date | null;
  readonly hi: Date | null;
  readonly rows: bigint | null;
  readonly before: bigint | null;
  readonly total: bigint;
}

export async function findPageRanges(
  database: Database,
  log: Log,
  { accountId, filter, place }: LogQuestion,
): Promise<PageRanges> {
  const cuts = listCutHours([filter.fromMs, filter.toMs]);
  const rows = await database.query<PageRangeRow>(FIND[log][cuts.length === 0 ? 'whole' : 'cut'], [
    accountId,
    ...rangeValues(filter),
    place.skip,
    place.size,
    cuts,
    ...filterValues(filter),
  ]);
  const list: PageRange[] = [];
  for (const { lo, hi, rows: count, before } of rows) {
    if (lo === null || hi === null || count === null || before === null) continue;
    list.push({ from: lo, to: hi, rows: idNumber(count), before: idNumber(before) });
  }
  return { list, total: idNumber(rows[0]?.total ?? 0n) };
}

export function rangeValues({ fromMs, toMs }: Pick<LogFilter, 'fromMs' | 'toMs'>): readonly [string, string] {
  return [
    fromMs === undefined ? EARLIEST : new Date(fromMs).toISOString(),
    toMs === undefined ? LATEST : new Date(toMs).toISOString(),
  ];
}

const HOUR_MS = 3_600_000;

/** The hours (UTC, as in the roll-up) that contain one of these moments, except at their start. */
export function listCutHours(moments: readonly (number | undefined)[]): readonly string[] {
  const cut = new Set<number>();
  for (const moment of moments) {
    if (moment !== undefined && moment % HOUR_MS !== 0) cut.add(Math.floor(moment / HOUR_MS) * HOUR_MS);
  }
  return [...cut].map((hour) => new Date(hour).toISOString());
}
