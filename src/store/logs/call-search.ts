import type { Clock } from '../../kernel/time/clock.ts';
import type { LogFilter, LoggedCall } from '../../ledger/log.ts';
import { SEARCH_DAYS_MAX, SEARCH_MS_MAX } from '../../operations/bounds.ts';
import { type Database, idNumber } from '../database.ts';
import { type CallRow, callFromRow, findCall, withCharges } from './call-log.ts';
import { callsThatFit, filterValues, KEPT_FROM, rollupsThatFit } from './log-page-ranges.ts';

/** The position of a page in the calls of all accounts: after this call. */
export interface CallCursor {
  readonly createdAtMs: number;
  readonly id: number;
}

export interface CallSearch extends LogFilter {
  readonly accountId?: number | undefined;
  readonly before?: CallCursor | undefined;
  readonly size: number;
}

export interface FoundCall extends LoggedCall {
  readonly email: string;
}

export interface FoundCalls {
  readonly items: readonly FoundCall[];
  /** Undefined: there are no older calls that match. */
  readonly next: CallCursor | undefined;
}

/** One call of any account. */
export async function findAnyCall(database: Database, callId: string): Promise<FoundCall | undefined> {
  const call = await findCall(database, callId);
  return call && (await withEmails(database, [call]))[0];
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Of what is wanted of one call: $1 and $2 are the hours, $3 the account, then the filter. */
const HOURS = `
  select hour, sum(case $8::text when 'ok' then calls - failed when 'failed' then failed else calls end)::bigint
    as rows
  from usage_hourly
  where hour >= $1 and hour < $2 and hour >= date_trunc('hour', ${KEPT_FROM}, 'UTC')
    and ($3::bigint is null or account_id = $3) and ${rollupsThatFit(4)}
  group by hour having sum(case $8::text when 'ok' then calls - failed when 'failed' then failed else calls end) > 0
  order by hour desc`;

/** $1 and $2 are the whole time, $3 and $4 its hours, $5 and $6 the cursor, $7 the account, $8 the size. */
const READ = withCharges(`created_at >= $1 and created_at < $2 and (created_at, id) in (
  select key.created_at, key.id from unnest($3::timestamptz[], $4::timestamptz[]) as range(lo, hi)
  cross join lateral (
    select created_at, id from calls
    where created_at >= range.lo and created_at < range.hi and created_at >= $1 and created_at < $2
      and (created_at, id) < ($5, $6) and ($7::bigint is null or account_id = $7) and ${callsThatFit('calls', 9)}
    order by created_at desc, id desc limit $8) as key
  order by key.created_at desc, key.id desc limit $8)`);

const EARLIEST = 'select created_at from calls order by created_at limit 1';

/**
 * The calls of all accounts, newest first. A filter that hardly any call fits would read the whole log, so
 * roll-ups are asked first: they say in which hours there are calls that fit, and only those hours are read.
 * The search goes back in time by steps, and ends after a bounded time with the place where it goes on. So a
 * page may be short and still have a next one.
 */
export async function searchCalls(
  { database, clock }: { readonly database: Database; readonly clock: Clock },
  wanted: CallSearch,
): Promise<FoundCalls> {
  const [earliest] = await database.query<{ created_at: Date }>(EARLIEST);
  if (earliest === undefined) return { items: [], next: undefined };
  const lowestMs = Math.max(wanted.fromMs ?? 0, floorHour(earliest.created_at.getTime()));
  const endMs = clock.monotonic() + SEARCH_MS_MAX;
  const found: LoggedCall[] = [];
  let before = wanted.before ?? { createdAtMs: wanted.toMs ?? clock.now() + HOUR_MS, id: 0 };
  for (let days = 1; ; days = Math.min(days * 2, SEARCH_DAYS_MAX)) {
    const fromMs = Math.max(lowestMs, floorHour(before.createdAtMs) - days * DAY_MS);
    const step = await searchStep(database, wanted, {
      ...{ fromMs, before, size: wanted.size - found.length },
    });
    found.push(...step.items);
    before = step.before;
    const isDone = before.createdAtMs <= lowestMs;
    if (found.length >= wanted.size || isDone || clock.monotonic() >= endMs) {
      const next = isDone && found.length < wanted.size ? undefined : before;
      return { items: await withEmails(database, found), next };
    }
  }
}

interface Step {
  readonly fromMs: number;
  readonly before: CallCursor;
  readonly size: number;
}

/** The newest calls of a time, and where it was looked through to. */
async function searchStep(
  database: Database,
  wanted: CallSearch,
  { fromMs, before, size }: Step,
): Promise<{ readonly items: readonly LoggedCall[]; readonly before: CallCursor }> {
  const through = { createdAtMs: fromMs, id: 0 };
  // Of the cursor's own millisecond only calls with a lower number are left; below 0 there are none.
  const toMs = before.createdAtMs + (before.id > 0 ? 1 : 0);
  if (toMs <= fromMs) return { items: [], before: through };
  const ranges = await findHours(database, wanted, { fromMs, toMs, size });
  const newest = ranges.at(0);
  const oldest = ranges.at(-1);
  if (newest === undefined || oldest === undefined) return { items: [], before: through };
  const rows = await database.query<CallRow>(READ, [
    ...[timeOf(Math.max(fromMs, oldest)), timeOf(Math.min(toMs, newest + HOUR_MS))],
    ...[ranges.map(timeOf), ranges.map((hour) => timeOf(hour + HOUR_MS))],
    ...[timeOf(before.createdAtMs), before.id, wanted.accountId ?? null, size],
    ...filterValues(wanted),
  ]);
  const items = rows.map(callFromRow);
  const last = items.at(-1);
  if (items.length === size && last !== undefined) return { items, before: last };
  // What these hours hold is read; what is older comes in the next step.
  return { items, before: { createdAtMs: Math.max(fromMs, oldest), id: 0 } };
}

interface Hours {
  readonly fromMs: number;
  readonly toMs: number;
  readonly size: number;
}

/** The newest hours that have calls which fit: enough for a page, the first being cut by where it begins. */
async function findHours(
  database: Database,
  wanted: CallSearch,
  { fromMs, toMs, size }: Hours,
): Promise<readonly number[]> {
  const rows = await database.query<{ hour: Date; rows: bigint }>(HOURS, [
    ...[timeOf(floorHour(fromMs)), timeOf(toMs), wanted.accountId ?? null],
    ...filterValues(wanted),
  ]);
  const hours: number[] = [];
  let count = 0;
  for (const { hour, rows: found } of rows) {
    if (count >= size) break;
    hours.push(hour.getTime());
    // What is below the cursor in the first hour is not known.
    if (hours.length > 1) count += idNumber(found);
  }
  return hours;
}

async function withEmails(database: Database, calls: readonly LoggedCall[]): Promise<readonly FoundCall[]> {
  const ids = [...new Set(calls.map(({ accountId }) => accountId))];
  const rows = await database.query<{ id: bigint; email: string }>(
    'select id, email from accounts where id = any($1::bigint[])',
    [ids],
  );
  const emails = new Map(rows.map(({ id, email }) => [idNumber(id), email]));
  return calls.map((call) => ({ ...call, email: emails.get(call.accountId) ?? '' }));
}

function floorHour(timeMs: number): number {
  return Math.floor(timeMs / HOUR_MS) * HOUR_MS;
}

function timeOf(timeMs: number): string {
  return new Date(timeMs).toISOString();
}
