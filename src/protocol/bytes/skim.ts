import type { LentBytes } from '../../kernel/encoding/lent-bytes.ts';
import { WALKED_BYTES_MAX } from '../bounds.ts';
import {
  BACKSLASH,
  BRACE_BIT,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  type MINUS,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  SPACE,
} from './ascii.ts';
import { findChild, type PathNode, type PathTree } from './paths.ts';

/** The large values of one outlined text (outline.ts): walks skip them. */
let outlined: LentBytes | undefined;
let largeEnds: ReadonlyMap<number, number> = new Map();
/** Bytes of it that were read one by one. */
let walkedBytes = 0;

/** While `work` runs, walks over these bytes skip their large values. */
export function withOutline<T>(bytes: LentBytes, ends: ReadonlyMap<number, number>, work: () => T): T {
  outlined = bytes;
  largeEnds = ends;
  walkedBytes = 0;
  try {
    return work();
  } finally {
    outlined = undefined;
  }
}

/** The cost of a string or container counts as at least this many bytes. */
const STEP_BYTES = 32;

/** Too many small pieces of an outlined text were read. No ordinary text has so many of them. */
export function isWalkedOut(bytes: LentBytes): boolean {
  return bytes === outlined && walkedBytes > WALKED_BYTES_MAX;
}

/** Nodes without a slot of their own have -1. */
const NO_SLOT = -2;

/** Walks through the value at `start` and returns its end; -1 if it does not end. */
export type Walk = (bytes: LentBytes, start: number, end: number) => number;

/**
 * Finds wanted values in a vendor's JSON in one walk over its bytes, without building objects. It checks
 * structure (strings, nesting, commas) and not grammar: it trusts a vendor to write valid numbers and plain
 * keys. A client's body goes through scan.ts, which trusts nothing. For a repeated key the last value counts.
 */
export class Skimmer {
  /** Per slot the value's range and the start of its key (at the quote). A start of -1 means absent. */
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  readonly keyStarts: Int32Array;
  readonly #root: PathNode;
  readonly #walkedSlot: number;
  readonly #walk: Walk;

  /** The value of the walked slot is left to its `walk`, so that it is read only once. */
  constructor(tree: PathTree<string>, walked?: { readonly slot: number; readonly walk: Walk }) {
    this.#root = tree.root;
    this.#walkedSlot = walked?.slot ?? NO_SLOT;
    this.#walk = walked?.walk ?? skipValue;
    this.starts = new Int32Array(tree.slotCount);
    this.ends = new Int32Array(tree.slotCount);
    this.keyStarts = new Int32Array(tree.slotCount);
  }

  /** The position after the object that starts at `start`, or -1 if there is no complete object. */
  run(bytes: LentBytes, start: number, end: number): number {
    const open = skipSpace(bytes, start, end);
    if (open >= end || bytes[open] !== OPEN_BRACE) {
      this.#forget();
      return -1;
    }
    return this.resume(bytes, open + 1, end);
  }

  /** The same from a place inside the object, between two of its members. */
  resume(bytes: LentBytes, inside: number, end: number): number {
    this.#forget();
    return this.#members(bytes, inside, end, this.#root);
  }

  /** There are so few slots that a loop is faster than `fill`. */
  #forget(): void {
    const { starts } = this;
    for (let slot = 0; slot < starts.length; slot++) starts[slot] = -1;
  }

  /** Recursion follows only the wanted paths, so its depth is that of the longest path. */
  #members(bytes: LentBytes, inside: number, end: number, node: PathNode): number {
    let at = inside;
    while (at < end) {
      const byte = bytes[at] as number;
      if (byte === QUOTE) {
        if (isWalkedOut(bytes)) return -1;
        const keyEnd = stringEnd(bytes, at, end);
        if (keyEnd < 0) return -1;
        let value = keyEnd + 1;
        if (bytes[value] !== COLON) value = skipSpace(bytes, value, end);
        if (value >= end || bytes[value] !== COLON) return -1;
        if ((bytes[++value] as number) <= SPACE) value = skipSpace(bytes, value, end);
        const child = findChild(node, bytes, at + 1, keyEnd);
        const valueEnd =
          child === undefined ? skipValue(bytes, value, end) : this.#wanted(bytes, value, end, child);
        if (valueEnd < 0) return -1;
        if (child !== undefined && child.slot >= 0) this.keyStarts[child.slot] = at;
        at = valueEnd;
      } else if (byte === COMMA || byte <= SPACE) {
        at++;
      } else {
        return byte === CLOSE_BRACE ? at + 1 : -1;
      }
    }
    return -1;
  }

  #wanted(bytes: LentBytes, value: number, end: number, node: PathNode): number {
    let valueEnd: number;
    if (node.slot === this.#walkedSlot) valueEnd = this.#walk(bytes, value, end);
    else if (node.children.length > 0 && value < end && bytes[value] === OPEN_BRACE) {
      valueEnd = this.#members(bytes, value + 1, end, node);
    } else valueEnd = skipValue(bytes, value, end);
    if (valueEnd >= 0 && node.slot >= 0) {
      this.starts[node.slot] = value;
      this.ends[node.slot] = valueEnd;
    }
    return valueEnd;
  }
}

