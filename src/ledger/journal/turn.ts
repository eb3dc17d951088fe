import { JOURNAL_TURN_BYTES } from '../../bounds.ts';
import { FRAME_BYTES_MAX, frameInto } from './record.ts';
import type { Location } from './segment-files.ts';

/** Told where a record stands; without a place when the disk did not take it. */
export type OnWritten = (location: Location | undefined) => void;

interface Waiting {
  readonly offset: number;
  readonly bytes: number;
  readonly onWritten: OnWritten;
}

/**
 * The records of one turn of the event loop, framed one behind the other in one buffer: a write costs about
 * as much as all else that the journal does for a call, and many calls come and go in a turn.
 */
export class Turn {
  readonly bytes = Buffer.alloc(JOURNAL_TURN_BYTES);
  length = 0;
  #waiting: Waiting[] = [];

  /** Whether any record still fits. */
  get isFull(): boolean {
    return this.length + FRAME_BYTES_MAX > this.bytes.length;
  }

  /** False when the record is longer than one may be. */
  add(json: string, onWritten: OnWritten): boolean {
    const bytes = frameInto(this.bytes, json, this.length);
    if (bytes === undefined) return false;
    this.#waiting.push({ offset: this.length, bytes, onWritten });
    this.length += bytes;
    return true;
  }

  /** The buffer was written to this place, or not at all; from here on it takes the next turn's records. */
  end(place: Location | undefined): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.length = 0;
    for (const { offset, bytes, onWritten } of waiting) {
      onWritten(place && { segment: place.segment, offset: place.offset + offset, bytes });
    }
  }
}
