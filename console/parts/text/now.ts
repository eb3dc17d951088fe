import { useSyncExternalStore } from 'react';

/** One timer for all of the page: every part that shows a running time ticks at the same moment. */
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
let now = Date.now();

function subscribe(tell: () => void): () => void {
  listeners.add(tell);
  if (timer === undefined) {
    now = Date.now();
    timer = setInterval(() => {
      now = Date.now();
      for (const each of listeners) each();
    }, 1_000);
  }
  return () => {
    listeners.delete(tell);
    if (listeners.size === 0) {
      clearInterval(timer);
      timer = undefined;
    }
  };
}

/** The time now. It draws again each `stepMs`: a part that shows minutes need not draw each second. */
export function useNow(stepMs = 1_000): number {
  useSyncExternalStore(subscribe, () => Math.floor(now / stepMs));
  return Date.now();
}
