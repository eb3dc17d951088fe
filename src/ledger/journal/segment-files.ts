import { closeSync, fdatasync, fsync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import { open as openFile, unlink } from 'node:fs/promises';
import { promisify } from 'node:util';
import { assert } from '../../kernel/assert.ts';
import type { Logger } from '../../kernel/log.ts';
import { segmentPath } from './segment.ts';

const syncData = promisify(fdatasync);
const syncAll = promisify(fsync);

/** `fs.writeSync` at a position. A test may simulate a full disk. */
export type WriteAt = (descriptor: number, bytes: Buffer, length: number, position: number) => number;

export interface SegmentFilesOptions {
  readonly directory: string;
  readonly firstNumber: number;
  readonly segmentBytes: number;
  readonly syncMs: number;
  readonly log: Logger;
  readonly write?: WriteAt | undefined;
  /** The disk did not take the bytes. */
  readonly onSyncError: (error: unknown) => void;
}

/** One file of the journal. It is deleted when nothing pins it and it is no longer written. */
export interface Segment {
  readonly number: number;
  readonly path: string;
  readonly descriptor: number;
  bytes: number;
  pins: number;
}

/** The location of a record. */
export interface Location {
  readonly segment: Segment;
  readonly offset: number;
  readonly bytes: number;
}

/**
 * The files of the journal: append, rotation, group sync and deletion. A write is positional, so the next one
 * overwrites what a failed write left. After a crash that is a torn line at the end.
 */
export class SegmentFiles {
  readonly #options: SegmentFilesOptions;
  readonly #write: WriteAt;
  readonly #live = new Set<Segment>();
  readonly #dirty = new Set<Segment>();
  readonly #doomed = new Set<Segment>();
  /** Segments with a failed sync. Another sync may succeed without writing what they lack. */
  readonly #suspect = new Set<Segment>();
  #current: Segment;
  #bytes = 0;
  #directoryDirty = true;
  #timer: NodeJS.Timeout | undefined;
  #syncing: Promise<void> | undefined;

  constructor(options: SegmentFilesOptions) {
    this.#options = options;
    this.#write =
      options.write ?? ((descriptor, bytes, length, at) => writeSync(descriptor, bytes, 0, length, at));
    this.#current = this.#create(options.firstNumber);
  }

  get current(): Segment {
    return this.#current;
  }

  /** Bytes of all existing segments. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The bytes are in the operating system when this returns. If not, it throws and has changed nothing. */
  append(bytes: Buffer, length: number): Location {
    if (this.#current.bytes > 0 && this.#current.bytes + length > this.#options.segmentBytes) this.rotate();
    const segment = this.#current;
    const offset = segment.bytes;
    this.#writeAll(bytes, length);
    segment.bytes += length;
    this.#bytes += length;
    this.#dirty.add(segment);
    this.#schedule();
    return { segment, offset, bytes: length };
  }

  rotate(): void {
    const old = this.#current;
    this.#current = this.#create(old.number + 1);
    this.#directoryDirty = true;
    if (old.pins === 0) this.#doom(old);
  }

  /** Writes and discards, to test whether there is space for this much. Throws if not. */
  probe(bytes: Buffer): void {
    this.#writeAll(bytes, bytes.length);
    ftruncateSync(this.#current.descriptor, this.#current.bytes);
  }

  read(location: Location): Buffer {
    const bytes = Buffer.allocUnsafe(location.bytes);
    const count = readSync(location.segment.descriptor, bytes, 0, location.bytes, location.offset);
    return bytes.subarray(0, count);
  }

  pin(segment: Segment): void {
    segment.pins += 1;
  }

  unpin(segment: Segment): void {
    segment.pins -= 1;
    assert(segment.pins >= 0, 'a segment is unpinned as often as it was pinned');
    if (segment.pins === 0 && segment !== this.#current) this.#doom(segment);
  }

  /** The last sync. Segments that are no longer needed are removed, the others stay for the next start. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#syncing;
    clearTimeout(this.#timer);
    if (this.#current.pins === 0) this.#doomed.add(this.#current);
    await this.#sync();
    for (const segment of this.#live) closeSync(segment.descriptor);
    this.#live.clear();
  }

  #writeAll(bytes: Buffer, length: number): void {
    const { descriptor, bytes: position } = this.#current;
    let written = 0;
    try {
      written = this.#write(descriptor, bytes, length, position);
    } finally {
      // Removes what a full disk took of the record. If that fails too, the next write overwrites it.
      if (written !== length) truncateIfPossible(descriptor, position);
    }
    if (written !== length) throw new Error(`journal: ${written} of ${length} bytes written`);
  }

  #create(number: number): Segment {
    const path = segmentPath(this.#options.directory, number);
    const descriptor = openSync(path, 'wx+', 0o600);
    const segment = { number, path, descriptor, bytes: 0, pins: 0 };
    this.#live.add(segment);
    return segment;
  }

  #doom(segment: Segment): void {
    this.#doomed.add(segment);
    this.#schedule();
  }

  /** At most one sync in `syncMs`, and never two at once. */
  #schedule(): void {
    if (this.#timer !== undefined || this.#syncing !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#syncing = this.#sync().finally(() => {
        this.#syncing = undefined;
        if (this.#dirty.size > 0 || this.#removable().length > 0) this.#schedule();
      });
    }, this.#options.syncMs);
  }

  async #sync(): Promise<void> {
    // The records of a segment to delete are committed, or written again elsewhere: those must be synced
    // first.
    const doomed = this.#removable();
    const dirty = [...this.#dirty];
    this.#dirty.clear();
    try {
      for (const segment of dirty) await syncData(segment.descriptor);
      if (this.#directoryDirty) await this.#syncDirectory();
    } catch (error) {
      // The state of the disk is unknown now. The segments stay; settling them twice is harmless.
      for (const segment of [...dirty, this.#current]) this.#suspect.add(segment);
      this.#directoryDirty = true;
      this.#options.onSyncError(error);
      return;
    }
    for (const segment of doomed) await this.#remove(segment);
  }

  /** Nothing is deleted before the suspects are: its calls may have been written again in them. */
  #removable(): readonly Segment[] {
    for (const segment of this.#suspect) if (!this.#doomed.has(segment)) return [];
    return [...this.#doomed];
  }

  async #syncDirectory(): Promise<void> {
    this.#directoryDirty = false;
    const handle = await openFile(this.#options.directory, 'r');
    try {
      await syncAll(handle.fd);
    } finally {
      await handle.close();
    }
  }

  async #remove(segment: Segment): Promise<void> {
    assert(segment.pins === 0, 'a pinned segment is not removed');
    this.#doomed.delete(segment);
    this.#suspect.delete(segment);
    this.#dirty.delete(segment);
    this.#live.delete(segment);
    try {
      // All of it is on the disk or settled, so an error of close is no loss.
      closeSync(segment.descriptor);
    } catch (error) {
      this.#options.log.warn(
        { err: error, segment: segment.number },
        'journal segment could not be closed; no data is lost',
      );
    }
    try {
      await unlink(segment.path);
    } catch (error) {
      this.#options.log.warn(
        { err: error, segment: segment.number },
        'journal segment could not be removed; delete it by hand if it stays',
      );
    }
    this.#bytes -= segment.bytes;
  }
}

function truncateIfPossible(descriptor: number, length: number): void {
  try {
    ftruncateSync(descriptor, length);
  } catch {
    // The failed write is already being reported, and the torn record is harmless.
  }
}
