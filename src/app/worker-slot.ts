import { mkdirSync, readdirSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { WORKER_LOCK_MS } from '../bounds.ts';
import { systemClock } from '../kernel/time/clock.ts';
import { StartRefused } from '../setup.ts';
import { acquireLock, type Locked } from '../store/embedded/lock.ts';

/**
 * One of several processes that serve a data directory together. The supervisor has the lock of the directory
 * and the embedded database, has applied the catalogue, and has found the port that all of them listen on.
 */
export interface WorkerSlot {
  /** Counted from 1. */
  readonly number: number;
  /** The metrics of all workers together, if available. */
  collectMetrics(own: string): Promise<string>;
}

/** A journal directory that no other process writes or recovers while the lock is held. */
export interface LockedJournal {
  readonly directory: string;
  release(): void;
}

const LOCK_POLL_MS = 20;
const WORKERS = 'workers';

/** `journal` for a process that serves alone, `workers/3/journal` for the third of several. */
export function journalFolder(dataDirectory: string, post: WorkerSlot | undefined): string {
  return post === undefined ? dataDirectory : join(dataDirectory, WORKERS, String(post.number));
}

/**
 * Folders whose journal has no process any more, because there are fewer workers than before. They are
 * recovered by a process that serves alone, or by the first of several.
 */
export function orphanFolders(
  dataDirectory: string,
  workers: number,
  post: WorkerSlot | undefined,
): readonly string[] {
  if (post !== undefined && post.number !== 1) return [];
  const beyond = post === undefined ? 0 : workers;
  const numbers = listNumbers(join(dataDirectory, WORKERS)).filter((number) => number > beyond);
  const folders = numbers.map((number) => join(dataDirectory, WORKERS, String(number)));
  return post === undefined ? folders : [dataDirectory, ...folders];
}

function listNumbers(directory: string): number[] {
  try {
    return readdirSync(directory)
      .filter((name) => /^[1-9]\d?$/.test(name))
      .map(Number)
      .sort((one, other) => one - other);
  } catch {
    return [];
  }
}

/**
 * Locks a worker's folder. Its last process may still be ending after its supervisor died. It waits for that,
 * because two processes with one journal would lose records.
 */
export async function lockJournal(folder: string): Promise<LockedJournal> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const lock = await waitForLock(join(folder, 'journal.lock'));
  return { directory: join(folder, 'journal'), release: () => lock.release() };
}

async function waitForLock(path: string): Promise<Locked> {
  const deadlineMs = systemClock.monotonic() + WORKER_LOCK_MS;
  for (;;) {
    const result = await acquireLock(path);
    if (result.kind === 'locked') return result;
    if (systemClock.monotonic() >= deadlineMs) {
      throw new StartRefused(
        `the journal beside ${path} is still in use by process ${result.pid}; stop it and start again`,
      );
    }
    await sleep(LOCK_POLL_MS);
  }
}

/** A fully recovered journal leaves nothing. Calls that the store refused stay, and so does the folder. */
export function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(join(folder, 'journal'));
    rmdirSync(folder);
  } catch {
    // The folder is not empty, so an operator should look at it.
  }
}
