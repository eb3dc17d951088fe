import type { LentBytes } from '../../kernel/encoding/lent-bytes.ts';
import {
  BACKSLASH,
  BRACE_BIT,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  SPACE,
} from './ascii.ts';
import type { Outline } from './outline.ts';
import { Held, NOTHING, type Splitter } from './splitter.ts';

/**
 * Google's stream without `alt=sse`: one growing JSON array in which each element is an event. A comma is
 * kept back until its element is complete, and the closing bracket until the vendor's body has ended. So an
 * error can always be appended to what the client has.
 */
export class ArraySplitter implements Splitter {
  bytes: LentBytes = NOTHING;
  eventStart = 0;
  eventEnd = 0;
  payload: LentBytes = NOTHING;
  payloadStart = -1;
  payloadEnd = -1;
  readonly shift = 0;
  /** The closing bracket has arrived. */
  closed = false;
  /** True until the array opens, and for good if it never does. */
  foreign = true;
  outline: Outline | undefined;
  readonly #held = new Held();
  #isJoined = false;
  /** Everything before this may be forwarded. */
  #at = 0;
  /** Everything before this was scanned. An element is scanned once, however often it is split. */
  #walked = 0;
  /** The nesting inside the element. 0 between elements: the outer bracket does not count. */
  #depth = 0;
  #elementStart = 0;
  #inString = false;
  #isEscaped = false;

  get atBoundary(): boolean {
    return this.#depth === 0;
  }

  get heldBytes(): number {
    return this.#held.length;
  }

  get overflowed(): boolean {
    return this.#held.overflowed;
  }

  /** Elements are found only by scanning, so nothing is known about a chunk before it is fed. */
  heldEnd(): number {
    return 0;
  }

  feed(chunk: LentBytes): void {
    this.#at = 0;
    this.#walked = this.#held.length;
    this.#isJoined = this.#walked > 0;
    if (this.#isJoined) this.#held.append(chunk, 0);
    this.bytes = this.#isJoined ? this.#held.view() : chunk;
    this.outline = this.#held.outline;
  }

  next(): boolean {
    const { bytes } = this;
    this.eventStart = this.#at;
    this.payload = bytes;
    let at = this.#walked;
    while (at < bytes.length) {
      const byte = bytes[at] as number;
      if (this.#inString) {
        at = this.#stringOn(at);
        continue;
      }
      at++;
      if (this.#depth === 0) {
        this.#between(byte, at);
      } else if (this.#inside(byte)) {
        this.#elementEnds(at);
        return true;
      }
    }
    this.#walked = at;
    return false;
  }

  keep(): number {
    const end = this.#at;
    if (this.#isJoined && end === 0) return 0;
    if (this.#isJoined) this.#held.take();
    if (end < this.bytes.length) this.#held.append(this.bytes, end);
    this.#elementStart -= end;
    return end;
  }

  /** Any rest except the closing bracket is an unfinished element, or a comma without an element. */
  finish(): boolean {
    if (!this.closed) return false;
    this.bytes = this.#held.take();
    this.#isJoined = false;
    this.#at = this.bytes.length;
    this.#walked = this.#at;
    return true;
  }

  /** After the closing bracket nothing is an element. */
  #between(byte: number, after: number): void {
    if (this.closed) return;
    if (byte === OPEN_BRACE) {
      this.#depth = 1;
      this.#elementStart = after - 1;
    } else if (byte === OPEN_BRACKET) {
      this.foreign = false;
    } else if (byte === CLOSE_BRACKET) {
      this.closed = true;
    } else if (byte <= SPACE && this.#at === after - 1) {
      this.#at = after;
    }
  }

  /** True if this byte ends the element. */
  #inside(byte: number): boolean {
    if (byte === QUOTE) {
      this.#inString = true;
      return false;
    }
    const brace = byte | BRACE_BIT;
    if (brace === OPEN_BRACE) this.#depth++;
    return brace === CLOSE_BRACE && --this.#depth === 0;
  }

  #elementEnds(after: number): void {
    this.payloadStart = this.#elementStart;
    this.payloadEnd = after;
    this.eventEnd = after;
    this.#at = after;
    this.#walked = after;
  }

  /** The position after the string's end, or after the last byte if it continues in the next chunk. */
  #stringOn(start: number): number {
    const { bytes } = this;
    let at = start;
    if (this.#isEscaped) {
      this.#isEscaped = false;
      at++;
    }
    while (at < bytes.length) {
      const byte = bytes[at++];
      if (byte === QUOTE) {
        this.#inString = false;
        return at;
      }
      if (byte === BACKSLASH && at++ === bytes.length) this.#isEscaped = true;
    }
    return Math.min(at, bytes.length);
  }
}
