import type { LentBytes } from '../../kernel/encoding/lent-bytes.ts';
import { BACKSLASH, DOT, LETTER_U, MINUS, NINE, PLUS, QUOTE, SPACE, ZERO } from './ascii.ts';

/**
 * The bytes of a buffer, four at a time. V8 offers no vector instructions, but one comparison of a 32-bit
 * word does the work of four. This is how base64 is scanned at more than 1 GB/s.
 */
export class WordView {
  readonly words: Int32Array;
  /** The position in the buffer where the first word starts. */
  readonly offset: number;

  constructor(bytes: Buffer) {
    this.offset = -bytes.byteOffset & 3;
    const count = bytes.length < this.offset ? 0 : (bytes.length - this.offset) >>> 2;
    const start = count === 0 ? 0 : bytes.byteOffset + this.offset;
    this.words = new Int32Array(bytes.buffer, start, count);
  }
}

/** The characters that end a run of plain text inside a string. */
const STOPS = new Uint8Array(256).fill(1, 0, SPACE);
STOPS[QUOTE] = 1;
STOPS[BACKSLASH] = 1;
/** The characters that may follow a backslash, except `u`. */
const ESCAPES = new Uint8Array(256);
for (const letter of '"\\/bfnrt') ESCAPES[letter.charCodeAt(0)] = 1;

const ONES = 0x01010101;
const HIGHS = 0x80808080;
const SPACES = 0x20202020;
const QUOTES = 0x22222222;
const BACKSLASHES = 0x5c5c5c5c;
/** For shorter runs, going to a word boundary does not pay. */
const BYTEWISE = 16;

/** The first position from `start` with a quote, a backslash or a control character; `limit` if none. */
export function plainEnd(bytes: LentBytes, view: WordView, start: number, limit: number): number {
  const near = Math.min(limit, start + BYTEWISE);
  let at = plainEndBytewise(bytes, start, near);
  if (at < near || near === limit) return at;
  const { words, offset } = view;
  const aligned = Math.min(limit, at + ((offset - at) & 3));
  at = plainEndBytewise(bytes, at, aligned);
  if (at < aligned) return at;
  let index = (at - offset) >>> 2;
  const wordsEnd = Math.max(index, (limit - offset) >>> 2);
  while (index < wordsEnd) {
    // A byte is zero exactly if subtracting one borrows into its high bit and that bit was clear before.
    const word = words[index] as number;
    const quotes = word ^ QUOTES;
    const backslashes = word ^ BACKSLASHES;
    const hit =
      ((word - SPACES) & ~word) | ((quotes - ONES) & ~quotes) | ((backslashes - ONES) & ~backslashes);
    if ((hit & HIGHS) !== 0) break;
    index++;
  }
  return plainEndBytewise(bytes, Math.max(at, offset + index * 4), limit);
}

function plainEndBytewise(bytes: LentBytes, start: number, limit: number): number {
  let at = start;
  while (at < limit && STOPS[bytes[at] as number] === 0) at++;
  return at;
}

/** The position after the escape whose backslash is at `start`, or -1. */
export function escapeEnd(bytes: LentBytes, start: number): number {
  const letter = bytes[start + 1];
  if (letter === LETTER_U) {
    for (let at = start + 2; at < start + 6; at++) {
      if (!isHexDigit(bytes[at])) return -1;
    }
    return start + 6;
  }
  return letter !== undefined && ESCAPES[letter] === 1 ? start + 2 : -1;
}

function isHexDigit(byte: number | undefined): boolean {
  if (byte === undefined) return false;
  if (byte >= ZERO && byte <= NINE) return true;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66;
}

/** The position after the number that starts here, or -1: `-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?`. */
export function numberEnd(bytes: LentBytes, start: number): number {
  let at = bytes[start] === MINUS ? start + 1 : start;
  const whole = digitsEnd(bytes, at);
  if (whole === at || (bytes[at] === ZERO && whole > at + 1)) return -1;
  at = whole;
  if (bytes[at] === DOT) {
    const fraction = digitsEnd(bytes, at + 1);
    if (fraction === at + 1) return -1;
    at = fraction;
  }
  const letter = bytes[at];
  if (letter !== 0x65 && letter !== 0x45) return at;
  const sign = bytes[at + 1];
  const digits = sign === PLUS || sign === MINUS ? at + 2 : at + 1;
  const exponent = digitsEnd(bytes, digits);
  return exponent === digits ? -1 : exponent;
}

function digitsEnd(bytes: LentBytes, start: number): number {
  let at = start;
  for (;;) {
    const byte = bytes[at];
    if (byte === undefined || byte < ZERO || byte > NINE) return at;
    at++;
  }
}
