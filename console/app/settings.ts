import { callApi, type Data, queryKey, useApi } from '../api/api.ts';
import { queries } from '../api/queries.ts';
import { setTimeZone } from '../parts/text/times.ts';

export type Settings = Data<'getPublicSettings'>;

const KNOWN_FOR_MS = 5 * 60_000;

/** What every page needs to know of the server: its address, its time zone, whether one can register. */
export function useSettings(): Settings | undefined {
  return useApi('getPublicSettings', {}, { staleTime: KNOWN_FOR_MS }).data?.data;
}

/** For routes. A server that does not answer now is asked again by the page itself. */
export async function loadSettings(): Promise<Settings | undefined> {
  const query = {
    queryKey: queryKey('getPublicSettings', {}),
    queryFn: () => callApi('getPublicSettings', {}),
  };
  const known = await queries
    .fetchQuery({ ...query, staleTime: KNOWN_FOR_MS, retry: false })
    .catch(() => undefined);
  if (known !== undefined) setTimeZone(known.data.time_zone);
  return known?.data;
}
