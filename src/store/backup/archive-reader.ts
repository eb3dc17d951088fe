import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { isJsonObject, parseJson } from '../../kernel/encoding/json.ts';
import { END_NAME } from './archive-writer.ts';
import { BACKUP_ABOUT_BYTES_MAX } from './bounds.ts';
import { BLOCK_BYTES, decodeTarHeader, paddingOf, type TarHeader } from './tar-header.ts';

/** The file is no complete backup. The message says what is wrong with it. */
export class ArchiveDamaged extends Error {
  override readonly name = 'ArchiveDamaged';
}

export interface ArchiveEntry {
  readonly name: string;
  readonly bytes: number;
  /** Must be read to its end before the next entry is asked for. */
  readonly content: AsyncIterable<Buffer>;
}

const JSON_DEPTH_MAX = 8;

/**
 * The entries of an archive, in order. What was read is right only when `end` is known: an archive that was
 * cut off or changed throws before.
 */
export class ArchiveReader {
  readonly #path: string;
  #end: Readonly<Record<string, unknown>> | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** The last entry, which proves that the others are complete. */
  get end(): Readonly<Record<string, unknown>> {
    if (this.#end === undefined) throw new ArchiveDamaged('the backup was not read to its end');
    return this.#end;
  }

  async *entries(): AsyncGenerator<ArchiveEntry> {
    const bytes = new ByteReader(unpack(this.#path));
    const hash = createHash('sha256');
    try {
      for (;;) {
        const block = await bytes.take(BLOCK_BYTES);
        const header = decodeTarHeader(block);
        if (header === 'damaged') throw new ArchiveDamaged('the file is not a backup, or it is damaged');
        if (header === 'end') throw new ArchiveDamaged('the backup is not complete: its end is missing');
        if (header.name === END_NAME) {
          this.#end = readEnd(await readAll(bytes.content(header.bytes), header), hash.digest('hex'));
          return;
        }
        hash.update(block);
        let left = header.bytes;
        const content = watched(bytes.content(header.bytes), (part) => {
          hash.update(part);
          left -= part.length;
        });
        yield { ...header, content };
        if (left !== 0) throw new Error(`the entry ${header.name} was not read to its end`);
        hash.update(await bytes.take(paddingOf(header.bytes)));
      }
    } finally {
      await bytes.close();
    }
  }
}

/** The content of a small entry as an object. */
export async function readObject(entry: ArchiveEntry): Promise<Readonly<Record<string, unknown>>> {
  const value = parseObject(await readAll(entry.content, entry));
  if (value === undefined) throw new ArchiveDamaged(`the entry ${entry.name} cannot be read`);
  return value;
}

function readEnd(text: string, sha256: string): Readonly<Record<string, unknown>> {
  const end = parseObject(text);
  if (end === undefined) throw new ArchiveDamaged('the end of the backup cannot be read');
  if (end.sha256 !== sha256) throw new ArchiveDamaged('the backup is damaged: its checksum does not match');
  return end;
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  const parsed = parseJson(text, { bytesMax: BACKUP_ABOUT_BYTES_MAX, depthMax: JSON_DEPTH_MAX });
  return parsed.kind === 'parsed' && isJsonObject(parsed.value) ? parsed.value : undefined;
}

async function readAll(content: AsyncIterable<Buffer>, { name, bytes }: TarHeader): Promise<string> {
  if (bytes > BACKUP_ABOUT_BYTES_MAX) throw new ArchiveDamaged(`the entry ${name} is too large`);
  const parts: Buffer[] = [];
  for await (const part of content) parts.push(part);
  return Buffer.concat(parts).toString('utf8');
}

async function* watched(content: AsyncIterable<Buffer>, see: (part: Buffer) => void): AsyncGenerator<Buffer> {
  for await (const part of content) {
    see(part);
    yield part;
  }
}

/** Bytes of a compressed file, with an error for people if it is cut off or no such file. */
async function* unpack(path: string): AsyncGenerator<Buffer> {
  const unpacked = createGunzip();
  const reading = pipeline(createReadStream(path), unpacked);
  reading.catch(() => undefined);
  try {
    for await (const chunk of unpacked) yield chunk as Buffer;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code?.startsWith('Z_') === true)
      throw new ArchiveDamaged(`the backup is not complete, or it is damaged: ${message}`);
    throw error;
  } finally {
    unpacked.destroy();
  }
}

/** Exactly so many bytes at a time, of chunks of any size. */
class ByteReader {
  readonly #chunks: AsyncGenerator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(chunks: AsyncGenerator<Buffer>) {
    this.#chunks = chunks;
  }

  async take(count: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for await (const part of this.content(count)) parts.push(part);
    return Buffer.concat(parts);
  }

  async *content(count: number): AsyncGenerator<Buffer> {
    for (let left = count; left > 0; ) {
      if (this.#rest.length === 0) await this.#fill();
      const part = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(part.length);
      left -= part.length;
      yield part;
    }
  }

  async close(): Promise<void> {
    await this.#chunks.return(undefined);
  }

  async #fill(): Promise<void> {
    const { done, value } = await this.#chunks.next();
    if (done === true) throw new ArchiveDamaged('the backup is not complete: it ends too early');
    this.#rest = value;
  }
}
