import { chmodSync, existsSync, mkdirSync, realpathSync } from 'node:fs';
import { resolve } from 'node:path';

/** Makes the data directory if there is none and answers its one true path, links resolved. */
export function prepareDataDirectory(given: string): string {
  const path = resolve(given);
  if (!existsSync(path)) {
    mkdirSync(path, { recursive: true, mode: 0o755 });
    chmodSync(path, 0o700);
  }
  return realpathSync(path);
}
