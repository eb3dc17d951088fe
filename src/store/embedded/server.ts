import { execFile } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir, totalmem } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import {
  EMBEDDED_CACHE_BYTES_MAX,
  EMBEDDED_CACHE_BYTES_MIN,
  EMBEDDED_CACHE_SHARE,
  EMBEDDED_LOG_BYTES_MAX,
  EMBEDDED_LOG_TAIL_BYTES,
  EMBEDDED_START_MS,
  EMBEDDED_STOP_MS,
} from '../../bounds.ts';
import type { Logger } from '../../kernel/log.ts';
import { systemClock } from '../../kernel/time/clock.ts';
import { prepareDataDirectory } from './data-directory.ts';
import { acquireLock, type Locked } from './lock.ts';
import { type EmbeddedPlace, EmbeddedUnavailable, preparePlace } from './place.ts';
import { findLastSocketDirectory, findPostmaster, type Postmaster, runsOn } from './postmaster.ts';
import { isAlive, parseIdentity, thisProcess } from './process-identity.ts';

export interface EmbeddedServer {
  /** A PostgreSQL URL for `openDatabase`. */
  readonly connection: string;
  /** False if the server is gone without being stopped: it was killed, or it crashed. */
  isRunning(): boolean;
  /** Starts it again, at the same address, unless another process did. */
  revive(): Promise<void>;
  /** Ends the use by this process. The stop of the last user stops the server. */
  stop(): Promise<void>;
}

const execute = promisify(execFile);
const PORT = 5432;
const LOG_NAME = 'server.log';
const USER = 'tollgate';
const SOCKET_PREFIX = 'tollgate-socket-';
/** The shortest limit of a socket's path is macOS's, 103 bytes (Linux: 107). */
const SOCKET_PATH_BYTES_MAX = 103;
const LOCK_POLL_MS = 50;

/**
 * The private server of a data directory: started, or found running. Server and command line both call
 * this. Each use is noted in the data directory, so the last user stops the server, and a killed
 * process does not count.
 */
export async function startEmbedded(givenDirectory: string, log: Logger): Promise<EmbeddedServer> {
  const dataDirectory = prepareDataDirectory(givenDirectory);
  return await underLock(dataDirectory, async () => {
    const place = preparePlace(dataDirectory);
    const running = await findPostmaster(place.cluster);
    let postmaster = running ?? (await start(place, log));
    if (running !== undefined)
      log.info({ databasePid: running.pid }, 'using the embedded database that is already running');
    noteUse(dataDirectory);
    return {
      connection: connectionTo(postmaster),
      isRunning: () => runsOn(postmaster.pid, place.cluster),
      revive: async () => {
        postmaster = await revive(place, postmaster.socketDirectory, log);
      },
      stop: () => leave(place, log),
    };
  });
}

function revive(place: EmbeddedPlace, socketDirectory: string, log: Logger): Promise<Postmaster> {
  return underLock(place.dataDirectory, async () => {
    return (await findPostmaster(place.cluster)) ?? (await start(place, log, socketDirectory));
  });
}

function leave(place: EmbeddedPlace, log: Logger): Promise<void> {
  return underLock(place.dataDirectory, async () => {
    if (!endUse(place.dataDirectory)) return;
    const postmaster = await findPostmaster(place.cluster);
    if (postmaster === undefined) return;
    await control(place, ['stop', '-m', 'fast', '-w', '-t', String(EMBEDDED_STOP_MS / 1000)]);
    removeOwnSocketDirectory(postmaster.socketDirectory);
    log.info({ databasePid: postmaster.pid }, 'the embedded database stopped');
  });
}

function connectionTo(postmaster: Postmaster): string {
  const host = encodeURIComponent(postmaster.socketDirectory);
  return `postgresql://${USER}@localhost/postgres?host=${host}&port=${postmaster.port}`;
}

/** Starting and stopping are short, so other processes wait for them. */
async function underLock<T>(dataDirectory: string, work: () => Promise<T>): Promise<T> {
  const deadlineMs = systemClock.monotonic() + EMBEDDED_START_MS;
  let lock: Locked | undefined;
  while (lock === undefined) {
    const result = await acquireLock(join(dataDirectory, 'postgres.lock'));
    if (result.kind === 'locked') lock = result;
    else if (systemClock.monotonic() < deadlineMs) await sleep(LOCK_POLL_MS);
    else
      throw new EmbeddedUnavailable(`process ${result.pid} has been starting the embedded database too long`);
  }
  try {
    return await work();
  } finally {
    lock.release();
  }
}

/** A new server takes over the old one's address, because connected processes have that address. */
async function start(place: EmbeddedPlace, log: Logger, lastDirectory?: string): Promise<Postmaster> {
  const { cluster } = place;
  if (!existsSync(cluster)) await initialise(place);
  if (lastDirectory === undefined) removeOwnSocketDirectory(findLastSocketDirectory(cluster) ?? '');
  const socketDirectory = lastDirectory ?? chooseSocketDirectory(place);
  writeSettings(place, socketDirectory);
  const logFile = join(cluster, LOG_NAME);
  if ((statSync(logFile, { throwIfNoEntry: false })?.size ?? 0) > EMBEDDED_LOG_BYTES_MAX) rmSync(logFile);
  let cause: unknown;
  try {
    await control(place, ['start', '-w', '-t', String(EMBEDDED_START_MS / 1000), '-l', LOG_NAME]);
  } catch (error) {
    cause = error;
  }
  const postmaster = cause === undefined ? await findPostmaster(cluster) : undefined;
  if (postmaster === undefined) {
    if (lastDirectory === undefined) removeOwnSocketDirectory(socketDirectory);
    throw new EmbeddedUnavailable(`the embedded database did not start: ${logTail(logFile)}`, { cause });
  }
  log.info({ databasePid: postmaster.pid }, 'the embedded database started');
  return postmaster;
}

