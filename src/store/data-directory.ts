import { accessSync, chmodSync, constants, existsSync, mkdirSync, realpathSync } from 'node:fs';
import { resolve } from 'node:path';

/** The message says what to do about it. */
export class DataDirectoryUnusable extends Error {
  override readonly name = 'DataDirectoryUnusable';
}

/** Makes the data directory if there is none and answers its one true path, links resolved. */
export function prepareDataDirectory(given: string): string {
  const path = resolve(given);
  try {
    if (!existsSync(path)) {
      mkdirSync(path, { recursive: true, mode: 0o755 });
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
