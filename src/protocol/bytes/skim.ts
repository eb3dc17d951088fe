import { WALKED_BYTES_MAX } from '../bounds.ts';
import {
  BACKSLASH,
  BRACE_BIT,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  SPACE,
} from './ascii.ts';
import { findChild, type PathNode, type PathTree } from './paths.ts';

/** Large values of one text that somebody went through already (outline.ts): they are passed over. */
let outlined: Buffer | undefined;
let largeEnds: ReadonlyMap<number, number> = new Map();
/** Bytes of it that were gone through one by one. */
let walkedBytes = 0;

/** Walks over these bytes pass over their large values, as long as `work` takes. */
export function withOutline<T>(bytes: Buffer, ends: ReadonlyMap<number, number>, work: () => T): T {
  outlined = bytes;
  largeEnds = ends;
  walkedBytes = 0;
  try {
    return work();
  } finally {
    outlined = undefined;
  }
}

/** What a string or a container costs at least, as if it were so many bytes. */
const STEP_BYTES = 32;

/** Of an outlined text, small pieces were looked at for long enough: no honest text has so many of them. */
export function isWalkedOut(bytes: Buffer): boolean {
  return bytes === outlined && walkedBytes > WALKED_BYTES_MAX;
}

/** Steps on the way have -1. */
const NO_SLOT = -2;

/** Goes through the value at `start` itself, and says where it ends; -1 when it does not. */
export type Walk = (bytes: Buffer, start: number, end: number) => number;

/**
 * Finds wanted values in a vendor's JSON by walking its bytes once, building nothing. It checks structure
 * (strings, nesting, commas) and not grammar: a vendor is trusted to spell numbers right and to write plain
 * keys. A client's body goes through scan.ts, which trusts nothing. Of a repeated key the last value counts.
 */
export class Skimmer {
  /** Per slot the value's range and the start of its key (at the quote); a start of -1 means absent. */
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  readonly keyStarts: Int32Array;
  readonly #root: PathNode;
  readonly #walkedSlot: number;
  readonly #walk: Walk;

  /** What stands in the walked slot is left to its walk, so that nobody has to go through it again. */
  constructor(tree: PathTree<string>, walked?: { readonly slot: number; readonly walk: Walk }) {
    this.#root = tree.root;
    this.#walkedSlot = walked?.slot ?? NO_SLOT;
    this.#walk = walked?.walk ?? skipValue;
    this.starts = new Int32Array(tree.slotCount);
    this.ends = new Int32Array(tree.slotCount);
    this.keyStarts = new Int32Array(tree.slotCount);
  }

  /** The position after the object that starts at `start`, or -1 when there is no whole object. */
  run(bytes: Buffer, start: number, end: number): number {
    const open = skipSpace(bytes, start, end);
    if (open >= end || bytes[open] !== OPEN_BRACE) {
      this.#forget();
      return -1;
    }
    return this.resume(bytes, open + 1, end);
  }

  /** The same from a place inside the object, between two of its members. */
  resume(bytes: Buffer, inside: number, end: number): number {
    this.#forget();
    return this.#members(bytes, inside, end, this.#root);
  }

  /** The slots are so few that a loop is done before `fill` would begin. */
  #forget(): void {
    const { starts } = this;
    for (let slot = 0; slot < starts.length; slot++) starts[slot] = -1;
  }

  /** Recursion goes along the wanted paths only, so its depth is that of the longest path. */
  #members(bytes: Buffer, inside: number, end: number, node: PathNode): number {
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

  #wanted(bytes: Buffer, value: number, end: number, node: PathNode): number {
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

/** Hands every object of the array that opens here to `walk`; what is no array is passed over. */
export function walkObjects(bytes: Buffer, open: number, end: number, walk: Walk): number {
  if (bytes[open] !== OPEN_BRACKET) return skipValue(bytes, open, end);
  let at = open + 1;
  while (at < end) {
    const byte = bytes[at] as number;
    if (byte === CLOSE_BRACKET) return at + 1;
    if (byte === COMMA || byte <= SPACE) {
      at++;
      continue;
    }
    // The rest of so many is of no interest to anybody.
    if (isWalkedOut(bytes)) return skipValue(bytes, open, end);
    walkedBytes += STEP_BYTES;
    const after = byte === OPEN_BRACE ? walk(bytes, at, end) : -1;
    at = after < 0 ? skipValue(bytes, at, end) : after;
    if (at < 0) return -1;
  }
  return -1;
}

export function skipSpace(bytes: Buffer, start: number, end: number): number {
  let at = start;
  while (at < end && (bytes[at] as number) <= SPACE) at++;
  return at;
}

/** The position after the value that starts here, or -1 when it does not end. */
export function skipValue(bytes: Buffer, start: number, end: number): number {
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

function skipContainer(bytes: Buffer, start: number, end: number): number {
  if (bytes === outlined) {
    const known = largeEnds.get(start);
    if (known !== undefined) return known <= end ? known : -1;
    walkedBytes += STEP_BYTES;
  }
  let depth = 0;
  for (let at = start; at < end; at++) {
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

/** Strings up to this length are walked in place; a native search costs more than it saves below it. */
const NEAR_BYTES = 48;

/** The position of the closing quote of the string whose opening quote stands at `open`, or -1. */
export function stringEnd(bytes: Buffer, open: number, end: number): number {
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
    // The quote closes the string unless an odd number of backslashes stands before it.
    let run = quote;
    while (run > at && bytes[run - 1] === BACKSLASH) run--;
    if (((quote - run) & 1) === 0) return quote;
    at = quote + 1;
  }
}

/** Whether the value at this range is the given word: `null`, `true`, `[]`. */
export function isWord(bytes: Buffer, start: number, end: number, word: string): boolean {
  if (start < 0 || end - start !== word.length) return false;
  for (let index = 0; index < word.length; index++) {
    if (bytes[start + index] !== word.charCodeAt(index)) return false;
  }
  return true;
}

export function isOpenBrace(bytes: Buffer, start: number): boolean {
  return start >= 0 && bytes[start] === OPEN_BRACE;
}

export function isOpenBracket(bytes: Buffer, start: number): boolean {
  return start >= 0 && bytes[start] === OPEN_BRACKET;
}

export function isEmptyArray(bytes: Buffer, start: number): boolean {
  return isOpenBracket(bytes, start) && bytes[skipSpace(bytes, start + 1, bytes.length)] === CLOSE_BRACKET;
}

/** Elements of the array that opens here; of very many in an outlined text not all are counted. */
export function countElements(bytes: Buffer, open: number): number {
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
