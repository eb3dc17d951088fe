import type { ReactNode } from 'react';
import { callApi } from '../../api/api.ts';
import { queries } from '../../api/queries.ts';
import { createStore } from '../../app/store.ts';
import { showToast } from '../../parts/overlay/toast.tsx';
import type { Key } from './data.ts';

/** Keys on their way out. They are disabled already, and not shown. */
export const leaving = createStore<ReadonlySet<number>>(new Set());

function setLeaving(id: number, isLeaving: boolean): void {
  const next = new Set(leaving.read());
  if (isLeaving) next.add(id);
  else next.delete(id);
  leaving.write(next);
}

const refresh = (): Promise<void> => queries.invalidateQueries({ queryKey: ['listKeys'] });

async function deleteNow(ids: readonly number[]): Promise<void> {
  await callApi('deleteKeys', { query: { ids: ids.join(',') } });
  await refresh();
  for (const id of ids) setLeaving(id, false);
}

/** A page that is left cannot be undone any more. */
window.addEventListener('pagehide', () => {
  const ids = [...leaving.read()];
  if (ids.length > 0) void deleteNow(ids).catch(() => {});
});

/**
 * A deleted key must not work, and Undo must bring it back as it was: so it is disabled at once, and deleted
 * when the offer of Undo ends.
 */
export async function deleteKey(key: Key, text: ReactNode): Promise<void> {
  setLeaving(key.id, true);
  try {
    if (key.status === 'enabled') await callApi('updateKey', { body: { id: key.id, status: 'disabled' } });
  } catch (error) {
    setLeaving(key.id, false);
    throw error;
  }
  showToast({
    text,
    onUndo: () => void bringBack(key),
    onEnd: () => void deleteNow([key.id]).catch(() => bringBack(key, 'disabled')),
  });
}

async function bringBack({ id, status }: Key, as: Key['status'] = status): Promise<void> {
  if (as === 'enabled') await callApi('updateKey', { body: { id, status: as } }).catch(() => {});
  await refresh();
  setLeaving(id, false);
}
