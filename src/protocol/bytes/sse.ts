import type { LentBytes } from '../../kernel/encoding/lent-bytes.ts';
import { EVENT_LINES_MAX } from '../bounds.ts';
import { COLON, CR, LF, SPACE } from './ascii.ts';
import type { Outline } from './outline.ts';
import { isOpenBrace, isWord, skipSpace, skipValue } from './skim.ts';
import { Held, NOTHING, type Splitter } from './splitter.ts';

const LETTER_D = 0x64;
const LETTER_A = 0x61;
const LETTER_T = 0x74;
/** An event whose data has several lines is joined in one turn. */
const JOINED_BYTES_MAX = 1024 * 1024;
const NOT_FOUND = Number.MAX_SAFE_INTEGER;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf] as const;

/**
 * Server-sent events by the WHATWG standard: lines end with LF, CRLF or CR, a blank line ends an event, a
 * leading byte order mark is skipped. The bytes are never changed. Several `data` lines are joined in a copy
 * in which line ends and field names are blanks, so that its positions are those of the event.
 */
export class SseSplitter implements Splitter {
  bytes: LentBytes = NOTHING;
  eventStart = 0;
  eventEnd = 0;
  payload: LentBytes = NOTHING;
  payloadStart = -1;
  payloadEnd = -1;
  shift = 0;
  readonly closed = true;
  readonly foreign = false;
  outline: Outline | undefined;
  readonly #held = new Held();
  #at = 0;
  /** The next position of each line end in `bytes`, found natively and kept until it is passed. */
  #nextLf = 0;
  #nextCr = 0;
  #isFirst = true;
  #dataLines = 0;

  get atBoundary(): boolean {
    return this.#held.length === 0;
  }

  get heldBytes(): number {
    return this.#held.length;
  }

  get overflowed(): boolean {
    return this.#held.overflowed;
  }

  heldEnd(chunk: LentBytes): number {
    return this.#held.length === 0 ? 0 : heldEventEnd(this.#held.last, chunk);
  }

  feed(chunk: LentBytes): void {
    if (this.#held.length === 0) {
      this.#take(chunk);
      return;
    }
    const isComplete = this.heldEnd(chunk) > 0;
    this.#held.append(chunk, 0);
    const { outline } = this.#held;
    this.#take(isComplete ? this.#held.take() : NOTHING);
    this.outline = isComplete ? outline : undefined;
  }

