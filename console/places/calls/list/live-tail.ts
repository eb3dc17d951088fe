import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { queries } from '../../../api/queries.ts';
import { type LiveEvents, useLive } from '../../../app/live.ts';
import { type CallPages, pagesKey } from '../data.ts';
import { type Call, type CallSearch, isNewer, type Of, passes } from '../search.ts';

/** Calls that wait for the reader. With more of them the list is read anew. */
const WAITING_MAX = 200;
/** How long an arrived row is tinted. */
const FRESH_MS = 1_500;
/** Above this the reader is at the top of the list. */
const TOP_PX = 120;
/** The bars above the list are read again at most so often. */
const BARS_MS = 10_000;

export interface LiveTail {
  /** Calls that arrived while the list was being read. */
  readonly waiting: number;
  readonly show: () => void;
  readonly isFresh: (call: Call) => boolean;
  /** For the element around the list. */
  readonly pointer: { readonly onPointerEnter: () => void; readonly onPointerLeave: () => void };
}

/** Puts calls into their places in the first page. The rows that are there keep their order. */
function putIn(pages: CallPages | undefined, arrived: readonly Call[]): CallPages | undefined {
  const [first, ...others] = pages?.pages ?? [];
  if (pages === undefined || first === undefined) return pages;
  const known = new Set(pages.pages.flatMap(({ calls }) => calls.map(({ request_id }) => request_id)));
  const calls = [...first.calls];
  for (const call of arrived) {
    if (known.has(call.request_id)) continue;
    const at = calls.findIndex((each) => isNewer(call, each));
    calls.splice(at === -1 ? calls.length : at, 0, call);
  }
  return { ...pages, pages: [{ ...first, calls }, ...others] };
}

/** Whether nothing may move: somebody reads a call, points at the list, or is further down. */
function isRead(key: readonly unknown[], { call }: CallSearch, isPointedAt: boolean): boolean {
  const shown = queries.getQueryData<CallPages>(key)?.pages[0]?.calls ?? [];
  return shown.length > 0 && (call !== undefined || isPointedAt || window.scrollY > TOP_PX);
}

/** Reads the bars above the list again if it is time. Returns when they were read last. */
function readBars(lastMs: number): number {
  if (Date.now() - lastMs <= BARS_MS) return lastMs;
  for (const name of ['getUsageOverTime', 'getUsageOverTimeOfAccount', 'getOverviewOverTime']) {
    void queries.invalidateQueries({ queryKey: [name] });
  }
  return Date.now();
}

function followPointer(isPointedAt: { current: boolean }): LiveTail['pointer'] {
  return {
    onPointerEnter: () => {
      isPointedAt.current = true;
    },
    onPointerLeave: () => {
      isPointedAt.current = false;
    },
  };
}

/** The rows that have just arrived. */
function useFresh() {
  const [fresh, setFresh] = useState<ReadonlySet<string>>(new Set());
  const markFresh = useCallback((calls: readonly Call[]) => {
    const ids = calls.map(({ request_id }) => request_id);
    setFresh((known) => new Set([...known, ...ids]));
    setTimeout(() => setFresh((known) => new Set([...known].filter((id) => !ids.includes(id)))), FRESH_MS);
  }, []);
  const isFresh = useCallback((call: Call) => fresh.has(call.request_id), [fresh]);
  return { isFresh, markFresh };
}

/** New calls arrive at the top of the list if they pass its filter. What is being read never moves. */
export function useLiveTail(of: Of, search: CallSearch): LiveTail {
  const [waiting, setWaiting] = useState<readonly Call[]>([]);
  const isPointedAt = useRef(false);
  const { isFresh, markFresh } = useFresh();
  const isOn = search.live !== 'off';
  const barsReadAt = useRef(0);
  const key = pagesKey(of, search);
  const current = useRef({ search, key, isOn, waiting });
  current.current = { search, key, isOn, waiting };
  const put = useCallback(
    (calls: readonly Call[]) => {
      queries.setQueryData<CallPages>(current.current.key, (pages) => putIn(pages, calls));
      markFresh(calls);
    },
    [markFresh],
  );
  const take = useCallback(
    (call: LiveEvents['call']) => {
      const { search, key, isOn, waiting } = current.current;
      if (!isOn || !passes(call, search)) return;
      barsReadAt.current = readBars(barsReadAt.current);
      if (isRead(key, search, isPointedAt.current)) {
        setWaiting((known) => [call, ...known].slice(0, WAITING_MAX));
      } else if (waiting.length >= WAITING_MAX) {
        void queries.invalidateQueries({ queryKey: key });
        setWaiting([]);
      } else {
        put([call, ...waiting]);
        setWaiting([]);
      }
    },
    [put],
  );
  useLive('call', take);
  // Another filter is another list.
  const listed = JSON.stringify(key);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what waits belongs to the list before
  useEffect(() => setWaiting([]), [listed]);
  const show = useCallback(() => {
    window.scrollTo({ top: 0 });
    if (waiting.length >= WAITING_MAX) void queries.invalidateQueries({ queryKey: current.current.key });
    else put(waiting);
    setWaiting([]);
  }, [put, waiting]);
  // Who scrolls back up sees them without a click.
  useEffect(() => {
    if (waiting.length === 0) return;
    const look = () => {
      const { key, search } = current.current;
      if (!isRead(key, search, isPointedAt.current)) show();
    };
    window.addEventListener('scroll', look, { passive: true });
    return () => window.removeEventListener('scroll', look);
  }, [waiting.length, show]);

  const pointer = useMemo(() => followPointer(isPointedAt), []);
  return { waiting: waiting.length, show, isFresh, pointer };
}
