import type { LentBytes } from '../../kernel/encoding/lent-bytes.ts';
import { BACKSLASH, COLON, QUOTE } from '../bytes/ascii.ts';
import { findChild, makeNode, type PathNode } from '../bytes/paths.ts';
import { isOpenBrace, isOpenBracket, isWalkedOut, skipSpace, skipValue, stringEnd } from '../bytes/skim.ts';
import { decodeText } from '../bytes/text.ts';

/** How a key's value counts in an estimate. */
const NONE = -1;
const TEXT = 0;
const RAW = 1;
const SKIP = 2;
const PICTURE = 3;

export interface Words {
  readonly root: PathNode;
}

/**
 * Keys by the kind of their value: `text` is read by people or models, `raw` is JSON that counts as it is
 * written (tool arguments, schemas), `skip` repeats what was counted elsewhere, `picture` counts as one
 * image.
 */
export function compileWords(lists: {
  readonly text: readonly string[];
  readonly raw?: readonly string[];
  readonly skip?: readonly string[];
  readonly picture?: readonly string[];
}): Words {
  const nodes = (keys: readonly string[] | undefined, slot: number): PathNode[] =>
    (keys ?? []).map((key) => makeNode(key, slot, []));
  const children = [
    ...nodes(lists.text, TEXT),
    ...nodes(lists.raw, RAW),
    ...nodes(lists.skip, SKIP),
    ...nodes(lists.picture, PICTURE),
  ];
  return { root: makeNode('', -1, children) };
}

/** A JSON value in a buffer. */
export interface JsonText {
  readonly bytes: LentBytes;
  readonly start: number;
  readonly end: number;
}

type TakeText = (bytes: LentBytes, start: number, end: number) => void;

export interface WordSink {
  /** The characters of a string, between its quotes. */
  readonly text: TakeText;
  /** An object or array, as it is written. */
  readonly raw: TakeText;
  /** A value that counts as one image, as it is written. */
  readonly picture: TakeText;
}

/**
 * Hands every selected string of a JSON text to the sink, in one pass without building objects. A string
 * belongs to the key before it, also through arrays. Returns where it stopped: an outlined text with very
 * many small pieces may end early.
 */
export function collectWords(text: JsonText, words: Words, sink: WordSink): number {
  const { bytes, end } = text;
  let kind = NONE;
  let at = text.start;
  while (at < end) {
    if (bytes[at] !== QUOTE) {
      at = nextQuote(bytes, at, end);
      continue;
    }
    if (isWalkedOut(bytes)) return at;
    const close = stringEnd(bytes, at, end);
    if (close < 0) return end;
    const after = skipSpace(bytes, close + 1, end);
    if (bytes[after] !== COLON) {
      if (kind === TEXT) sink.text(bytes, at + 1, close);
      at = close + 1;
      continue;
    }
    kind = findKind(words, bytes, at + 1, close);
    at = after + 1;
    if (kind > TEXT) {
      const value = skipSpace(bytes, at, end);
      const isRaw = kind === RAW && (isOpenBrace(bytes, value) || isOpenBracket(bytes, value));
      if (kind === RAW && !isRaw) {
        kind = TEXT;
        continue;
      }
      at = skipValue(bytes, value, end);
      if (at < 0) return end;
      if (isRaw) sink.raw(bytes, value, at);
      if (kind === PICTURE) sink.picture(bytes, value, at);
      kind = NONE;
    }
  }
  return end;
}

/** There are few characters and numbers between two strings; many of them are skipped natively. */
const BETWEEN_BYTES = 32;

function nextQuote(bytes: LentBytes, start: number, end: number): number {
  const near = Math.min(end, start + BETWEEN_BYTES);
  let at = start;
  while (at < near && bytes[at] !== QUOTE) at++;
  if (at < near || at === end) return at;
  const found = bytes.indexOf(QUOTE, at);
  return found < 0 || found > end ? end : found;
}

/** No key of ours is longer, even if every letter is an escape. */
const KEY_BYTES_MAX = 128;

/** A client may write a key with escapes, and its vendor decodes them. */
function findKind({ root }: Words, bytes: LentBytes, start: number, end: number): number {
  const found = findChild(root, bytes, start, end);
  if (found !== undefined) return found.slot;
  if (end - start > KEY_BYTES_MAX || !hasEscape(bytes, start, end)) return NONE;
  const key = Buffer.from(decodeText(bytes, start, end));
  return findChild(root, key, 0, key.length)?.slot ?? NONE;
}

function hasEscape(bytes: LentBytes, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (bytes[at] === BACKSLASH) return true;
  return false;
}
