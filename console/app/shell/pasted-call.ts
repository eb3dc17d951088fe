import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import type { NavGroup } from './places.ts';

/** The request id in a text, if there is one and little else. */
export function readRequestId(text: string): string | undefined {
  return /^\W*(req_[\w-]{1,90})\W*$/.exec(text.trim())?.[1];
}

/** Where calls are listed: operators see those of all accounts. */
export function callsPath(nav: readonly NavGroup[]): '/calls' | '/operator/calls' {
  const isOperator = nav.some(({ items }) => items.some(({ to }) => to === '/operator/calls'));
  return isOperator ? '/operator/calls' : '/calls';
}

function isField(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

/** A request id that is pasted anywhere outside of a field opens its call. */
export function usePastedCall(nav: readonly NavGroup[]): void {
  const navigate = useNavigate();
  useEffect(() => {
    const onPaste = (event: ClipboardEvent): void => {
      const id = isField(event.target)
        ? undefined
        : readRequestId(event.clipboardData?.getData('text') ?? '');
      if (id === undefined) return;
      event.preventDefault();
      const to = callsPath(nav);
      const isThere = window.location.pathname === to;
      // The filters of the list stay. Its route drops what it does not know.
      void navigate({ to, search: (now: object) => ({ ...(isThere && now), call: id }) as object });
    };
    document.addEventListener('paste', onPaste);
    return () => document.removeEventListener('paste', onPaste);
  }, [nav, navigate]);
}
