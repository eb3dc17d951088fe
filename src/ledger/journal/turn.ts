import { JOURNAL_TURN_BYTES } from '../../bounds.ts';
import { FRAME_BYTES_MAX, frameInto } from './record.ts';
import type { Location } from './segment-files.ts';

/** Called with the location of a record; without one if the disk did not take it. */
export type OnWritten = (location: Location | undefined) => void;

interface Waiting {
  readonly offset: number;
  readonly bytes: number;
  readonly onWritten: OnWritten;
}

/**
 * The records of one turn of the event loop, one after the other in one buffer. A write costs about as much
 * as everything else that the journal does for a call, and many calls begin and end in a turn.
 */
export class Turn {
  readonly bytes = Buffer.alloc(JOURNAL_TURN_BYTES);
  length = 0;
  #waiting: Waiting[] = [];

  /** Whether any record still fits. */
  get isFull(): boolean {
    return this.length + FRAME_BYTES_MAX > this.bytes.length;
  }

  /** False if the record is too long. */
  add(json: string, onWritten: OnWritten): boolean {
    const bytes = frameInto(this.bytes, json, this.length);
    if (bytes === undefined) return false;
    this.#waiting.push({ offset: this.length, bytes, onWritten });
    this.length += bytes;
    return true;
  }

  /** The buffer was written to this location, or not at all. It is now free for the next turn. */
  end(place: Location | undefined): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.length = 0;
    for (const { offset, bytes, onWritten } of waiting) {
      onWritten(place && { segment: place.segment, offset: place.offset + offset, bytes });
    }
  }
}
