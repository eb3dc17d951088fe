import type { ByteRange } from '../dialect.ts';
import { CLOSE_BRACKET, COMMA, OPEN_BRACKET } from './ascii.ts';
import { isWalkedOut, skipSpace, skipValue } from './skim.ts';

/**
 * The ranges of an array's elements; empty if it is not an array. The JSON must be valid. For an outlined
 * text with very many elements the list may be incomplete.
 */
export function listElements(bytes: Buffer, { start, end }: ByteRange): readonly ByteRange[] {
  const elements: ByteRange[] = [];
  if (bytes[start] !== OPEN_BRACKET) return elements;
  let at = skipSpace(bytes, start + 1, end);
  while (at < end && bytes[at] !== CLOSE_BRACKET && !isWalkedOut(bytes)) {
    const after = skipValue(bytes, at, end);
    if (after < 0) return elements;
    elements.push({ start: at, end: after });
    at = skipSpace(bytes, after, end);
    if (bytes[at] === COMMA) at = skipSpace(bytes, at + 1, end);
  }
  return elements;
}
