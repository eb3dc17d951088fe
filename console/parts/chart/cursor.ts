import { useSyncExternalStore } from 'react';

/** One cursor for all charts of a page: where the reader is in time, and who was asked last. */
export interface Cursor {
  readonly index: number;
  readonly count: number;
  readonly owner: string;
}

let cursor: Cursor | undefined;
const listeners = new Set<() => void>();

export function setCursor(next: Cursor | undefined): void {
  if (next?.index === cursor?.index && next?.owner === cursor?.owner) return;
  cursor = next;
  for (const tell of listeners) tell();
}

function subscribe(tell: () => void): () => void {
  listeners.add(tell);
  return () => listeners.delete(tell);
}

/** The cursor where it fits a chart of `count` points. */
export function useCursor(count: number): Cursor | undefined {
  return useSyncExternalStore(subscribe, () => (cursor?.count === count ? cursor : undefined));
}
