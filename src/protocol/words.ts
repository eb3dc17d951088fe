import { COLON, QUOTE } from './ascii.ts';
import { findChild, type PathNode } from './paths.ts';
import { isOpenBrace, isOpenBracket, skipSpace, skipValue, stringEnd } from './skim.ts';

/** What a key's value is worth to an estimate. */
const NONE = -1;
const TEXT = 0;
const RAW = 1;
const SKIP = 2;
const PICTURE = 3;

export interface Words {
  readonly root: PathNode;
}

/**
 * Keys by what stands under them: `text` is read by people or models, `raw` is JSON that counts as it is
 * written (tool arguments, schemas), `skip` repeats what was counted elsewhere, `picture` counts as one image.
 */
export function compileWords(lists: {
  readonly text: readonly string[];
  readonly raw?: readonly string[];
  readonly skip?: readonly string[];
  readonly picture?: readonly string[];
}): Words {
  const nodes = (keys: readonly string[] | undefined, slot: number): PathNode[] =>
    (keys ?? []).map((key) => ({ key: Buffer.from(key), slot, children: [] }));
  const children = [
    ...nodes(lists.text, TEXT),
    ...nodes(lists.raw, RAW),
    ...nodes(lists.skip, SKIP),
    ...nodes(lists.picture, PICTURE),
  ];
  return { root: { key: Buffer.alloc(0), slot: -1, children } };
}

export interface WordSink {
  text(bytes: Buffer, start: number, end: number): void;
  picture(): void;
}

/**
 * Hands every wanted string to the sink, in one pass that builds nothing. A string belongs to the key that
 * stands before it, also through arrays. It works on one JSON text and on raw events one after another alike,
 * because outside of strings it only looks for quotes.
 */
export function collectWords(bytes: Buffer, words: Words, sink: WordSink): void {
  const end = bytes.length;
  let kind = NONE;
  let at = 0;
  while (at < end) {
    if (bytes[at] !== QUOTE) {
      at++;
      continue;
    }
    const close = stringEnd(bytes, at, end);
    if (close < 0) return;
    const after = skipSpace(bytes, close + 1, end);
    if (bytes[after] !== COLON) {
      if (kind === TEXT) sink.text(bytes, at + 1, close);
      at = close + 1;
      continue;
    }
    kind = findChild(words.root, bytes, at + 1, close)?.slot ?? NONE;
    at = after + 1;
    if (kind > TEXT) {
      const value = skipSpace(bytes, at, end);
      const isRaw = kind === RAW && (isOpenBrace(bytes, value) || isOpenBracket(bytes, value));
      if (kind === RAW && !isRaw) {
        kind = TEXT;
        continue;
      }
      at = skipValue(bytes, value, end);
      if (at < 0) return;
      if (isRaw) sink.text(bytes, value, at);
      if (kind === PICTURE) sink.picture();
      kind = NONE;
    }
  }
}
