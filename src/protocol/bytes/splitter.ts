import { STREAM_EVENT_BYTES_MAX } from '../../bounds.ts';
import type { LentBytes } from '../../kernel/encoding/lent-bytes.ts';
import { OUTLINED_BYTES_MIN } from '../bounds.ts';
import { Outline } from './outline.ts';

/**
 * Splits a stream into events, wherever its bytes were cut on the way. Feed a chunk, take the events with
 * `next` until it returns false, then call `keep`: it keeps the unfinished rest and returns how many bytes of
 * `bytes` are whole events. The fields describe the event that `next` found; nothing is allocated for it.
 */
export interface Splitter {
  /** How much of a chunk belongs to the kept event, if the event ends there; otherwise 0. */
  readonly heldEnd: (chunk: LentBytes) => number;
  readonly feed: (chunk: LentBytes) => void;
  next(): boolean;
  keep(): number;
  /** The stream ended: takes the kept rest as one last event, if possible. `next` and `keep` follow. */
  finish(): boolean;
  /**
   * The buffer that `eventStart` and `eventEnd` refer to: the fed chunk itself, unless bytes were kept before
   * it.
   */
  readonly bytes: LentBytes;
  readonly eventStart: number;
  readonly eventEnd: number;
  /** The event's data; a start of -1 if it has none. Positions in `bytes` are these plus `shift`. */
  readonly payload: LentBytes;
  readonly payloadStart: number;
  readonly payloadEnd: number;
  readonly shift: number;
  /** The size of the unfinished event. */
  readonly heldBytes: number;
  readonly atBoundary: boolean;
  /** The framing itself ended correctly: an array has its closing bracket. */
  readonly closed: boolean;
  /** The bytes do not have this framing: for example an object where an array is expected. */
  readonly foreign: boolean;
  /** An event was too long, or has a form that no vendor writes. */
  readonly overflowed: boolean;
  /** The outline of an event that was kept until it was complete, if it is large. */
  readonly outline: Outline | undefined;
}

export const NOTHING: Buffer = Buffer.alloc(0);
const HELD_BYTES_FIRST = 1024;

/**
 * The bytes of an unfinished event. The buffer grows by doubling, so that a stream of single bytes takes
 * linear time.
 */
export class Held {
  length = 0;
  overflowed = false;
  /** The outline of the kept bytes, once they are large. */
  outline: Outline | undefined;
  #bytes = NOTHING;

  append(source: LentBytes, start: number): void {
    const added = source.length - start;
    const needed = this.length + added;
    if (this.overflowed || needed > STREAM_EVENT_BYTES_MAX) {
      this.overflow();
      return;
    }
    if (needed > this.#bytes.length) {
      const grown = Buffer.allocUnsafe(Math.max(needed, this.#bytes.length * 2, HELD_BYTES_FIRST));
      this.#bytes.copy(grown, 0, 0, this.length);
      this.#bytes = grown;
    }
    source.copy(this.#bytes, this.length, start);
    const before = this.length;
    this.length = needed;
    if (needed > OUTLINED_BYTES_MIN) this.#outlineOn(before);
  }

  #outlineOn(before: number): void {
    const start = this.outline === undefined ? 0 : before;
    this.outline ??= new Outline();
    this.outline.push(this.#bytes.subarray(start, this.length));
    if (this.outline.absurd) this.overflow();
  }

  overflow(): void {
    this.overflowed = true;
    this.take();
  }

  get last(): number | undefined {
    return this.length === 0 ? undefined : this.#bytes[this.length - 1];
  }

  /** The kept bytes, which stay kept. */
  view(): Buffer {
    return this.#bytes.subarray(0, this.length);
  }

  /** Gives the bytes away. The next event gets new memory. */
  take(): Buffer {
    const taken = this.#bytes.subarray(0, this.length);
    this.#bytes = NOTHING;
    this.length = 0;
    this.outline = undefined;
    return taken;
  }
}
