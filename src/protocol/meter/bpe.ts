import { NO_TOKEN, type Vocabulary } from './vocabulary.ts';

/**
 * Text is split into pieces, and no token crosses the end of a piece. These are the pieces of o200k, in the
 * order in which they are tried: words with one other character before them, small letters after capitals,
 * else all capitals; a contraction stays with its word; up to three digits; punctuation; white space.
 * OpenAI's pattern allows small letters after the capitals of the second kind of word too, but such a word
 * already matches the first kind.
 */
const WORD =
  /[^\r\n\p{L}\p{N}]?[[\p{L}\p{M}]--\p{Ll}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}]+/vy;
const CONTRACTION = /'(?:[sdmt]|ll|ve|re)/iy;
const NO_WORD = /\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n\/]*|\s*[\r\n]+|\s+(?!\S)|\s+/vy;
const APOSTROPHE = 0x27;

/** The most UTF-8 bytes of one UTF-16 unit. */
const UNIT_BYTES_MAX = 3;
/** The lowest first byte of a character, by the character's length. */
const TWO_BYTES = 0xc0;
const THREE_BYTES = 0xe0;
const FOUR_BYTES = 0xf0;

/** A longer piece is cut, which costs a token or two. Prose has no 8 KiB without a space or a full stop. */
const POSITION_BITS = 13;
export const PIECE_BYTES_MAX = 2 ** POSITION_BITS;
const POSITION_MASK = PIECE_BYTES_MAX - 1;

/** Counts the tokens of texts. Special tokens such as `<|endoftext|>` count as ordinary text. */
export class TokenCounter {
  readonly #vocabulary: Vocabulary;
  readonly #merger: Merger;
  readonly #encoder = new TextEncoder();
  /** The text in UTF-8. It grows to the longest text so far, which the caller limits. */
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

  /** Most pieces are one token. */
  #countPiece(start: number, end: number): number {
    if (this.#vocabulary.findRank(this.#bytes, start, end) !== NO_TOKEN) return 1;
    let tokens = 0;
    for (let at = start; at < end; at += PIECE_BYTES_MAX) {
      tokens += this.#merger.count(this.#bytes, at, Math.min(end, at + PIECE_BYTES_MAX));
    }
    return tokens;
  }
}

/**
 * The end of the piece that starts here. Every character is in one of the patterns, so this always advances.
 */
function pieceEnd(text: string, start: number): number {
  const end = matchEnd(WORD, text, start);
  if (end === start) return Math.max(start + 1, matchEnd(NO_WORD, text, start));
  return text.charCodeAt(end) === APOSTROPHE ? matchEnd(CONTRACTION, text, end) : end;
}

function matchEnd(pattern: RegExp, text: string, start: number): number {
  pattern.lastIndex = start;
  return pattern.test(text) ? pattern.lastIndex : start;
}

/** Where in the UTF-8 this many UTF-16 units end. */
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
 * Byte pair merging. A piece begins as single bytes. Of all neighbours that form a token together, those with
 * the lowest rank are joined, the first ones first, until none are left. A heap finds them, so that a piece
 * of n bytes takes n log n and not n². A part of the piece is named by its start.
 */
class Merger {
  readonly #vocabulary: Vocabulary;
  /** The end of a part, which is the start of the next one; and the start of the part before it. */
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

  /** Counts the tokens of at most PIECE_BYTES_MAX bytes. */
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
      // The key is outdated if its part or neighbour was joined meanwhile.
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
      rank = this.#vocabulary.findRank(this.#bytes, this.#offset + part, end);
    }
    this.#ranks[part] = rank;
    if (rank !== NO_TOKEN) this.#heap.put((rank << POSITION_BITS) | part);
  }
}

/** A heap of numbers, the lowest first. */
class KeyHeap {
  /** One key for each byte of a piece, and two for each join, which removes one. */
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

  /** Removes and returns the lowest key; -1 if there is none. */
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
