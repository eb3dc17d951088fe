import { WINDOWS_PRUNED_ROWS, WINDOWS_RESTORED_MAX } from '../../bounds.ts';
import type { Dimension } from '../../catalog/contract.ts';
import type { RememberedWindow } from '../../gate/contract.ts';
import type { CallRecord } from '../../ledger/contract.ts';
import { type Columns, columnNames, encodeColumns, text, time, whole } from '../columns.ts';
import { type Database, idNumber } from '../database.ts';
import type { Part, Writes } from '../writes.ts';

const WINDOW_COLUMNS: Columns<RememberedWindow> = {
  scope: text((window) => window.scope),
  dimension: text((window) => window.dimension),
  seconds: whole('bigint', (window) => window.seconds),
  started_at: time((window) => window.startedAtMs),
  used: whole('bigint', (window) => window.used),
};

/**
 * A newer window replaces the one before it, a call of the same window adds to it, and a late call of an
 * older one changes nothing. In the order of the keys, as everywhere.
 */
const REMEMBER: Part = {
  name: 'remembered',
  columns: WINDOW_COLUMNS,
  text: (given) => `
    insert into gate_windows (${columnNames(WINDOW_COLUMNS)}, ends_at)
    select ${columnNames(WINDOW_COLUMNS)}, started_at + seconds * interval '1 second'
    from ${given} order by scope, dimension, seconds
    on conflict (scope, dimension, seconds) do update set
      started_at = excluded.started_at, ends_at = excluded.ends_at,
      used = excluded.used
        + case when gate_windows.started_at = excluded.started_at then gate_windows.used else 0 end
    where gate_windows.started_at <= excluded.started_at`,
};

/** Adds what new calls have used of their windows. */
export function addWindows(writes: Writes, calls: readonly CallRecord[]): void {
  const windows = addUp(calls);
  if (windows.length > 0) writes.add(REMEMBER, encodeColumns(WINDOW_COLUMNS, windows));
}

/** For each scope, dimension and length the newest window of the batch: one statement writes a row once. */
function addUp(calls: readonly CallRecord[]): readonly RememberedWindow[] {
  const newest = new Map<string, { window: RememberedWindow; used: bigint }>();
  for (const { windows } of calls) {
    for (const window of windows) {
      const key = `${window.dimension} ${window.seconds} ${window.scope}`;
      const known = newest.get(key);
      if (known === undefined || known.window.startedAtMs < window.startedAtMs) {
        newest.set(key, { window, used: window.used });
      } else if (known.window.startedAtMs === window.startedAtMs) known.used += window.used;
    }
  }
  return [...newest.values()].map(({ window, used }) => ({ ...window, used }));
}

interface WindowRow {
  readonly scope: string;
  readonly dimension: Dimension;
  readonly seconds: bigint;
  readonly started_at: Date;
  readonly used: bigint;
}

/** The running windows, for a gate in memory to start with; the longest rest first. */
export async function loadWindows(database: Database, nowMs: number): Promise<readonly RememberedWindow[]> {
  const rows = await database.query<WindowRow>(
    `select scope, dimension, seconds, started_at, used from gate_windows where ends_at > $1
     order by ends_at desc limit $2`,
    [new Date(nowMs).toISOString(), WINDOWS_RESTORED_MAX],
  );
  return rows.map(({ scope, dimension, seconds, started_at, used }) => ({
    scope,
    dimension,
    seconds: idNumber(seconds),
    startedAtMs: started_at.getTime(),
    used,
  }));
}

/** Deletes ended windows, a bounded number at a time, without waiting for others that do the same. */
export async function pruneWindows(database: Database, nowMs: number): Promise<number> {
  const gone = await database.query(
    `delete from gate_windows where (scope, dimension, seconds) in (
       select scope, dimension, seconds from gate_windows
       where ends_at <= $1 order by ends_at limit $2 for update skip locked)
     returning 1`,
    [new Date(nowMs).toISOString(), WINDOWS_PRUNED_ROWS],
  );
  return gone.length;
}
