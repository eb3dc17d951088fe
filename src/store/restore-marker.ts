import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DataDirectoryUnusable } from './embedded/data-directory.ts';

/** What a restore has read so far. It is in the data directory from the first change until the last. */
export function restoreFolder(dataDirectory: string): string {
  return join(dataDirectory, 'restore.unfinished');
}

/** No server and no command works on data of which a part is missing. */
export function refuseHalfRestored(dataDirectory: string): void {
  if (!existsSync(restoreFolder(dataDirectory))) return;
  throw new DataDirectoryUnusable(
    `a restore into ${dataDirectory} was interrupted, and what is there is not complete: ` +
      'run "tollgate restore" with the backup again',
  );
}
