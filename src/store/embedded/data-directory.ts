import { accessSync, chmodSync, constants, existsSync, mkdirSync, realpathSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** The message contains the remedy. */
export class DataDirectoryUnusable extends Error {
  override readonly name = 'DataDirectoryUnusable';
}

/** Creates the data directory if needed and returns its real path, links resolved. */
export function prepareDataDirectory(given: string): string {
  const path = resolve(given);
  try {
    if (!existsSync(path)) {
      makeDirectories(path);
      chmodSync(path, 0o700);
    }
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new DataDirectoryUnusable(
      `the data directory ${path} cannot be used by user ${process.getuid?.()} ` +
        `(${(error as NodeJS.ErrnoException).code}): start Tollgate as its owner, ` +
        'or set TOLLGATE_DATA to another directory',
    );
  }
  return realpathSync(path);
}

/**
 * Each missing directory in turn, because Node's recursive form never returns where a directory cannot
 * be created although its parent exists, as under /proc.
 */
function makeDirectories(path: string): void {
  const parent = dirname(path);
  if (parent !== path && !existsSync(parent)) makeDirectories(parent);
  try {
    mkdirSync(path, { mode: 0o755 });
  } catch (error) {
    // Another process created it at the same moment.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
