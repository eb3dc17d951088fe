import { useEffect, useMemo } from 'react';
import type { OperationName } from '../../api/api.ts';
import { queries } from '../../api/queries.ts';
import { type LiveEvents, useLive } from '../../app/live.ts';

const REFRESH_MS = 4_000;

/**
 * Reads the named operations again when something happens, at most every few seconds. `names` must stay the
 * same list. Only what is shown is read.
 */
export function useLiveRefresh(event: keyof LiveEvents, names: readonly OperationName[]): void {
  const refresh = useMemo(() => {
    let timer: number | undefined;
    let lastMs = Number.NEGATIVE_INFINITY;
    const read = (): void => {
      timer = undefined;
      lastMs = performance.now();
      for (const name of names) void queries.invalidateQueries({ queryKey: [name] });
    };
    return {
      soon: () => {
        timer ??= window.setTimeout(read, Math.max(0, lastMs + REFRESH_MS - performance.now()));
      },
      stop: () => window.clearTimeout(timer),
    };
  }, [names]);
  useLive(event, refresh.soon);
  useEffect(() => refresh.stop, [refresh]);
}
