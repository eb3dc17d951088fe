import { readdirSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { listSegments, segmentPath } from '../../ledger/journal/segment.ts';

/** A file of a journal. The name is relative to the data directory. */
export interface JournalFile {
  readonly name: string;
  readonly content: Buffer;
}

/** Names of journal files, as a backup has them. */
export const JOURNAL_FILE = /^((?:workers\/[1-9]\d?\/)?journal)\/(\d{6,12}|rejected)\.log$/;

const LINE_FEED = 0x0a;

/**
 * The journals of a data directory as they are at a moment of the database. Files are opened before and after
 * that moment: an open file keeps its content, although a server that has settled its calls deletes it.
 */
export class JournalFiles {
  readonly #dataDirectory: string;
  readonly #open = new Map<string, FileHandle>();
  /** The newest segment of each folder. */
  readonly #newest = new Map<string, number>();

  constructor(dataDirectory: string) {
    this.#dataDirectory = dataDirectory;
  }

  /** Opens what is there. A file that is gone meanwhile has calls that the database has too. */
  async openAll(): Promise<void> {
    for (const folder of journalFolders(this.#dataDirectory)) {
      const directory = join(this.#dataDirectory, folder);
      for (const number of await listSegments(directory)) {
        const path = segmentPath(directory, number);
        await this.#take(`${folder}${path.slice(directory.length)}`);
        this.#newest.set(folder, number);
      }
      await this.#take(`${folder}/rejected.log`);
    }
  }

  /**
   * Opens what was created since. False if a segment was created and deleted meanwhile: the moment between
   * may need it, so another one must be chosen.
   */
  async openNew(): Promise<boolean> {
    for (const folder of journalFolders(this.#dataDirectory)) {
      const before = this.#newest.get(folder) ?? 0;
      const numbers = await listSegments(join(this.#dataDirectory, folder));
      const fresh = numbers.filter((number) => number > before);
      if (fresh.some((number, index) => number !== before + 1 + index)) return false;
    }
    await this.openAll();
    return true;
  }

  /** Whole lines only: a line that is being written belongs to a later moment. */
  async *contents(): AsyncGenerator<JournalFile> {
    for (const [name, file] of this.#open) {
      const { size } = await file.stat();
      const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(size), position: 0 });
      const content = buffer.subarray(0, buffer.subarray(0, bytesRead).lastIndexOf(LINE_FEED) + 1);
      if (content.length > 0) yield { name, content };
    }
  }

  async close(): Promise<void> {
    for (const file of this.#open.values()) await file.close();
  }

  async #take(name: string): Promise<void> {
    if (this.#open.has(name)) return;
    try {
      this.#open.set(name, await open(join(this.#dataDirectory, name), 'r'));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
}

/** `journal`, and those of workers, as far as they are there. */
export function journalFolders(dataDirectory: string): readonly string[] {
  const workers = list(join(dataDirectory, 'workers')).filter((name) => /^[1-9]\d?$/.test(name));
  const folders = ['', ...workers.map((number) => `workers/${number}/`)].map((each) => `${each}journal`);
  return folders.filter((folder) => list(join(dataDirectory, folder)).length > 0);
}

function list(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
