import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dropServer, endServer, SHARED_SERVER } from './postgres-server.ts';

/** What a shell answers for a program that was asked to end. */
const EXIT_TERMINATED = 143;

/**
 * Around all files of a run: one database server, which the first file that needs it starts. A server for
 * each of a hundred files would cost more time than what they prove on it.
 */
export default function beginRun(): () => Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-run-'));
  process.env[SHARED_SERVER] = folder;
  // A run that is broken off leaves no server behind either.
  process.once('SIGTERM', () => process.exit(EXIT_TERMINATED));
  process.once('exit', () => dropServer(folder));
  return () => endServer(folder);
}
