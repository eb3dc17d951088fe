import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endServer, SHARED_SERVER } from '../servers/postgres-server.ts';
import { clearFolder } from './leftovers.ts';

/** What a shell answers for a program that was asked to end. */
const EXIT_TERMINATED = 143;

/**
 * Around all files of a run: one database server, which the first file that needs it starts. A server for
 * each of a hundred files would cost more time than what they prove on it. Its folder is the temporary folder
 * of the run, so a run that is broken off leaves no process and no file behind either.
 */
export default function beginRun(): () => Promise<void> {
  // Short: the path of a socket has room for a hundred characters.
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-'));
  chmodSync(folder, 0o711);
  process.env[SHARED_SERVER] = folder;
  process.env.TMPDIR = folder;
  process.once('SIGTERM', () => process.exit(EXIT_TERMINATED));
  process.once('exit', () => clearFolder(folder));
  return () => endServer(folder);
}
