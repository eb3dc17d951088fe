import type { Clock } from '../../kernel/time/clock.ts';
import type { Verdict } from '../../ledger/contract.ts';
import type { LogFilter, LoggedCall } from '../../ledger/log.ts';
import { EXPORT_ROWS_AT_ONCE, SEARCH_DAYS_MAX, SEARCH_MS_MAX } from '../../operations/bounds.ts';
import { type Database, idNumber, toIsoTime } from '../database.ts';
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
  /** Roll-ups have neither. Calls that did not end well have indexes. */
  readonly verdict?: Verdict | undefined;
  readonly errorCode?: number | undefined;
}

export interface FoundCall extends LoggedCall {
  readonly email: string;
}

export interface FoundCalls {
  readonly items: readonly LoggedCall[];
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
const STEP_MS_MAX = SEARCH_DAYS_MAX * DAY_MS;

/** Of what is wanted of one call: $1 and $2 are the hours, $3 the account, then the filter. */
const HOURS = `
  select hour, sum(case $8::text when 'ok' then calls - failed when 'failed' then failed else calls end)::bigint
    as rows
  from usage_hourly
  where hour >= $1 and hour < $2 and hour >= date_trunc('hour', ${KEPT_FROM}, 'UTC')
    and ($3::bigint is null or account_id = $3) and ${rollupsThatFit(4)}
  group by hour having sum(case $8::text when 'ok' then calls - failed when 'failed' then failed else calls end) > 0
  order by hour desc`;

/**
 * $1 and $2 are the whole time, $3 and $4 its hours, $5 and $6 the cursor, $7 the account, $8 the size, $16
 * the error code. The planner sees the values: one that is given leads to its index. Several verdicts are
 * read one by one, each in its order.
 */
const read = (verdict: string): string =>
  withCharges(`created_at >= $1 and created_at < $2 and (created_at, id) in (
  select key.created_at, key.id from unnest($3::timestamptz[], $4::timestamptz[]) as range(lo, hi)
  cross join unnest($15::text[]) as wanted(verdict)
  cross join lateral (
    select created_at, id from calls
    where created_at >= range.lo and created_at < range.hi and created_at >= $1 and created_at < $2
      and (created_at, id) < ($5, $6) and ($7::bigint is null or account_id = $7)
      and ${callsThatFit('calls', 9)} and ${verdict} and ($16::int is null or error_code = $16)
    order by created_at desc, id desc limit $8) as key
  order by key.created_at desc, key.id desc limit $8)`);

const READ_ANY = read('true');
const READ_VERDICTS = read("verdict = wanted.verdict and verdict <> 'complete'");
const READ_COMPLETE = read("verdict = 'complete'");

const EARLIEST = 'select created_at from calls order by created_at limit 1';

/**
 * The calls of all accounts, or of one, newest first. A filter that hardly any call fits would read the whole
 * log, so roll-ups are asked first: they say in which hours there are calls that fit. Only those are read.
 * What did not end well is found by indexes of such calls.
 * The search goes back in time by steps, and ends after a bounded time with the place where it goes on. So a
 * page may be short and still have a next one.
 */
export async function searchCalls(
  { database, clock }: { readonly database: Database; readonly clock: Clock },
  asked: CallSearch,
): Promise<FoundCalls> {
  const wanted = await withAccountOfKey(database, asked);
  const [earliest] = await database.query<{ created_at: Date }>(EARLIEST);
  if (earliest === undefined) return { items: [], next: undefined };
  const lowestMs = Math.max(wanted.fromMs ?? 0, floorHour(earliest.created_at.getTime()));
  const endMs = clock.monotonic() + SEARCH_MS_MAX;
  const found: LoggedCall[] = [];
  // Nothing is in the future, however far the wanted time goes.
  const latestMs = Math.min(wanted.toMs ?? Number.POSITIVE_INFINITY, clock.now() + HOUR_MS);
  let before = wanted.before ?? { createdAtMs: latestMs, id: 0 };
  for (let stepMs = firstStepMs(wanted); ; stepMs = Math.min(stepMs * 2, STEP_MS_MAX)) {
    const fromMs = Math.max(lowestMs, floorHour(before.createdAtMs) - stepMs);
    const step = await searchStep(database, wanted, {
      ...{ fromMs, before, size: wanted.size - found.length },
    });
    found.push(...step.items);
    before = step.before;
    const isDone = before.createdAtMs <= lowestMs;
    if (found.length >= wanted.size || isDone || clock.monotonic() >= endMs) {
      const next = isDone && found.length < wanted.size ? undefined : before;
      return { items: found, next };
    }
  }
}

/** The calls of a key are those of one account, which has indexes of its own. Deleted keys have no row. */
async function withAccountOfKey(database: Database, wanted: CallSearch): Promise<CallSearch> {
  if (wanted.keyId === undefined || wanted.accountId !== undefined) return wanted;
  const text = 'select account_id from api_keys where id = $1';
  const [key] = await database.query<{ account_id: bigint }>(text, [wanted.keyId]);
  return key === undefined ? wanted : { ...wanted, accountId: idNumber(key.account_id) };
}

/**
 * Without a filter the newest calls are the next ones of an index, however far back they are. With one, all
 * accounts together have a page of most calls within the hour.
 */
function firstStepMs(wanted: CallSearch): number {
  if (!isFiltered(wanted)) return STEP_MS_MAX;
  return wanted.accountId === undefined ? HOUR_MS : DAY_MS;
}

function isFiltered({ models, keyId, protocol, status, payer, verdict, errorCode }: CallSearch): boolean {
  return [models, keyId, protocol, status, payer, verdict, errorCode].some((each) => each !== undefined);
}

/** All calls that match, newest first, in pieces of one statement each: a slow reader holds no connection. */
export async function* wholeSearch(
  deps: { readonly database: Database; readonly clock: Clock },
  wanted: Omit<CallSearch, 'before' | 'size'>,
): AsyncGenerator<readonly LoggedCall[], void, undefined> {
  let before: CallCursor | undefined;
  do {
    const { items, next } = await searchCalls(deps, { ...wanted, before, size: EXPORT_ROWS_AT_ONCE });
    if (items.length > 0) yield items;
    before = next;
  } while (before !== undefined);
}

interface Step {
  readonly fromMs: number;
  readonly before: CallCursor;
  readonly size: number;
}

interface TimeSpan {
  readonly fromMs: number;
  readonly toMs: number;
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
  const spans = hasIndex(wanted)
    ? [{ fromMs, toMs }]
    : await findHours(database, wanted, { fromMs, toMs, size });
  const newest = spans.at(0);
  const oldest = spans.at(-1);
  if (newest === undefined || oldest === undefined) return { items: [], before: through };
  const { text, verdicts } = chooseReading(wanted);
  const rows = await database.query<CallRow>(text, [
    ...[toIsoTime(Math.max(fromMs, oldest.fromMs)), toIsoTime(Math.min(toMs, newest.toMs))],
    ...[spans.map((span) => toIsoTime(span.fromMs)), spans.map((span) => toIsoTime(span.toMs))],
    ...[toIsoTime(before.createdAtMs), before.id, wanted.accountId ?? null, size],
    ...filterValues(wanted),
    ...[verdicts, wanted.errorCode ?? null],
  ]);
  const items = rows.map(callFromRow);
  const last = items.at(-1);
  if (items.length === size && last !== undefined) return { items, before: last };
  // What these hours hold is read; what is older comes in the next step.
  return { items, before: { createdAtMs: Math.max(fromMs, oldest.fromMs), id: 0 } };
}

const FAILED: readonly Verdict[] = ['refused', 'failed', 'cut-by-upstream', 'cut-by-gateway'];

/** The statement, and the verdicts that it reads one by one. */
function chooseReading({ verdict, errorCode, status }: CallSearch): {
  readonly text: string;
  readonly verdicts: readonly (Verdict | null)[];
} {
  if (verdict === 'complete') return { text: READ_COMPLETE, verdicts: [null] };
  if (verdict !== undefined) return { text: READ_VERDICTS, verdicts: [verdict] };
  if (status === 'failed' && errorCode === undefined) return { text: READ_VERDICTS, verdicts: FAILED };
  return { text: READ_ANY, verdicts: [null] };
}

/** Whether an index leads to such calls. Otherwise roll-ups say in which hours they are. */
function hasIndex(wanted: CallSearch): boolean {
  const { verdict, errorCode, status, accountId, keyId } = wanted;
  if (!isFiltered(wanted)) return true;
  // The failed calls of a deleted key stand among those of all accounts, and are few of them.
  if (status === 'failed' && keyId !== undefined && accountId === undefined) return false;
  if (errorCode !== undefined || status === 'failed') return true;
  if (verdict !== undefined && verdict !== 'complete') return true;
  return accountId === undefined && typeof status === 'number' && status !== 200;
}

/** The newest hours that have calls which fit: enough for a page, the first being cut by where it begins. */
async function findHours(
  database: Database,
  wanted: CallSearch,
  { fromMs, toMs, size }: TimeSpan & { readonly size: number },
): Promise<readonly TimeSpan[]> {
  const rows = await database.query<{ hour: Date; rows: bigint }>(HOURS, [
    ...[toIsoTime(floorHour(fromMs)), toIsoTime(toMs), wanted.accountId ?? null],
    ...filterValues(wanted),
  ]);
  const hours: TimeSpan[] = [];
  let count = 0;
  for (const { hour, rows: found } of rows) {
    if (count >= size) break;
    hours.push({ fromMs: hour.getTime(), toMs: hour.getTime() + HOUR_MS });
    // What is below the cursor in the first hour is not known.
    if (hours.length > 1) count += idNumber(found);
  }
  return hours;
}

/** The calls with the addresses of their accounts. */
export async function withEmails(
  database: Database,
  calls: readonly LoggedCall[],
): Promise<readonly FoundCall[]> {
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
