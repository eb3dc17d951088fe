import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Random } from '../kernel/random.ts';
import { prepareDataDirectory } from './embedded/data-directory.ts';

const SECRET_BYTES = 48;

/** The root secret: as configured, or made once in the data directory, readable by its owner only. */
export function readSecret(configured: string | undefined, dataDirectory: string, random: Random): string {
  if (configured !== undefined) return configured;
  const path = secretPath(dataDirectory);
  const found = readIfThere(path);
  if (found !== undefined) return found;
  prepareDataDirectory(dataDirectory);
  // Written aside and linked into place: two processes that start at once agree on one secret.
  const own = `${path}.${process.pid}`;
  writeFileSync(own, `${random.bytes(SECRET_BYTES).toString('base64url')}\n`, { mode: 0o600 });
  try {
    linkSync(own, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(own, { force: true });
  }
  return readFileSync(path, 'utf8').trim();
}

/** The root secret, if there is one. */
export function findSecret(configured: string | undefined, dataDirectory: string): string | undefined {
  return configured ?? readIfThere(secretPath(dataDirectory));
}

export function secretPath(dataDirectory: string): string {
  return join(dataDirectory, 'secret');
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
