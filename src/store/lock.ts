import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { LOCK_FILE_BYTES_MAX, LOCK_TRIES_MAX } from '../bounds.ts';
import { systemClock } from '../kernel/clock.ts';
import { prepareDataDirectory } from './data-directory.ts';
import { isAlive, type ProcessIdentity, parseIdentity, thisProcess } from './process-identity.ts';

export type LockResult = Locked | LockHeld;

export interface Locked {
  readonly kind: 'locked';
  /** Also done by the process's death: the next taker finds the owner dead. */
  release(): void;
}

export interface LockHeld {
  readonly kind: 'held';
  readonly pid: number;
  readonly since: string;
}

interface LockFile {
  readonly text: string;
  /** Nothing when the file is not readable as ours: it was cut by a power loss. */
  readonly owner: ProcessIdentity | undefined;
  readonly since: string;
}

const RETRY_MS = 10;
/** A taker may die while it takes over, and so may the one who takes over from it; no further. */
const TAKEOVER_DEPTH_MAX = 3;

/** One Tollgate server per data directory: the second start is told who has it. */
export function lockDataDirectory(dataDirectory: string): Promise<LockResult> {
  return acquireLock(join(prepareDataDirectory(dataDirectory), 'tollgate.lock'));
}

/** The sentence a second server ends with. */
export function describeHeld(dataDirectory: string, held: LockHeld): string {
  return (
    `the data directory ${dataDirectory} is in use by another Tollgate server ` +
    `(process ${held.pid}, since ${held.since}); stop it, or set TOLLGATE_DATA to another directory`
  );
}

/** Takes the lock if it is free or its owner is dead; never waits for a living owner. */
export function acquireLock(path: string): Promise<LockResult> {
  return acquireAtDepth(path, 0);
}

async function acquireAtDepth(path: string, depth: number): Promise<LockResult> {
  const mine = writeOwnFile(path);
  try {
    for (let tries = 0; tries < LOCK_TRIES_MAX; tries++) {
      // A link is made completely or not at all, and never over an existing file.
      if (linkIfFree(mine.path, path)) return locked(path, mine.text);
      const found = readLock(path);
      if (found === undefined) continue;
      if (found.owner !== undefined && isAlive(found.owner)) {
        return { kind: 'held', pid: found.owner.pid, since: found.since };
      }
      if (await takeOver({ path, dead: found.text, mine: mine.path, depth })) return locked(path, mine.text);
      await sleep(RETRY_MS);
    }
    throw new Error(`the lock ${path} could not be taken: too many processes try at once`);
  } finally {
    rmSync(mine.path, { force: true });
  }
}

/**
 * Only one taker at a time may replace a dead owner's file, and it looks again before it does: otherwise a
 * slow one would throw out the living owner that a faster one has become.
 */
async function takeOver(attempt: {
  readonly path: string;
  readonly dead: string;
  readonly mine: string;
  readonly depth: number;
}): Promise<boolean> {
  if (attempt.depth >= TAKEOVER_DEPTH_MAX) return false;
  const guard = await acquireAtDepth(`${attempt.path}.takeover`, attempt.depth + 1);
  if (guard.kind === 'held') return false;
  try {
    if (readLock(attempt.path)?.text !== attempt.dead) return false;
    renameSync(attempt.mine, attempt.path);
    return true;
  } finally {
    guard.release();
  }
}

function locked(path: string, text: string): Locked {
  return {
    kind: 'locked',
    release: () => {
      if (readLock(path)?.text === text) rmSync(path, { force: true });
    },
  };
}

let made = 0;

function writeOwnFile(path: string): { readonly path: string; readonly text: string } {
  const count = ++made;
  const own = join(dirname(path), `.${basename(path)}.${process.pid}.${count}`);
  const since = new Date(systemClock.now()).toISOString();
  const text = `${JSON.stringify({ ...thisProcess(), since, count })}\n`;
  writeFileSync(own, text, { mode: 0o600 });
  return { path: own, text };
}

function linkIfFree(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function readLock(path: string): LockFile | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8').slice(0, LOCK_FILE_BYTES_MAX);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const since = /"since":"([0-9TZ:.-]{1,30})"/.exec(text)?.[1] ?? 'an unknown time';
  return { text, owner: parseIdentity(text), since };
}
