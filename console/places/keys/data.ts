import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ApiError, callApi, type Data, type Row, useApi } from '../../api/api.ts';
import { useServerTimes } from '../../app/server-time.ts';

export type Key = Row<'listKeys'>;
export type Policy = Data<'listPoliciesForKeys'>[number];

const PAGE_SIZE = 100;
/** An account has at most 500 keys. */
const PAGES_MAX = 5;

async function readAllKeys(): Promise<readonly Key[]> {
  const keys: Key[] = [];
  for (let page = 1; page <= PAGES_MAX; page++) {
    const { data, total } = await callApi('listKeys', { query: { page, size: PAGE_SIZE } });
    keys.push(...data);
    if (keys.length >= total || data.length === 0) break;
  }
  return keys;
}

/** All keys of the account, newest first. */
export function useKeys() {
  return useQuery<readonly Key[], ApiError>({ queryKey: ['listKeys', 'all'], queryFn: readAllKeys });
}

export function usePolicies(): readonly Policy[] | undefined {
  return useApi('listPoliciesForKeys', {}, { staleTime: 60_000 }).data?.data;
}

export interface KeyUse {
  readonly calls: number;
  readonly amount: string;
  /** Calls of each day. */
  readonly days: readonly number[];
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** What each key was used for in the last days, by the id of the key. */
export function useKeyUse(days: number): ReadonlyMap<number, KeyUse> | undefined {
  const times = useServerTimes();
  // By the hour, so that the answer is kept while one looks.
  const from = times.write(Math.floor(Date.now() / HOUR_MS) * HOUR_MS - days * DAY_MS);
  const sums = useApi('getUsageByKey', { query: { from } }, { placeholderData: keepPreviousData }).data?.data;
  const trend = useApi(
    'getUsageOverTimeByGroup',
    { query: { from, by: 'key', granularity: 'day' } },
    { placeholderData: keepPreviousData },
  ).data?.data;
  if (sums === undefined) return undefined;
  const daysOf = new Map(
    trend?.groups.map(({ group, points }) => [Number(group), points.map(({ calls }) => calls)]),
  );
  return new Map(
    sums.map(({ key_id: id, calls, amount }) => [id, { calls, amount, days: daysOf.get(id) ?? [] }]),
  );
}
