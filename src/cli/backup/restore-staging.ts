import { existsSync, readdirSync } from 'node:fs';
import { chmod, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ArchiveDamaged, type ArchiveEntry } from '../../store/backup/archive-reader.ts';
import { syncDirectory } from '../../store/backup/archive-writer.ts';
import { restoreFolder } from '../../store/restore-marker.ts';
import { secretPath } from '../../store/secret-file.ts';
import { JOURNAL_FILE, journalFolders } from './journal-files.ts';

/**
 * The files of a backup on their way into the data directory. As long as their folder is there, no server
 * starts (`refuseHalfRestored`), and the restore can be repeated.
 */
export class RestoreStaging {
  readonly #dataDirectory: string;
  readonly #folder: string;
  readonly #files: string[] = [];
  /** An earlier restore was interrupted. */
  readonly isHalf: boolean;
  #isMoved = false;

  constructor(dataDirectory: string) {
    this.#dataDirectory = dataDirectory;
    this.#folder = restoreFolder(dataDirectory);
    this.isHalf = existsSync(this.#folder);
  }

  /** From now on the data directory is not complete. */
  async begin(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
    await mkdir(this.#folder, { mode: 0o700 });
    await syncDirectory(this.#dataDirectory);
  }

  async take({ name, content }: ArchiveEntry, prefix: string): Promise<void> {
    const relative = name.slice(prefix.length);
    if (!JOURNAL_FILE.test(relative)) throw new ArchiveDamaged(`the backup has an unknown file: ${name}`);
    await writeFile(join(this.#folder, relative), content);
    this.#files.push(relative);
  }

  async writeSecret(secret: string): Promise<void> {
    const path = secretPath(this.#dataDirectory);
    const staged = join(this.#folder, 'secret');
    await writeFile(staged, [Buffer.from(`${secret}\n`)]);
    this.#isMoved = true;
    await this.#setAside(path);
    await rename(staged, path);
    await syncDirectory(this.#dataDirectory);
  }

  /** Journals that were there belong to other books. They are kept beside. */
  async putInPlace(): Promise<void> {
    this.#isMoved = true;
    for (const folder of journalFolders(this.#dataDirectory)) {
      await this.#setAside(join(this.#dataDirectory, folder));
    }
    for (const relative of this.#files) {
      const path = join(this.#dataDirectory, relative);
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await rename(join(this.#folder, relative), path);
      await syncDirectory(dirname(path));
    }
  }

  async finish(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
    await syncDirectory(this.#dataDirectory);
  }

  /** After a refusal: nothing was changed, unless files were moved, or an earlier restore did. */
  async abandon(): Promise<void> {
    if (!this.isHalf && !this.#isMoved) await this.finish();
  }

  /** `journal.before-restore-1`, with the first number that is free. */
  async #setAside(path: string): Promise<void> {
    if (!existsSync(path)) return;
    const prefix = `${path}.before-restore-`;
    const taken = readdirSync(dirname(path)).filter((name) => join(dirname(path), name).startsWith(prefix));
    await rename(path, `${prefix}${taken.length + 1}`);
  }
}

async function writeFile(path: string, content: AsyncIterable<Buffer> | Iterable<Buffer>): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const file = await open(path, 'w', 0o600);
  try {
    for await (const part of content) await file.writeFile(part);
    await file.sync();
  } finally {
    await file.close();
  }
  await chmod(path, 0o600);
}
