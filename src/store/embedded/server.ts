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
import { systemRandom } from '../../kernel/random.ts';
import { systemClock } from '../../kernel/time/clock.ts';
import { prepareDataDirectory } from './data-directory.ts';
import { acquireLock, type Locked } from './lock.ts';
import { findPassword, fingerprintOf, makePassword, passwordPath, verifierOf } from './password.ts';
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
/** In the cluster: which password its server asks for. */
const FINGERPRINT_NAME = 'tollgate-password.sha256';
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
    const found = findPassword(dataDirectory);
    const running = await findUsable(place, found, log);
    const password = found ?? makePassword(dataDirectory, systemRandom);
    let postmaster = running ?? (await start({ ...place, password }, log));
    if (running !== undefined)
      log.info({ databasePid: running.pid }, 'using the embedded database that is already running');
    noteUse(dataDirectory);
    return {
      connection: connectionTo(postmaster, password),
      isRunning: () => runsOn(postmaster.pid, place.cluster),
      revive: async () => {
        postmaster = await revive({ ...place, password }, postmaster.socketDirectory, log);
      },
      stop: () => leave(place, log),
    };
  });
}

/** What a start needs. The password is that of the file, or of the connections that are to be restored. */
interface ClosedPlace extends EmbeddedPlace {
  readonly password: string;
}

function revive(place: ClosedPlace, socketDirectory: string, log: Logger): Promise<Postmaster> {
  return underLock(place.dataDirectory, async () => {
    return (await findPostmaster(place.cluster)) ?? (await start(place, log, socketDirectory));
  });
}

/**
 * The server that runs already and takes the password. One that an older version left running takes any: it
 * is used only as long as that version uses it, and otherwise stopped, so that the next start closes it.
 */
async function findUsable(
  place: EmbeddedPlace,
  password: string | undefined,
  log: Logger,
): Promise<Postmaster | undefined> {
  const running = await findPostmaster(place.cluster);
  const asked = readFingerprint(place);
  if (running === undefined || (password !== undefined && asked === fingerprintOf(password))) return running;
  if (!hasUsers(place.dataDirectory)) {
    await stopServer(place, running, log);
    return undefined;
  }
  if (asked === undefined) return running;
  throw new EmbeddedUnavailable(
    `${passwordPath(place.dataDirectory)} is not the password of the embedded database that is running: ` +
      'stop the server and start it again',
  );
}

function leave(place: EmbeddedPlace, log: Logger): Promise<void> {
  return underLock(place.dataDirectory, async () => {
    if (!endUse(place.dataDirectory)) return;
    const postmaster = await findPostmaster(place.cluster);
    if (postmaster !== undefined) await stopServer(place, postmaster, log);
  });
}

async function stopServer(place: EmbeddedPlace, postmaster: Postmaster, log: Logger): Promise<void> {
  await control(place, ['stop', '-m', 'fast', '-w', '-t', String(EMBEDDED_STOP_MS / 1000)]);
  removeOwnSocketDirectory(postmaster.socketDirectory);
  log.info({ databasePid: postmaster.pid }, 'the embedded database stopped');
}

function connectionTo(postmaster: Postmaster, password: string): string {
  const host = encodeURIComponent(postmaster.socketDirectory);
  return `postgresql://${USER}:${password}@localhost/postgres?host=${host}&port=${postmaster.port}`;
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
async function start(place: ClosedPlace, log: Logger, lastDirectory?: string): Promise<Postmaster> {
  const { cluster } = place;
  if (!existsSync(cluster)) await initialise(place);
  if (lastDirectory === undefined) removeOwnSocketDirectory(findLastSocketDirectory(cluster) ?? '');
  const socketDirectory = lastDirectory ?? chooseSocketDirectory(place);
  writeSettings(place, socketDirectory);
  await setPassword(place);
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
async function initialise(place: ClosedPlace): Promise<void> {
  const name = basename(place.cluster);
  for (const entry of readdirSync(place.dataDirectory)) {
    if (entry.startsWith(`${name}.new-`)) rmSync(join(place.dataDirectory, entry), { recursive: true });
  }
  const unfinished = join(place.dataDirectory, `${name}.new-${process.pid}`);
  mkdirSync(unfinished, { mode: 0o700 });
  if (place.user !== undefined) chownSync(unfinished, place.user.uid, place.user.gid);
  const passwordFile = `${unfinished}.verifier`;
  writeForServer(place, passwordFile, verifierOf(place.password, systemRandom));
  await execute(
    join(place.binaries, 'initdb'),
    [
      '-D',
      unfinished,
      '-U',
      USER,
      '-A',
      'scram-sha-256',
      '--pwfile',
      passwordFile,
      '-E',
      'UTF8',
      '--locale=C',
      '--no-instructions',
    ],
    executeOptions(place),
  );
  rmSync(passwordFile);
  writeForServer(place, join(unfinished, FINGERPRINT_NAME), fingerprintOf(place.password));
  renameSync(unfinished, place.cluster);
}

/**
 * A data directory of an older version, or one whose password was lost, gets the password before its server
 * starts: by PostgreSQL's single-user mode, which asks for none and listens nowhere.
 */
async function setPassword(place: ClosedPlace): Promise<void> {
  const { cluster, password } = place;
  if (readFingerprint(place) !== fingerprintOf(password)) {
    const options = { ...executeOptions(place), cwd: cluster };
    const settings = ['exit_on_error=on', 'log_statement=none', 'log_min_error_statement=panic'];
    const args = ['--single', '-D', '.', ...settings.flatMap((setting) => ['-c', setting]), 'postgres'];
    const setting = execute(join(place.binaries, 'postgres'), args, options);
    setting.child.stdin?.on('error', () => undefined);
    setting.child.stdin?.end(`alter role ${USER} password '${verifierOf(password, systemRandom)}'\n`);
    await setting.catch((cause) => {
      throw new EmbeddedUnavailable('the embedded database did not take its password', { cause });
    });
    writeForServer(place, join(cluster, FINGERPRINT_NAME), fingerprintOf(password));
  }
  writeForServer(place, join(cluster, 'pg_hba.conf'), 'local all all scram-sha-256\n');
}

/**
 * Versions before the password start the server with the file as it is. From their next start on it asks for
 * none, until a version like this one starts it.
 */
export function openToOlder(dataDirectory: string): void {
  const cluster = join(dataDirectory, 'postgres');
  rmSync(join(cluster, FINGERPRINT_NAME), { force: true });
  writeFileSync(join(cluster, 'pg_hba.conf'), 'local all all trust\n');
}

function readFingerprint({ cluster }: EmbeddedPlace): string | undefined {
  const path = join(cluster, FINGERPRINT_NAME);
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined;
}

function writeForServer(place: EmbeddedPlace, path: string, text: string): void {
  writeFileSync(path, text, { mode: 0o600, flush: true });
  if (place.user !== undefined) chownSync(path, place.user.uid, place.user.gid);
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
  writeForServer(place, join(place.cluster, 'postgresql.conf'), settings.join('\n'));
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
  rmSync(join(usersDirectory(dataDirectory), String(process.pid)), { force: true });
  return !hasUsers(dataDirectory);
}

/** Removes the notes of dead processes. */
function hasUsers(dataDirectory: string): boolean {
  const directory = usersDirectory(dataDirectory);
  if (!existsSync(directory)) return false;
  for (const name of readdirSync(directory)) {
    const path = join(directory, name);
    const identity = parseIdentity(readFileSync(path, 'utf8'));
    if (identity !== undefined && isAlive(identity)) return true;
    rmSync(path, { force: true });
  }
  return false;
}
