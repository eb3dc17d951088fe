import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endServer, SHARED_SERVER } from './postgres-server.ts';

/**
 * Around all files of a run: one database server, which the first file that needs it starts. A server for
 * each of a hundred files would cost more time than what they prove on it.
 */
export default function beginRun(): () => Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-run-'));
  process.env[SHARED_SERVER] = folder;
  return () => endServer(folder);
}
