import {
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
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
  writeFileSync(own, `${newSecret(random)}\n`, { mode: 0o600 });
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

/** A new secret, as it is made for a data directory. */
export function newSecret(random: Random): string {
  return random.bytes(SECRET_BYTES).toString('base64url');
}

/** The new secret of a rotation, from before the data is sealed with it until it is the one in use. */
export class NextSecret {
  readonly #path: string;
  readonly #next: string;

  constructor(dataDirectory: string) {
    this.#path = secretPath(dataDirectory);
    this.#next = `${this.#path}.new`;
  }

  find(): string | undefined {
    return readIfThere(this.#next);
  }

  write(secret: string): void {
    const file = openSync(this.#next, 'w', 0o600);
    try {
      writeSync(file, `${secret}\n`);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    syncDirectory(dirname(this.#path));
  }

  /** Puts it into place at once, and answers where the old one is kept: older backups need it. */
  putInPlace(): string {
    const prefix = `${this.#path}.before-rotation-`;
    const directory = dirname(this.#path);
    const taken = readdirSync(directory).filter((name) => join(directory, name).startsWith(prefix));
    const kept = `${prefix}${taken.length + 1}`;
    linkSync(this.#path, kept);
    renameSync(this.#next, this.#path);
    syncDirectory(directory);
    return kept;
  }
}

function syncDirectory(path: string): void {
  const directory = openSync(path, 'r');
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
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