/** Created aside and moved into place when complete, so that a kill leaves all of it or nothing. */
async function initialise(place: EmbeddedPlace): Promise<void> {
  const name = basename(place.cluster);
  for (const entry of readdirSync(place.dataDirectory)) {
    if (entry.startsWith(`${name}.new-`)) rmSync(join(place.dataDirectory, entry), { recursive: true });
  }
  const unfinished = join(place.dataDirectory, `${name}.new-${process.pid}`);
  mkdirSync(unfinished, { mode: 0o700 });
  if (place.user !== undefined) chownSync(unfinished, place.user.uid, place.user.gid);
  // Trust is safe here: the only access is a socket in a directory that is closed to other users.
  await execute(
    join(place.binaries, 'initdb'),
    ['-D', unfinished, '-U', USER, '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-instructions'],
    executeOptions(place),
  );
  renameSync(unfinished, place.cluster);
}

/** These settings are written at every start. Those of an operator are in `custom.conf`, read last. */
function writeSettings(place: EmbeddedPlace, socketDirectory: string): void {
  const settings = [
    "listen_addresses = ''",
    `port = ${PORT}`,
    `unix_socket_directories = ${quoteDirectory(socketDirectory)}`,
    'unix_socket_permissions = 0700',
    'fsync = on',
    'max_connections = 100',
    `shared_buffers = ${Math.floor(cacheBytes() / 1024)}kB`,
    'jit = off',
    // Statements are not logged, because they may contain secrets and content.
    'log_min_messages = log',
    'log_min_error_statement = panic',
    'log_checkpoints = off',
    "include_if_exists = 'custom.conf'",
    '',
  ];
  const path = join(place.cluster, 'postgresql.conf');
  writeFileSync(path, settings.join('\n'), { mode: 0o600 });
  if (place.user !== undefined) chownSync(path, place.user.uid, place.user.gid);
}

/**
 * By default PostgreSQL keeps 128 MiB, which is too small for some ten thousand active accounts: beyond it
 * their wallets and hours are read and evicted all the time.
 */
function cacheBytes(): number {
  // A container may have less than its machine; without a limit the figure is 0 or beyond all memory.
  const memoryBytes = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
  const bytes = Math.min(EMBEDDED_CACHE_BYTES_MAX, memoryBytes * EMBEDDED_CACHE_SHARE);
  return Math.max(EMBEDDED_CACHE_BYTES_MIN, bytes);
}

/** The setting is a list, so the name is quoted for the list and then for the file. */
function quoteDirectory(directory: string): string {
  return `'${`"${directory.replaceAll('"', '""')}"`.replaceAll("'", "''")}'`;
}

/** In the cluster, which is closed to others. If its path is too long for a socket, a short one is used. */
function chooseSocketDirectory(place: EmbeddedPlace): string {
  const socket = join(place.cluster, `.s.PGSQL.${PORT}`);
  if (Buffer.byteLength(socket) <= SOCKET_PATH_BYTES_MAX) return place.cluster;
  const directory = mkdtempSync(join(tmpdir(), SOCKET_PREFIX));
  chmodSync(directory, 0o700);
  if (place.user !== undefined) chownSync(directory, place.user.uid, place.user.gid);
  return directory;
}

function removeOwnSocketDirectory(directory: string): void {
  if (dirname(directory) !== tmpdir() || !basename(directory).startsWith(SOCKET_PREFIX)) return;
  rmSync(directory, { recursive: true, force: true });
}

/** pg_ctl hands its arguments to a shell, so paths are relative: a directory's name is not a program. */
function control(place: EmbeddedPlace, command: readonly string[]): Promise<unknown> {
  const options = { ...executeOptions(place), cwd: place.cluster };
  return execute(join(place.binaries, 'pg_ctl'), [...command, '-s', '-D', '.'], options);
}

/** An empty environment, because variables such as PGPORT or PGDATA would change the binaries' behaviour. */
function executeOptions(place: EmbeddedPlace) {
  const env = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
  const timeout = EMBEDDED_START_MS + EMBEDDED_STOP_MS;
  return { cwd: place.dataDirectory, env, timeout, ...place.user };
}

function logTail(path: string): string {
  const text = existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
  return text.subarray(-EMBEDDED_LOG_TAIL_BYTES).toString().trim();
}

const usersDirectory = (dataDirectory: string): string => join(dataDirectory, 'postgres-users');
/** One process may use it several times (tests do), so each use is its own note. */
const uses = new Map<string, number>();

function noteUse(dataDirectory: string): void {
  const directory = usersDirectory(dataDirectory);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const own = thisProcess();
  writeFileSync(join(directory, String(own.pid)), JSON.stringify(own), { mode: 0o600 });
  uses.set(dataDirectory, (uses.get(dataDirectory) ?? 0) + 1);
}

/** Removes the note of this process. Returns whether there is no other user. */
function endUse(dataDirectory: string): boolean {
  const left = (uses.get(dataDirectory) ?? 1) - 1;
  uses.set(dataDirectory, left);
  if (left > 0) return false;
  const directory = usersDirectory(dataDirectory);
  rmSync(join(directory, String(process.pid)), { force: true });
  for (const name of readdirSync(directory)) {
    const path = join(directory, name);
    const identity = parseIdentity(readFileSync(path, 'utf8'));
    if (identity !== undefined && isAlive(identity)) return false;
    rmSync(path, { force: true });
  }
  return true;
}
