import { useCallback, useState } from 'react';
import { type ApiError, type Output, queryKey, type Row, useApi } from '../../api/api.ts';
import { queries } from '../../api/queries.ts';
import { useLive } from '../../app/live.ts';

export type LatestCall = Row<'listCalls'>;

const SHOWN = 8;
const INPUT = { query: { size: SHOWN } };

export interface Latest {
  readonly calls: readonly LatestCall[] | undefined;
  readonly error: ApiError | null;
  readonly isNew: (call: LatestCall) => boolean;
}

/** The newest calls. Those that end while the page is open are put on top. */
export function useLatestCalls(): Latest {
  const [fresh, setFresh] = useState<string>();
  const { data, error } = useApi('browseCalls', INPUT);
  const take = useCallback((call: LatestCall) => {
    setFresh(call.request_id);
    queries.setQueryData<Output<'browseCalls'>>(queryKey('browseCalls', INPUT), (known) => {
      if (known === undefined) return undefined;
      const others = known.data.calls.filter(({ request_id: id }) => id !== call.request_id);
      const calls = [call, ...others].toSorted(newestFirst).slice(0, SHOWN);
      return { ...known, data: { ...known.data, calls } };
    });
  }, []);
  useLive('call', take);
  const isNew = useCallback(({ request_id: id }: LatestCall) => id === fresh, [fresh]);
  return { calls: data?.data.calls, error, isNew };
}

function newestFirst(one: LatestCall, other: LatestCall): number {
  if (one.created_at === other.created_at) return other.id - one.id;
  return one.created_at < other.created_at ? 1 : -1;
}
