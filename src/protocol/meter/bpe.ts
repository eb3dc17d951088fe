import { NO_TOKEN, type Vocabulary } from './vocabulary.ts';

/**
 * Text falls into pieces, and no token reaches over the end of one. These are the pieces of o200k, in the
 * order in which they are tried: words with one sign before them, small letters after capitals, else all
 * capitals; a contraction stays with its word; up to three digits; signs; white space. OpenAI writes small
 * letters behind the capitals of the second kind of word as well, but with such it is one of the first kind.
 */
const WORD =
  /[^\r\n\p{L}\p{N}]?[[\p{L}\p{M}]--\p{Ll}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}]+/vy;
const CONTRACTION = /'(?:[sdmt]|ll|ve|re)/iy;
const NO_WORD = /\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n\/]*|\s*[\r\n]+|\s+(?!\S)|\s+/vy;
const APOSTROPHE = 0x27;

/** UTF-8 of one UTF-16 unit is at most this long. */
const UNIT_BYTES_MAX = 3;
/** What the first byte of a character is at least, by the character's length. */
const TWO_BYTES = 0xc0;
const THREE_BYTES = 0xe0;
const FOUR_BYTES = 0xf0;

/** A longer piece is cut, which costs a token or two: no prose has 8 KiB without a space or a full stop. */
const POSITION_BITS = 13;
export const PIECE_BYTES_MAX = 2 ** POSITION_BITS;
const POSITION_MASK = PIECE_BYTES_MAX - 1;

/** Counts the tokens of texts. Marks such as `<|endoftext|>` are text like any other. */
export class TokenCounter {
  readonly #vocabulary: Vocabulary;
  readonly #merger: Merger;
  readonly #encoder = new TextEncoder();
  /** The text in UTF-8; as long as the longest text so far, which the caller bounds. */
  #bytes = new Uint8Array(1024);

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary;
    this.#merger = new Merger(vocabulary);
  }

  count(text: string): number {
    const needed = text.length * UNIT_BYTES_MAX;
    if (needed > this.#bytes.length) this.#bytes = new Uint8Array(needed);
    const bytes = this.#bytes;
    this.#encoder.encodeInto(text, bytes);
    let tokens = 0;
    let byte = 0;
    for (let unit = 0; unit < text.length; ) {
      const end = pieceEnd(text, unit);
      const byteEnd = skipUnits(bytes, byte, end - unit);
      tokens += this.#countPiece(byte, byteEnd);
      unit = end;
      byte = byteEnd;
    }
    return tokens;
  }

  /** Most pieces are a token. */
  #countPiece(start: number, end: number): number {
    if (this.#vocabulary.rankOf(this.#bytes, start, end) !== NO_TOKEN) return 1;
    let tokens = 0;
    for (let at = start; at < end; at += PIECE_BYTES_MAX) {
      tokens += this.#merger.count(this.#bytes, at, Math.min(end, at + PIECE_BYTES_MAX));
    }
    return tokens;
  }
}

/** The end of the piece that starts here. Each character is in one of the patterns, so it always moves on. */
function pieceEnd(text: string, start: number): number {
  const end = matchEnd(WORD, text, start);
  if (end === start) return Math.max(start + 1, matchEnd(NO_WORD, text, start));
  return text.charCodeAt(end) === APOSTROPHE ? matchEnd(CONTRACTION, text, end) : end;
}

function matchEnd(pattern: RegExp, text: string, start: number): number {
  pattern.lastIndex = start;
  return pattern.test(text) ? pattern.lastIndex : start;
}

/** Where in the UTF-8 this many units of UTF-16 end. */
function skipUnits(bytes: Uint8Array, start: number, units: number): number {
  let at = start;
  for (let left = units; left > 0; left--) {
    const first = bytes[at] as number;
    if (first < TWO_BYTES) at += 1;
    else if (first < THREE_BYTES) at += 2;
    else if (first < FOUR_BYTES) at += 3;
    else {
      at += 4;
      left--;
    }
  }
  return at;
}

/**
 * Byte pair merging: a piece begins as single bytes, and of all neighbours that are a token together those of
 * the lowest rank are joined, the first ones first, until no two are. A heap finds them, so that a piece of n
 * bytes takes n log n and not n². A part of the piece is named by where it starts.
 */
class Merger {
  readonly #vocabulary: Vocabulary;
  /** Where the part ends, and with it where the next one starts; and where the one before it starts. */
  readonly #ends = new Int32Array(PIECE_BYTES_MAX);
  readonly #befores = new Int32Array(PIECE_BYTES_MAX + 1);
  /** The rank of the part joined with the next one. */
  readonly #ranks = new Int32Array(PIECE_BYTES_MAX);
  readonly #heap = new KeyHeap();
  #bytes: Uint8Array = new Uint8Array();
  #offset = 0;
  #length = 0;

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary;
  }

  /** Tokens of at most PIECE_BYTES_MAX bytes. */
  count(bytes: Uint8Array, start: number, end: number): number {
    this.#bytes = bytes;
    this.#offset = start;
    this.#length = end - start;
    for (let part = 0; part < this.#length; part++) {
      this.#ends[part] = part + 1;
      this.#befores[part] = part - 1;
    }
    for (let part = 0; part < this.#length; part++) this.#rank(part);
    let parts = this.#length;
    for (let key = this.#heap.take(); key >= 0; key = this.#heap.take()) {
      const part = key & POSITION_MASK;
      // A key whose part or neighbour has been joined meanwhile is an old one.
      if (this.#ranks[part] !== key >>> POSITION_BITS) continue;
      this.#join(part);
      parts--;
    }
    return parts;
  }

  #join(part: number): void {
    const next = this.#ends[part] as number;
    const end = this.#ends[next] as number;
    this.#ends[part] = end;
    this.#befores[end] = part;
    this.#ranks[next] = NO_TOKEN;
    this.#rank(part);
    const before = this.#befores[part] as number;
    if (before >= 0) this.#rank(before);
  }

  #rank(part: number): void {
    const next = this.#ends[part] as number;
    let rank = NO_TOKEN;
    if (next < this.#length) {
      const end = this.#offset + (this.#ends[next] as number);
      rank = this.#vocabulary.rankOf(this.#bytes, this.#offset + part, end);
    }
    this.#ranks[part] = rank;
    if (rank !== NO_TOKEN) this.#heap.put((rank << POSITION_BITS) | part);
  }
}

/** Numbers, the lowest first. */
class KeyHeap {
  /** One key for each byte of a piece, and two for each join, which takes one out. */
  readonly #keys = new Int32Array(2 * PIECE_BYTES_MAX);
  #size = 0;

  put(key: number): void {
    const keys = this.#keys;
    let at = this.#size++;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = keys[parent] as number;
      if (above <= key) break;
      keys[at] = above;
      at = parent;
    }
    keys[at] = key;
  }

  /** Takes the lowest out; -1 when there is none. */
  take(): number {
    if (this.#size === 0) return -1;
    const keys = this.#keys;
    const lowest = keys[0] as number;
    const size = --this.#size;
    const key = keys[size] as number;
    let at = 0;
    for (let child = 1; child < size; child = 2 * at + 1) {
      if (child + 1 < size && (keys[child + 1] as number) < (keys[child] as number)) child++;
      if ((keys[child] as number) >= key) break;
      keys[at] = keys[child] as number;
      at = child;
    }
    keys[at] = key;
    return lowest;
  }
}
