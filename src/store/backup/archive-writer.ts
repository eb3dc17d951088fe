import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream, existsSync, openSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip, type Gzip } from 'node:zlib';
import type { Clock } from '../../kernel/time/clock.ts';
import { BACKUP_COMPRESSION } from './bounds.ts';
import { BLOCK_BYTES, encodeTarHeader, paddingOf } from './tar-header.ts';

/** The last entry. An archive without it is not complete. */
export const END_NAME = 'end.json';

/** The place of a backup is not free, or cannot be written. */
export class ArchiveRefused extends Error {
  override readonly name = 'ArchiveRefused';
}

/**
 * Writes an archive: a tar file, compressed with gzip, whose last entry has the SHA-256 of all bytes before
 * it. It has another name until it is complete and on the disk, so a name without `.unfinished-` is a whole
 * archive.
 */
export class ArchiveWriter {
  readonly #path: string;
  readonly #unfinished: string;
  readonly #gzip: Gzip = createGzip({ level: BACKUP_COMPRESSION });
  readonly #hash = createHash('sha256');
  readonly #written: Promise<void>;
  readonly #clock: Clock;
  #failure: Error | undefined;

  /** Readable for its owner only: it contains password hashes, and perhaps the secret. */
  constructor(path: string, clock: Clock) {
    if (existsSync(path)) throw new ArchiveRefused(`${path} exists; give another name, or remove it`);
    this.#path = path;
    this.#clock = clock;
    this.#unfinished = `${path}.unfinished-${process.pid}`;
    const file = createWriteStream('', { fd: openSync(this.#unfinished, 'w', 0o600) });
    this.#written = pipeline(this.#gzip, file);
    this.#written.catch((error: Error) => {
      this.#failure = error;
    });
  }

  async add(name: string, content: Buffer): Promise<void> {
    await this.#write(encodeTarHeader({ name, bytes: content.length }, this.#clock.now()));
    await this.#write(content);
    await this.#write(Buffer.alloc(paddingOf(content.length)));
  }

  /** The archive has its name when this returns. Answers its size. */
  async finish(end: object): Promise<number> {
    const sha256 = this.#hash.digest('hex');
    const content = Buffer.from(`${JSON.stringify({ sha256, ...end })}\n`);
    await this.#send(encodeTarHeader({ name: END_NAME, bytes: content.length }, this.#clock.now()));
    await this.#send(content);
    await this.#send(Buffer.alloc(paddingOf(content.length) + 2 * BLOCK_BYTES));
    this.#gzip.end();
    await this.#written;
    const file = await open(this.#unfinished, 'r+');
    try {
      await file.sync();
      const { size } = await file.stat();
      if (existsSync(this.#path)) throw new ArchiveRefused(`${this.#path} exists now; it is left as it is`);
      await rename(this.#unfinished, this.#path);
      await syncDirectory(dirname(this.#path));
      return size;
    } finally {
      await file.close();
    }
  }

  /** Leaves nothing. */
  async discard(): Promise<void> {
    this.#gzip.destroy();
    await this.#written.catch(() => undefined);
    await rm(this.#unfinished, { force: true });
  }

  async #write(bytes: Buffer): Promise<void> {
    this.#hash.update(bytes);
    await this.#send(bytes);
  }

  async #send(bytes: Buffer): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    if (bytes.length === 0 || this.#gzip.write(bytes)) return;
    // A full disk ends the pipeline, and there is no drain any more.
    await Promise.race([once(this.#gzip, 'drain').catch(() => undefined), this.#written]);
    if (this.#failure !== undefined) throw this.#failure;
  }
}

/** The names in a directory are on the disk when this returns. */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
