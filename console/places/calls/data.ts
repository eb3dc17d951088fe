import { type InfiniteData, keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { type ApiError, callApi, type Input, queryKey, useApi } from '../../api/api.ts';
import { queries } from '../../api/queries.ts';
import { type ServerTimes, useServerTimes } from '../../app/server-time.ts';
import {
  type Call,
  type CallDetail,
  type CallSearch,
  filtersOf,
  given,
  listKey,
  type Of,
  queryOf,
} from './search.ts';

export const PAGE_SIZE = 50;

export interface CallPage {
  readonly calls: readonly Call[];
  /** The cursor of the next page. Null at the end. */
  readonly next: string | null;
}

interface Asked {
  readonly of: Of;
  readonly search: CallSearch;
  readonly times: ServerTimes;
}

/** One page of the list. */
async function readPage({ of, search, times }: Asked, cursor: string | undefined): Promise<CallPage> {
  const query = { ...queryOf(search, times), size: PAGE_SIZE, ...given({ cursor }) };
  if (of === 'own') return (await callApi('browseCalls', { query })).data;
  return (
    await callApi('searchCalls', {
      query: { ...query, ...given({ account_id: search.account_id }) },
    })
  ).data;
}

/** The server looks for a bounded time: a page may be empty and still have a next one. */
const EMPTY_PAGES_MAX = 20;

async function readFilledPage(asked: Asked, cursor: string | undefined): Promise<CallPage> {
  let page = await readPage(asked, cursor);
  for (let tried = 1; page.calls.length === 0 && page.next !== null && tried < EMPTY_PAGES_MAX; tried += 1) {
    page = await readPage(asked, page.next);
  }
  return page;
}

export type CallPages = InfiniteData<CallPage, string | undefined>;

export function pagesKey(of: Of, search: CallSearch): readonly unknown[] {
  return [of === 'own' ? 'browseCalls' : 'searchCalls', 'pages', listKey(search)];
}

/** The list, page after page. The live tail puts arriving calls into it, so it need not be read again. */
export function useCallPages(of: Of, search: CallSearch) {
  const times = useServerTimes();
  const asked = useInfiniteQuery<CallPage, ApiError, CallPages, readonly unknown[], string | undefined>({
    queryKey: pagesKey(of, search),
    queryFn: ({ pageParam }) => readFilledPage({ of, search, times }, pageParam),
    initialPageParam: undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: false,
  });
  const rows = useMemo(() => asked.data?.pages.flatMap(({ calls }) => calls), [asked.data]);
  return { ...asked, rows };
}

function detailQuery(of: Of, requestId: string) {
  const input = { params: { request_id: requestId } };
  return of === 'own' ? (['getCallByItsRequestId', input] as const) : (['getAnyCall', input] as const);
}

/** A call that just ended may not be in the log yet. */
const LATE_TRIES = 2;

export function useCallDetail(of: Of, requestId: string) {
  const [name, input] = detailQuery(of, requestId);
  return useApi(name, input, {
    // What is in the log does not change.
    staleTime: 600_000,
    retry: (count, error) => error.isPassing || (error.status === 404 && count < LATE_TRIES),
    select: ({ data }): CallDetail => data,
  });
}

/** What the reader may open next. */
export function preloadDetail(of: Of, requestId: string): void {
  const [name, input] = detailQuery(of, requestId);
  const queryFn = () => callApi(name, input);
  void queries.prefetchQuery({ queryKey: queryKey(name, input), queryFn, staleTime: 600_000 });
}

const WINDOWS_MS = [60_000, 900_000, 14_400_000, 172_800_000, 2_592_000_000, 31_536_000_000];
const PAGES_MAX = 20;

/**
 * The neighbour of a call that is not among the rows that were read, such as one that a link opened. Older
 * ones follow its second; newer ones are looked for in longer and longer times after it.
 */
export async function findNeighbour(
  asked: Asked,
  call: Call,
  direction: 'older' | 'newer',
): Promise<Call | undefined> {
  const atMs = asked.times.read(call.created_at);
  if (Number.isNaN(atMs)) return undefined;
  if (direction === 'older') {
    const rows = await readFrom(asked, `${atMs + 1_000}-0`, call);
    return rows.find((row) => row.request_id !== call.request_id && !isAbove(row, call));
  }
  for (const windowMs of WINDOWS_MS) {
    const range = { from: call.created_at, to: asked.times.write(atMs + windowMs) };
    const rows = await readFrom({ ...asked, search: { ...asked.search, ...range } }, undefined, call);
    const newer = rows.filter((row) => row.request_id !== call.request_id && isAbove(row, call));
    if (newer.length > 0) return newer.at(-1);
  }
  return undefined;
}

function isAbove(row: Call, call: Call): boolean {
  return row.created_at === call.created_at ? row.id > call.id : row.created_at > call.created_at;
}

/** The rows from the cursor until one behind the call. */
async function readFrom(asked: Asked, cursor: string | undefined, call: Call): Promise<readonly Call[]> {
  const rows: Call[] = [];
  let page = await readPage(asked, cursor);
  rows.push(...page.calls);
  for (let read = 1; read < PAGES_MAX && page.next !== null; read += 1) {
    const last = rows.at(-1);
    if (last !== undefined && last.request_id !== call.request_id && !isAbove(last, call)) break;
    page = await readPage(asked, page.next);
    rows.push(...page.calls);
  }
  return rows;
}

type Trend = Input<'getUsageOverTime'>;
type Granularity = NonNullable<NonNullable<Trend['query']>['granularity']>;

export interface Bar {
  readonly fromMs: number;
  readonly toMs: number;
  readonly calls: number;
  readonly failed: number;
}

export interface Bars {
  readonly bars: readonly Bar[];
  readonly granularity: Granularity;
  /** The bars count the calls of the list, and not more. */
  readonly isExact: boolean;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const LENGTHS: Readonly<Record<Granularity, number>> = {
  minute: MINUTE_MS,
  hour: HOUR_MS,
  day: 24 * HOUR_MS,
  week: 168 * HOUR_MS,
};

function granularityOf(of: Of, lengthMs: number): Granularity {
  if (of === 'own' && lengthMs <= 180 * MINUTE_MS) return 'minute';
  return lengthMs <= 8 * 24 * HOUR_MS ? 'hour' : 'day';
}

const YEAR_MS = 365 * 24 * HOUR_MS;

interface Counted {
  readonly time: string;
  readonly calls: number;
  readonly failed: number;
}

/** What is counted where: an account knows all filters, the platform as a whole none. */
function useCounts(
  of: Of,
  search: CallSearch,
  range: { readonly query: BarQuery },
): {
  readonly points: readonly Counted[] | undefined;
  readonly knowsFilters: boolean;
} {
  const { query } = range;
  const account = search.account_id;
  const isAll = of === 'all' && account === undefined;
  const options = { placeholderData: keepPreviousData };
  const own = useApi('getUsageOverTime', { query }, { ...options, enabled: of === 'own' });
  const ofOne = useApi(
    'getUsageOverTimeOfAccount',
    { params: { account_id: account ?? 0 }, query },
    { ...options, enabled: of === 'all' && !isAll },
  );
  const { from, to, granularity } = query;
  const coarse = granularity === 'minute' ? 'hour' : granularity === 'week' ? 'day' : granularity;
  const all = useApi(
    'getOverviewOverTime',
    { query: given({ from, to, granularity: coarse }) },
    { ...options, enabled: isAll },
  );
  const series = all.data?.data;
  const ofAll = useMemo(
    () => series?.times.map((time, at) => ({ time, calls: 0, failed: 0, ...series.traffic[at] })),
    [series],
  );
  if (isAll) return { points: ofAll, knowsFilters: false };
  return { points: (of === 'own' ? own : ofOne).data?.data, knowsFilters: true };
}

type BarQuery = NonNullable<Trend['query']> & { readonly granularity: Granularity };

function barQuery(of: Of, search: CallSearch, times: ServerTimes, nowMs: number): BarQuery {
  const { verdict: _verdict, error_code: _code, status, ...rest } = queryOf(search, times, nowMs);
  const fromMs = rest.from === undefined ? nowMs - YEAR_MS : times.read(rest.from);
  const toMs = rest.to === undefined ? nowMs : times.read(rest.to);
  const granularity = granularityOf(search.account_id === undefined ? of : 'own', toMs - fromMs);
  const isCode = status !== undefined && status !== 'ok' && status !== 'failed';
  return { ...rest, from: times.write(fromMs), ...(isCode && { status }), granularity };
}

/** The bars above the list. They move on with the time of the list, minute by minute. */
export function useBars(of: Of, search: CallSearch, nowMs: number): Bars | undefined {
  const times = useServerTimes();
  const query = barQuery(of, search, times, nowMs);
  const { points, knowsFilters } = useCounts(of, search, { query });
  const { granularity } = query;
  const { status, verdict, error_code: code } = search;
  const isNarrower = verdict !== undefined || code !== undefined;
  const isExact = !isNarrower && (knowsFilters || filtersOf(search).length === 0);
  return useMemo(() => {
    const bars = points?.map(({ time, calls, failed }, at) => {
      const fromMs = times.read(time);
      const next = points[at + 1];
      const toMs = next === undefined ? fromMs + LENGTHS[granularity] : times.read(next.time);
      const counted = { calls, failed };
      if (status === 'ok') return { fromMs, toMs, calls: calls - failed, failed: 0 };
      return { fromMs, toMs, ...counted, ...(status === 'failed' && { calls: failed }) };
    });
    return bars && { bars, granularity, isExact };
  }, [points, times, granularity, status, isExact]);
}
