import { accessSync, chmodSync, constants, mkdtempSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from '../../house/tree.ts';
import { endServer, SHARED_SERVER } from '../servers/postgres-server.ts';
import { clearFolder } from './leftovers.ts';

/** What a shell answers for a program that was asked to end. */
const EXIT_TERMINATED = 143;
const BEGUN = Symbol.for('tollgate.test-run');

/** A folder in memory, for a server whose data is thrown away. Containers often have 64 MiB of it. */
const MEMORY = '/dev/shm';
const MEMORY_BYTES_MIN = 2 * 1024 ** 3;

/**
 * Around all files of a run: one database server, which the first file that needs it starts. A server for
 * each of a hundred files would cost more time than what they prove on it. Folders of the run go with it, so
 * a run that is broken off leaves no process and no file behind either.
 */
export default function beginRun(): (() => Promise<void>) | undefined {
  // Each project of a run begins it; the first does.
  if (BEGUN in process) return undefined;
  Object.assign(process, { [BEGUN]: true });
  // Short: the path of a socket has room for a hundred characters.
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-'));
  chmodSync(folder, 0o711);
  process.env.TMPDIR = folder;
  const serverFolder = makeServerFolder();
  process.env[SHARED_SERVER] = serverFolder;
  // Programs of the tests, and the processes of the runner, are compiled once.
  process.env.NODE_COMPILE_CACHE ??= join(projectRoot, 'node_modules', '.cache', 'tollgate');
  process.once('SIGTERM', () => process.exit(EXIT_TERMINATED));
  // Not before: the processes of the runner belong to the folder too, and end after this function's answer.
  process.once('exit', () => {
    clearFolder(folder);
    clearFolder(serverFolder);
  });
  return () => endServer(serverFolder);
}

/** In memory if there is enough of it: most of what tests do to databases is to make and remove files. */
function makeServerFolder(): string {
  const folder = mkdtempSync(join(hasMemory() ? MEMORY : tmpdir(), 'tollgate-'));
  chmodSync(folder, 0o711);
  return folder;
}

function hasMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    accessSync(MEMORY, constants.W_OK);
    return bavail * bsize >= MEMORY_BYTES_MIN;
  } catch {
    return false;
  }
}