/** Hands every object of the array that opens here to `walk`. Any other value is skipped. */
export function walkObjects(bytes: LentBytes, open: number, end: number, walk: Walk): number {
  if (bytes[open] !== OPEN_BRACKET) return skipValue(bytes, open, end);
  let at = open + 1;
  while (at < end) {
    const byte = bytes[at] as number;
    if (byte === CLOSE_BRACKET) return at + 1;
    if (byte === COMMA || byte <= SPACE) {
      at++;
      continue;
    }
    // The rest of so many elements is not needed.
    if (isWalkedOut(bytes)) return skipValue(bytes, open, end);
    walkedBytes += STEP_BYTES;
    const after = byte === OPEN_BRACE ? walk(bytes, at, end) : -1;
    at = after < 0 ? skipValue(bytes, at, end) : after;
    if (at < 0) return -1;
  }
  return -1;
}

export function skipSpace(bytes: LentBytes, start: number, end: number): number {
  let at = start;
  while (at < end && (bytes[at] as number) <= SPACE) at++;
  return at;
}

/** The position after the value that starts here, or -1 if it does not end. */
export function skipValue(bytes: LentBytes, start: number, end: number): number {
  if (start >= end) return -1;
  const first = bytes[start] as number;
  if (first === QUOTE) {
    const close = stringEnd(bytes, start, end);
    return close < 0 ? -1 : close + 1;
  }
  if ((first | BRACE_BIT) === OPEN_BRACE) return skipContainer(bytes, start, end);
  let at = start;
  while (at < end) {
    const byte = bytes[at] as number;
    if (byte === COMMA || byte <= SPACE || byte === CLOSE_BRACE || byte === CLOSE_BRACKET) break;
    at++;
  }
  return at === start ? -1 : at;
}

function skipContainer(bytes: LentBytes, start: number, end: number): number {
  if (bytes === outlined) {
    const known = largeEnds.get(start);
    if (known !== undefined) return known <= end ? known : -1;
    walkedBytes += STEP_BYTES;
  }
  let depth = 0;
  for (let at = start; at < end; at++) {
    at = skipNumbers(bytes, at, end, COMMA);
    if (at === end) break;
    const byte = bytes[at] as number;
    if (byte === QUOTE) {
      at = stringEnd(bytes, at, end);
      if (at < 0) return -1;
    } else {
      const brace = byte | BRACE_BIT;
      if (brace === OPEN_BRACE) depth++;
      else if (brace === CLOSE_BRACE && --depth === 0) {
        walkedBytes += at - start;
        return at + 1;
      }
    }
  }
  return -1;
}

/**
 * Skips what vectors consist of for the most part: a number from `MINUS` on, numbers and the commas between
 * them from `COMMA` on. A loop of its own, because a branch of the other loops takes four times as long.
 */
export function skipNumbers(
  bytes: LentBytes,
  start: number,
  end: number,
  lowest: typeof COMMA | typeof MINUS,
): number {
  let at = start;
  while (at < end) {
    const byte = bytes[at] as number;
    if (byte < lowest || byte >= COLON) return at;
    at++;
  }
  return at;
}

/** Shorter strings are read in place: below this a native search costs more than it saves. */
const NEAR_BYTES = 48;

/** The position of the closing quote of the string whose opening quote is at `open`, or -1. */
export function stringEnd(bytes: LentBytes, open: number, end: number): number {
  if (bytes === outlined) {
    const known = largeEnds.get(open);
    if (known !== undefined) return known <= end ? known - 1 : -1;
    walkedBytes += STEP_BYTES;
  }
  let at = open + 1;
  for (;;) {
    const near = Math.min(end, at + NEAR_BYTES);
    while (at < near) {
      const byte = bytes[at] as number;
      if (byte === QUOTE) return at;
      at += byte === BACKSLASH ? 2 : 1;
    }
    if (at >= end) return -1;
    const quote = bytes.indexOf(QUOTE, at);
    if (quote < 0 || quote >= end) return -1;
    // The quote closes the string unless an odd number of backslashes is before it.
    let run = quote;
    while (run > at && bytes[run - 1] === BACKSLASH) run--;
    if (((quote - run) & 1) === 0) return quote;
    at = quote + 1;
  }
}

/** Whether the value at this range is the given literal: `null`, `true`, `[]`. */
export function isWord(bytes: LentBytes, start: number, end: number, word: string): boolean {
  if (start < 0 || end - start !== word.length) return false;
  for (let index = 0; index < word.length; index++) {
    if (bytes[start + index] !== word.charCodeAt(index)) return false;
  }
  return true;
}

export function isOpenBrace(bytes: LentBytes, start: number): boolean {
  return start >= 0 && bytes[start] === OPEN_BRACE;
}

export function isOpenBracket(bytes: LentBytes, start: number): boolean {
  return start >= 0 && bytes[start] === OPEN_BRACKET;
}

export function isEmptyArray(bytes: LentBytes, start: number): boolean {
  return isOpenBracket(bytes, start) && bytes[skipSpace(bytes, start + 1, bytes.length)] === CLOSE_BRACKET;
}

/**
 * The number of elements of the array that opens here. For an outlined text with very many elements it may be
 * too low.
 */
export function countElements(bytes: LentBytes, open: number): number {
  let count = 0;
  let at = skipSpace(bytes, open + 1, bytes.length);
  while (at < bytes.length && bytes[at] !== CLOSE_BRACKET && !isWalkedOut(bytes)) {
    const after = skipValue(bytes, at, bytes.length);
    if (after < 0) return count;
    walkedBytes += STEP_BYTES;
    count++;
    at = skipSpace(bytes, after, bytes.length);
    if (bytes[at] === COMMA) at = skipSpace(bytes, at + 1, bytes.length);
  }
  return count;
}
