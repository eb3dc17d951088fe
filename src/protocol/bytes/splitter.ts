import { STREAM_EVENT_BYTES_MAX } from '../../bounds.ts';
import { OUTLINED_BYTES_MIN } from '../bounds.ts';
import { Outline } from './outline.ts';

/**
 * Cuts a stream into events wherever its bytes were cut on the way. Feed a chunk, take the events with `next`
 * until it says no, then call `keep`: it holds back the unfinished rest and tells how many bytes of `bytes`
 * are whole events. The fields describe the event that `next` found; nothing is allocated for it.
 */
export interface Splitter {
  /** How much of a chunk belongs to the event that is held, if it ends there; otherwise 0. */
  heldEnd(chunk: Buffer): number;
  feed(chunk: Buffer): void;
  next(): boolean;
  keep(): number;
  /** The stream ended: takes the held rest as one last event, if it can be one; `next` and `keep` follow. */
  finish(): boolean;
  /**
   * What `eventStart` and `eventEnd` count in: the fed chunk itself unless something had been held before it.
   */
  readonly bytes: Buffer;
  readonly eventStart: number;
  readonly eventEnd: number;
  /** The event's data; -1 as start when it has none. Positions in `bytes` are these plus `shift`. */
  readonly payload: Buffer;
  readonly payloadStart: number;
  readonly payloadEnd: number;
  readonly shift: number;
  /** Of the event that is not whole yet. */
  readonly heldBytes: number;
  readonly atBoundary: boolean;
  /** The framing itself ended as it should: an array has its closing bracket. */
  readonly closed: boolean;
  /** What came is not of this framing: an object where an array was due. */
  readonly foreign: boolean;
  /** An event was too long, or no event that anybody writes. */
  readonly overflowed: boolean;
  /** Of the event that was held until it was whole, when it is a large one. */
  readonly outline: Outline | undefined;
}

export const NOTHING: Buffer = Buffer.alloc(0);
const HELD_BYTES_FIRST = 1024;

/** Bytes of an unfinished event. It grows by doubling, so that a stream of single bytes stays linear. */
export class Held {
  length = 0;
  overflowed = false;
  /** Of what is held, once that is large. */
  outline: Outline | undefined;
  #bytes = NOTHING;

  append(source: Buffer, start: number): void {
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

  /** The bytes as they stand, still held. */
  view(): Buffer {
    return this.#bytes.subarray(0, this.length);
  }

  /** Gives the bytes away for good; the next event gets memory of its own. */
  take(): Buffer {
    const taken = this.#bytes.subarray(0, this.length);
    this.#bytes = NOTHING;
    this.length = 0;
    this.outline = undefined;
    return taken;
  }
}
