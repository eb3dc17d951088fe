import { useEffect } from 'react';
import { createStore } from './store.ts';

/** What is open within a place, for example the id of a call: the last part of the bar above the page. */
export const crumb = createStore<string | undefined>(undefined);

export function useCrumb(detail: string | undefined): void {
  useEffect(() => {
    crumb.write(detail);
    return () => crumb.write(undefined);
  }, [detail]);
}
