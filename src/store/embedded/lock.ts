import { closeSync, linkSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { LOCK_FILE_BYTES_MAX, LOCK_TRIES_MAX } from '../../bounds.ts';
import { systemRandom } from '../../kernel/random.ts';
import { systemClock } from '../../kernel/time/clock.ts';
import { prepareDataDirectory } from './data-directory.ts';
import { isAnswered, listenAt } from './lock-socket.ts';
import { judge, type ProcessIdentity, parseIdentity, thisProcess } from './process-identity.ts';

export type LockResult = Locked | LockHeld;

export interface Locked {
  readonly kind: 'locked';
  /** The death of the process releases it too: the next server finds the owner dead. */
  release(): void;
}

export interface LockHeld {
  readonly kind: 'held';
  readonly pid: number;
  /** Empty if the owner's system has no way to distinguish containers. */
  readonly host: string;
  readonly since: string;
  /** `unknown`: it is on another machine, or where its file system has no sockets; it may be dead. */
  readonly owner: 'alive' | 'unknown';
}

interface LockFile {
  readonly text: string;
  /** Undefined if the file cannot be read: it was truncated by a power loss. */
  readonly owner: ProcessIdentity | undefined;
  readonly since: string;
  /** Where the owner listens; undefined if it cannot. */
  readonly socket: string | undefined;
}

/** The new lock, which is complete before it becomes visible. */
interface OwnFile {
  readonly path: string;
  readonly text: string;
  stopListening(): void;
}

interface Attempt {
  readonly path: string;
  readonly depth: number;
}

const RETRY_MS = 10;
/** A process may die during its takeover, and so may the next one. More levels are not supported. */
const TAKEOVER_DEPTH_MAX = 3;

/** One Tollgate server per data directory. The second start gets the owner. */
export function lockDataDirectory(dataDirectory: string): Promise<LockResult> {
  return acquireLock(join(prepareDataDirectory(dataDirectory), 'tollgate.lock'));
}

/** The message with which a second server ends. */
export function describeHeld(dataDirectory: string, held: LockHeld): string {
  // In a container nearly every server is process 1, so the number alone is not enough.
  const where = held.host === '' || held.host === hostname() ? '' : ` on ${held.host}`;
  const unknown = ' If it does not run any more, delete the .lock files in the directory.';
  return (
    `the data directory ${dataDirectory} is in use by another Tollgate server ` +
    `(process ${held.pid}${where}, since ${held.since}); stop it, or set TOLLGATE_DATA to another directory.` +
    (held.owner === 'unknown' ? unknown : '')
  );
}

/**
 * Takes the lock if it is free or its owner is dead. It never waits for an owner. An owner that cannot be
 * checked from here keeps the lock: people decide whether it is dead.
 */
export function acquireLock(path: string): Promise<LockResult> {
  return acquireAtDepth({ path, depth: 0 });
}

async function acquireAtDepth(attempt: Attempt): Promise<LockResult> {
  const own = await makeOwnFile(attempt.path);
  let result: LockResult | undefined;
  try {
    result = await putInPlace(own, attempt);
    return result;
  } finally {
    rmSync(own.path, { force: true });
    if (result?.kind !== 'locked') own.stopListening();
  }
}

async function putInPlace(own: OwnFile, attempt: Attempt): Promise<LockResult> {
  const { path } = attempt;
  for (let tries = 0; tries < LOCK_TRIES_MAX; tries++) {
    // A link is created atomically, and never over an existing file.
    if (linkIfFree(own.path, path)) return locked(path, own);
    const found = readLock(path);
    if (found === undefined) continue;
    const { owner, since, socket } = found;
    const state = owner === undefined ? 'dead' : await findState(owner, socket);
    if (owner !== undefined && state !== 'dead') {
      return { kind: 'held', pid: owner.pid, host: owner.host, since, owner: state };
    }
    if (await takeOver(found, own, attempt)) return locked(path, own);
    await sleep(RETRY_MS);
  }
  throw new Error(`the lock ${path} could not be taken: too many processes try at once`);
}

async function findState(
  owner: ProcessIdentity,
  socket: string | undefined,
): Promise<'alive' | 'dead' | 'unknown'> {
  const standing = judge(owner);
  if (standing === 'alive' || standing === 'dead') return standing;
  // A socket belongs to its owner's kernel, so that of another machine proves nothing.
  if (standing === 'other-machine' || socket === undefined) return 'unknown';
  return (await isAnswered(socket)) ? 'alive' : 'dead';
}

/**
 * Only one server at a time may replace a dead owner's file, and it checks again first. Otherwise a
 * slow one would replace the lock of a faster one, which is a living owner now.
 */
async function takeOver(dead: LockFile, own: OwnFile, { path, depth }: Attempt): Promise<boolean> {
  if (depth >= TAKEOVER_DEPTH_MAX) return false;
  const guard = await acquireAtDepth({ path: `${path}.takeover`, depth: depth + 1 });
  if (guard.kind === 'held') return false;
  try {
    if (readLock(path)?.text !== dead.text) return false;
    renameSync(own.path, path);
    if (dead.socket !== undefined) rmSync(dead.socket, { force: true });
    return true;
  } finally {
    guard.release();
  }
}

function locked(path: string, own: OwnFile): Locked {
  return {
    kind: 'locked',
    release: () => {
      if (readLock(path)?.text === own.text) rmSync(path, { force: true });
      own.stopListening();
    },
  };
}

/** Random, because process numbers of two containers may be the same. */
async function makeOwnFile(path: string): Promise<OwnFile> {
  const own = join(dirname(path), `.${basename(path)}.${systemRandom.bytes(8).toString('hex')}`);
  const identity = thisProcess();
  const socket = `${own}.socket`;
  // The socket listens before the lock is visible, because others may connect at once.
  const stopListening = identity.namespace === '' ? undefined : await listenAt(socket);
  const asked = stopListening === undefined ? {} : { socket: basename(socket) };
  const since = new Date(systemClock.now()).toISOString();
  const text = `${JSON.stringify({ ...identity, since, file: basename(own), ...asked })}\n`;
  try {
    writeFileSync(own, text, { mode: 0o600 });
  } catch (error) {
    stopListening?.();
    throw error;
  }
  return { path: own, text, stopListening: () => stopListening?.() };
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
  let file: number;
  try {
    // Opened again each time, because a network file system may return a cached state.
    file = openSync(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const text = readFileSync(file, 'utf8').slice(0, LOCK_FILE_BYTES_MAX);
    const since = /"since":"([0-9TZ:.-]{1,30})"/.exec(text)?.[1] ?? 'an unknown time';
    // A name without a slash: it is beside the lock.
    const name = /"socket":"(\.[\w.-]{1,100}\.socket)"/.exec(text)?.[1];
    const socket = name === undefined ? undefined : join(dirname(path), name);
    return { text, owner: parseIdentity(text), since, socket };
  } finally {
    closeSync(file);
  }
}