  next(): boolean {
    const { bytes } = this;
    this.eventStart = this.#at;
    this.payload = bytes;
    this.payloadStart = -1;
    this.shift = 0;
    this.#dataLines = 0;
    let line = this.#isFirst ? skipByteOrderMark(bytes, this.#at) : this.#at;
    for (let lines = 0; line < bytes.length; lines++) {
      if (lines > EVENT_LINES_MAX) return this.#overflow();
      const lineEnd = this.#lineEnd(line);
      if (lineEnd === NOT_FOUND) return false;
      const following = afterLine(bytes, lineEnd);
      if (lineEnd === line) {
        if (this.#dataLines > 1 && following - this.eventStart > JOINED_BYTES_MAX) return this.#overflow();
        this.#eventEnds(following);
        return true;
      }
      if (isDataLine(bytes, line, lineEnd)) this.#data(line, lineEnd);
      line = following;
    }
    return false;
  }

  keep(): number {
    if (this.#at < this.bytes.length) this.#held.append(this.bytes, this.#at);
    return this.#at;
  }

  /**
   * A vendor may leave out the last blank line, or even the last line end. Such a rest is forwarded if its
   * data is complete. The blank line is added, to separate it from what we send next.
   */
  finish(): boolean {
    const { last } = this.#held;
    if (last === undefined) return false;
    const closing = last === LF ? '\n' : last === CR ? '\r' : '\n\n';
    const rest = Buffer.concat([this.#held.take(), Buffer.from(closing)]);
    const wasFirst = this.#isFirst;
    this.#take(rest);
    const isWhole = this.next() && (this.payloadStart < 0 ? isLineEnd(last) : this.#isPayloadWhole());
    this.#isFirst = wasFirst;
    this.#take(isWhole ? rest : NOTHING);
    return isWhole;
  }

  #take(bytes: LentBytes): void {
    this.outline = undefined;
    this.bytes = bytes;
    this.#at = 0;
    this.#nextLf = -1;
    this.#nextCr = -1;
  }

  #lineEnd(line: number): number {
    // A blank line, as in every event, needs no search.
    if (this.bytes[line] === LF) return line;
    if (this.#nextLf < line) this.#nextLf = find(this.bytes, LF, line);
    if (this.#nextCr < line) this.#nextCr = find(this.bytes, CR, line);
    return this.#nextLf < this.#nextCr ? this.#nextLf : this.#nextCr;
  }

  #isPayloadWhole(): boolean {
    const { payload, payloadStart, payloadEnd } = this;
    const value = skipSpace(payload, payloadStart, payloadEnd);
    if (!isOpenBrace(payload, value)) return isDone(payload, value, payloadEnd);
    return skipValue(payload, value, payloadEnd) > 0;
  }

  #eventEnds(following: number): void {
    this.eventEnd = following;
    this.#at = following;
    this.#isFirst = false;
    if (this.#dataLines > 1) this.#joinData();
  }

  #overflow(): false {
    this.#held.overflow();
    this.#take(NOTHING);
    return false;
  }

  #data(line: number, lineEnd: number): void {
    if (this.#dataLines++ === 0) {
      this.payloadStart = valueStart(this.bytes, line, lineEnd);
    }
    this.payloadEnd = lineEnd;
  }

  #joinData(): void {
    const joined = Buffer.from(this.bytes.subarray(this.payloadStart, this.payloadEnd));
    let line = anyLineEnd(joined, 0);
    while (line >= 0) {
      const following = afterLine(joined, line);
      const lineEnd = anyLineEnd(joined, following);
      const stop = lineEnd < 0 ? joined.length : lineEnd;
      const value = isDataLine(joined, following, stop) ? valueStart(joined, following, stop) : stop;
      joined.fill(SPACE, line, value);
      line = lineEnd;
    }
    this.shift = this.payloadStart;
    this.payload = joined;
    this.payloadStart = 0;
    this.payloadEnd = joined.length;
  }
}

/** The terminator of Chat Completions: the data line `[DONE]`. */
export function isDone(payload: LentBytes, start: number, end: number): boolean {
  let last = end;
  while (last > start && payload[last - 1] === SPACE) last--;
  return isWord(payload, start, last, '[DONE]');
}

function find(bytes: LentBytes, byte: number, start: number): number {
  const found = bytes.indexOf(byte, start);
  return found < 0 ? NOT_FOUND : found;
}

/**
 * Where in the chunk the blank line that ends the kept event ends, or 0. The LF of a split CRLF is not a
 * blank line: if it counted as one, the kept bytes would be joined and searched again for every line of a
 * long event.
 */
function heldEventEnd(heldLast: number | undefined, chunk: LentBytes): number {
  let at = heldLast === CR && chunk[0] === LF ? 1 : 0;
  if ((heldLast === LF || heldLast === CR) && isLineEnd(chunk[at])) return afterLine(chunk, at);
  const hasCr = chunk.includes(CR);
  while (at < chunk.length) {
    const lineEnd = hasCr ? anyLineEnd(chunk, at) : chunk.indexOf(LF, at);
    if (lineEnd < 0) return 0;
    at = afterLine(chunk, lineEnd);
    if (isLineEnd(chunk[at])) return afterLine(chunk, at);
  }
  return 0;
}

function isLineEnd(byte: number | undefined): boolean {
  return byte === LF || byte === CR;
}

function anyLineEnd(bytes: LentBytes, start: number): number {
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === LF || byte === CR) return at;
  }
  return -1;
}

function afterLine(bytes: LentBytes, lineEnd: number): number {
  return bytes[lineEnd] === CR && bytes[lineEnd + 1] === LF ? lineEnd + 2 : lineEnd + 1;
}

function isDataLine(bytes: LentBytes, line: number, lineEnd: number): boolean {
  return (
    bytes[line] === LETTER_D &&
    bytes[line + 1] === LETTER_A &&
    bytes[line + 2] === LETTER_T &&
    bytes[line + 3] === LETTER_A &&
    (bytes[line + 4] === COLON || lineEnd === line + 4)
  );
}

/** One blank after the colon is not part of the value. */
function valueStart(bytes: LentBytes, line: number, lineEnd: number): number {
  const start = bytes[line + 5] === SPACE ? line + 6 : line + 5;
  return Math.min(start, lineEnd);
}

function skipByteOrderMark(bytes: LentBytes, start: number): number {
  return BYTE_ORDER_MARK.every((byte, index) => bytes[start + index] === byte) ? start + 3 : start;
}
