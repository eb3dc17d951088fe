import { type LentBytes, ownCopy } from '../../kernel/encoding/lent-bytes.ts';
import { LF } from '../bytes/ascii.ts';

export interface LineSink {
  /** A line without its end. `end` is a line feed, or nothing behind the last line. */
  line(line: Buffer, end: '\n' | ''): void;
  /** A part of a line that is too long to be kept, with its end. */
  part(bytes: Buffer): void;
}

/** Cuts a file into its lines as it passes. At most one line is kept. */
export class LineSplitter {
  readonly #bytesMax: number;
  readonly #sink: LineSink;
  #held: Buffer[] = [];
  #heldBytes = 0;
  /** Within a line that is too long. */
  #isLong = false;

  constructor(bytesMax: number, sink: LineSink) {
    this.#bytesMax = bytesMax;
    this.#sink = sink;
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  push(chunk: LentBytes): void {
    let from = 0;
    while (from < chunk.length) {
      const at = chunk.indexOf(LF, from);
      const to = at < 0 ? chunk.length : at;
      this.#add(ownCopy(chunk.subarray(from, to) as LentBytes), at < 0 ? undefined : '\n');
      from = at < 0 ? to : at + 1;
    }
  }

  finish(): void {
    if (this.#heldBytes > 0) this.#add(Buffer.alloc(0), '');
  }

  #add(bytes: Buffer, end: '\n' | '' | undefined): void {
    if (this.#isLong) {
      this.#sink.part(end === '\n' ? Buffer.concat([bytes, FEED]) : bytes);
      if (end !== undefined) this.#isLong = false;
      return;
    }
    this.#held.push(bytes);
    this.#heldBytes += bytes.length;
    if (end === undefined && this.#heldBytes <= this.#bytesMax) return;
    const [first = bytes] = this.#held;
    const whole = this.#held.length === 1 ? first : Buffer.concat(this.#held);
    this.#held = [];
    this.#heldBytes = 0;
    if (whole.length > this.#bytesMax) {
      this.#isLong = end === undefined;
      this.#sink.part(end === '\n' ? Buffer.concat([whole, FEED]) : whole);
    } else this.#sink.line(whole, end ?? '');
  }
}

const FEED = Buffer.from('\n');
