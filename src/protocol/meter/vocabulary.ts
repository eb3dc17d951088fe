import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { checksum } from '../../kernel/encoding/hash.ts';
import { LF, SPACE } from '../bytes/ascii.ts';

/** The o200k file as OpenAI publishes it: a line `base64 rank` for each token, ordered by rank. */
const FILE_BYTES = 3_613_922;
const FILE_CHECKSUM = 0x2b33bbc2;
const TOKENS = 199_998;
const TOKEN_BYTES = 1_397_670;
const LONGEST_TOKEN_BYTES = 128;
/**
 * Slots of the hash table: a power of two, large enough that three of five are empty and searches are short.
 */
const SLOTS = 2 ** 19;
const SLOT_MASK = SLOTS - 1;
/** FNV-1a. */
const HASH_START = 0x811c9dc5;
const HASH_PRIME = 0x01000193;

/** For bytes that are not a token. */
export const NO_TOKEN = -1;

const PADDING = 0x3d;
const SIXTETS = sixtets('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/');

/**
 * Which byte sequences are tokens, and their ranks. The data is in three typed arrays outside the heap, 4 MB
 * in all: as many strings in maps would make every full collection of a busy gateway expensive.
 */
export class Vocabulary {
  /** The bytes of all tokens in a row. The token of rank n ends where that of n + 1 starts. */
  readonly #bytes: Uint8Array;
  readonly #starts: Int32Array;
  /** Rank + 1 in the first free slot from the hash on; 0 is an empty slot. */
  readonly #slots: Int32Array;

  /** The file is verified by its checksum, so nothing in it needs another check. */
  constructor(file: Buffer) {
    if (file.length !== FILE_BYTES || checksum(file) !== FILE_CHECKSUM) {
      throw new Error('o200k_base.tiktoken of gpt-tokenizer is damaged or another one: install it again');
    }
    this.#starts = new Int32Array(TOKENS + 1);
    this.#bytes = decodeTokens(file, this.#starts);
    this.#slots = enterTokens(this.#bytes, this.#starts);
  }

  findRank(bytes: Uint8Array, start: number, end: number): number {
    if (end - start > LONGEST_TOKEN_BYTES) return NO_TOKEN;
    const slots = this.#slots;
    for (let slot = hashToSlot(bytes, start, end); ; slot = (slot + 1) & SLOT_MASK) {
      const rank = (slots[slot] as number) - 1;
      if (rank < 0) return NO_TOKEN;
      if (this.#isToken(rank, bytes, start, end)) return rank;
    }
  }

  #isToken(rank: number, bytes: Uint8Array, start: number, end: number): boolean {
    let own = this.#starts[rank] as number;
    if ((this.#starts[rank + 1] as number) - own !== end - start) return false;
    for (let at = start; at < end; at++) {
      if (this.#bytes[own++] !== bytes[at]) return false;
    }
    return true;
  }
}

export function readVocabulary(): Vocabulary {
  const load = createRequire(import.meta.url);
  return new Vocabulary(readFileSync(load.resolve('gpt-tokenizer/data/o200k_base.tiktoken')));
}

/**
 * Decodes the bytes of all tokens and notes where each starts. Four base64 characters are up to three bytes.
 */
function decodeTokens(file: Buffer, starts: Int32Array): Uint8Array {
  const bytes = new Uint8Array(TOKEN_BYTES);
  const values = SIXTETS;
  let at = 0;
  let used = 0;
  for (let rank = 0; rank < TOKENS; rank++) {
    while (file[at] !== SPACE) {
      const third = file[at + 2] as number;
      const fourth = file[at + 3] as number;
      const high = ((values[file[at] as number] as number) << 6) | (values[file[at + 1] as number] as number);
      const bits = (high << 12) | ((values[third] as number) << 6) | (values[fourth] as number);
      bytes[used] = bits >>> 16;
      bytes[used + 1] = bits >>> 8;
      bytes[used + 2] = bits;
      if (fourth !== PADDING) used += 3;
      else used += third === PADDING ? 1 : 2;
      at += 4;
    }
    starts[rank + 1] = used;
    while (file[at] !== LF) at++;
    at++;
  }
  return bytes;
}

function enterTokens(bytes: Uint8Array, starts: Int32Array): Int32Array {
  const slots = new Int32Array(SLOTS);
  for (let rank = 0; rank < TOKENS; rank++) {
    let slot = hashToSlot(bytes, starts[rank] as number, starts[rank + 1] as number);
    while (slots[slot] !== 0) slot = (slot + 1) & SLOT_MASK;
    slots[slot] = rank + 1;
  }
  return slots;
}

/** Where the search for a token begins. */
function hashToSlot(bytes: Uint8Array, start: number, end: number): number {
  let hash = HASH_START;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ (bytes[at] as number), HASH_PRIME);
  return (hash ^ (hash >>> 15)) & SLOT_MASK;
}

/** The value of each base64 character; padding has none. */
function sixtets(alphabet: string): Uint8Array {
  const values = new Uint8Array(256);
  for (let value = 0; value < alphabet.length; value++) values[alphabet.charCodeAt(value)] = value;
  return values;
}
