import { type RefObject, useCallback, useEffect, useRef } from 'react';
import { callApi, queryKey } from '../../../api/api.ts';
import { queries } from '../../../api/queries.ts';
import type { ServerTimes } from '../../../app/server-time.ts';
import { findNeighbour, preloadDetail } from '../data.ts';
import type { Call, CallSearch, Of, OnSearch } from '../search.ts';

export interface Walk {
  /** Undefined at the end of the list. */
  readonly onPrevious: (() => void) | undefined;
  readonly onNext: (() => void) | undefined;
}

interface Given {
  readonly of: Of;
  readonly search: CallSearch;
  readonly onSearch: OnSearch;
  readonly times: ServerTimes;
  readonly list: RefObject<HTMLDivElement | null>;
  readonly rows: readonly Call[] | undefined;
  readonly more: {
    readonly hasNextPage: boolean;
    readonly fetchNextPage: () => Promise<{
      readonly data?: { readonly pages: readonly { readonly calls: readonly Call[] }[] } | undefined;
    }>;
  };
}

/** The neighbour of the open call in the filtered list, also beyond the rows that were read. */
async function neighbourOf(given: Given, id: string, step: 1 | -1): Promise<Call | undefined> {
  const { of, search, times, rows = [], more } = given;
  const at = rows.findIndex(({ request_id }) => request_id === id);
  if (at !== -1) {
    const next = rows[at + step];
    if (next !== undefined || step === -1 || !more.hasNextPage) return next;
    const all = (await more.fetchNextPage()).data?.pages.flatMap(({ calls }) => calls);
    return all?.[(all.findIndex(({ request_id }) => request_id === id) ?? -1) + 1];
  }
  const call = await readOpen(of, id);
  return call && findNeighbour({ of, search, times }, call, step === 1 ? 'older' : 'newer');
}

async function readOpen(of: Of, id: string): Promise<Call | undefined> {
  const input = { params: { request_id: id } };
  const name = of === 'own' ? 'getCallByItsRequestId' : 'getAnyCall';
  const known = queries.getQueryData<{ readonly data: Call }>(queryKey(name, input));
  if (known !== undefined) return known.data;
  return callApi(name, input).then(
    ({ data }): Call => data,
    () => undefined,
  );
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

const FLOATING = '[data-open]:is([role="dialog"], [role="alertdialog"], [role="menu"], [role="listbox"])';

/** Moves the focus from row to row while no call is open; Enter then opens the one that has it. */
function focusRow(list: HTMLElement | null, step: 1 | -1): void {
  const links = [...(list?.querySelectorAll<HTMLElement>('[data-row-link]') ?? [])];
  const at = links.indexOf(document.activeElement as HTMLElement);
  const to = at === -1 ? 0 : Math.min(links.length - 1, Math.max(0, at + step));
  links[to]?.focus({ preventScroll: true });
  links[to]?.closest('tr')?.scrollIntoView({ block: 'nearest' });
}

/** j and k walk the filtered list, with a call open or without. */
export function useWalk(given: Given): Walk {
  const current = useRef(given);
  current.current = given;
  const isWalking = useRef(false);
  const go = useCallback(async (step: 1 | -1) => {
    const { search, onSearch, list, of } = current.current;
    if (search.call === undefined) return focusRow(list.current, step);
    if (isWalking.current) return;
    isWalking.current = true;
    try {
      const next = await neighbourOf(current.current, search.call, step);
      if (next === undefined) return;
      onSearch({ call: next.request_id }, { replace: true });
      preloadNeighbours(of, current.current.rows, next);
    } finally {
      isWalking.current = false;
    }
  }, []);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      const step = ({ j: 1, k: -1 } as const)[event.key];
      if (step === undefined || document.querySelector(FLOATING) !== null) return;
      event.preventDefault();
      void go(step);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [go]);
  const { search, rows, more, list } = given;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the open row comes into sight
  useEffect(() => {
    list.current?.querySelector('tr[aria-current]')?.scrollIntoView({ block: 'nearest' });
  }, [search.call]);
  const at = rows?.findIndex(({ request_id }) => request_id === search.call) ?? -1;
  const isLast = rows !== undefined && at === rows.length - 1 && !more.hasNextPage;
  return {
    onPrevious: at === 0 ? undefined : () => void go(-1),
    onNext: at !== -1 && isLast ? undefined : () => void go(1),
  };
}

/** Who walks goes on. */
function preloadNeighbours(of: Of, rows: readonly Call[] | undefined, call: Call): void {
  const at = rows?.findIndex(({ request_id }) => request_id === call.request_id) ?? -1;
  for (const near of [rows?.[at + 1], rows?.[at - 1]]) {
    if (at !== -1 && near !== undefined) preloadDetail(of, near.request_id);
  }
}
