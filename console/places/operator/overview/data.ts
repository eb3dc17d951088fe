import { type Data, useApi } from '../../../api/api.ts';
import { type ServerTimes, useServerTimes } from '../../../app/server-time.ts';
import { useNow } from '../../../parts/text/now.ts';
import { useLiveRefresh } from '../live-refresh.ts';
import type { Period } from './route.ts';

export type Overview = Data<'getOverview'>;
export type Series = Data<'getOverviewOverTime'>;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const DAYS = { '24h': 1, '7d': 7, '30d': 30 };
/** The period before does not change any more, but for its last hour. */
const BEFORE_KEPT = { staleTime: 10 * 60_000 };

interface Span {
  readonly from: string;
  readonly before: { readonly from: string; readonly to: string };
  readonly granularity: 'hour' | 'day';
}

/** Whole hours or days of the server, with the one that runs. The period before is as long. */
export function spanOf(period: Period, times: ServerTimes, nowMs: number): Span {
  if (period === '24h') {
    const fromMs = Math.floor(nowMs / HOUR_MS) * HOUR_MS - 23 * HOUR_MS;
    const from = times.write(fromMs);
    return { from, before: { from: times.write(fromMs - DAY_MS), to: from }, granularity: 'hour' };
  }
  const dayAgo = (days: number): string => `${times.write(nowMs - days * DAY_MS).slice(0, 10)} 00:00:00`;
  const days = DAYS[period];
  const from = dayAgo(days - 1);
  return { from, before: { from: dayAgo(2 * days - 1), to: from }, granularity: 'day' };
}

const LIVE = [
  ...(['getOverview', 'getOverviewOverTime', 'getOverviewByAccount'] as const),
  ...(['getOverviewByCredential', 'getOverviewByNode'] as const),
] as const;
const HEALTH = ['getOverviewByCredential', 'getOverviewByNode'] as const;

/** Everything that the page shows of a period. It follows the calls as they end. */
export function useOverview(period: Period) {
  const times = useServerTimes();
  const nowMs = useNow(HOUR_MS);
  const { from, before, granularity } = spanOf(period, times, nowMs);
  const day = spanOf('24h', times, nowMs).from;
  useLiveRefresh('call', LIVE);
  useLiveRefresh('health', HEALTH);
  const overview = useApi('getOverview', { query: { from } });
  return {
    granularity,
    failed: overview.isError && overview.data === undefined ? overview : undefined,
    overview: overview.data?.data,
    before: useApi('getOverview', { query: before }, BEFORE_KEPT).data?.data,
    series: useApi('getOverviewOverTime', { query: { from, granularity } }).data?.data,
    seriesBefore: useApi('getOverviewOverTime', { query: { ...before, granularity } }, BEFORE_KEPT).data
      ?.data,
    day: useApi('getOverviewOverTime', { query: { from: day, granularity: 'hour' } }).data?.data,
    accounts: useApi('getOverviewByAccount', { query: { from } }).data?.data.accounts,
    credentials: useApi('getOverviewByCredential', { query: { from: day } }).data?.data.credentials,
    nodes: useApi('getOverviewByNode', {}).data?.data.nodes,
  };
}

export type Shown = ReturnType<typeof useOverview>;
