import { BACKSLASH, COMMA, OPEN_BRACE, QUOTE } from '../ascii.ts';
import type { ByteRange } from '../dialect.ts';
import { elementsOf } from '../elements.ts';
import { isWord, skipSpace, skipValue, stringEnd } from '../skim.ts';

/**
 * Whether an input may refer to items that somebody must look up. A false alarm costs a closer look; a
 * reference that is missed would reach a vendor under a credential that many accounts share. So whatever is
 * spelled with escapes, or has neither type nor role, is an alarm.
 */
export function mayReferToItems(body: Buffer, input: ByteRange): boolean {
  return elementsOf(body, input).some((item) => body[item.start] === OPEN_BRACE && mayRefer(body, item));
}

function mayRefer(body: Buffer, { start, end }: ByteRange): boolean {
  let hasRole = false;
  let type: ByteRange | undefined;
  let at = skipSpace(body, start + 1, end);
  while (body[at] === QUOTE) {
    const keyEnd = stringEnd(body, at, end);
    if (hasEscape(body, at, keyEnd)) return true;
    const value = skipSpace(body, skipSpace(body, keyEnd + 1, end) + 1, end);
    const valueEnd = skipValue(body, value, end);
    // The body was proved to be JSON before; this only keeps the loop from running on if it was not.
    if (keyEnd < 0 || valueEnd < 0) return true;
    if (isWord(body, at, keyEnd + 1, '"role"')) hasRole = true;
    else if (isWord(body, at, keyEnd + 1, '"type"')) type = { start: value, end: valueEnd };
    at = skipSpace(body, valueEnd, end);
    if (body[at] === COMMA) at = skipSpace(body, at + 1, end);
  }
  if (type === undefined || isWord(body, type.start, type.end, 'null')) return !hasRole;
  return isWord(body, type.start, type.end, '"item_reference"') || hasEscape(body, type.start, type.end);
}

function hasEscape(body: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (body[at] === BACKSLASH) return true;
  return false;
}
