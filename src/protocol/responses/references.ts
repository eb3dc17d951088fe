import { BACKSLASH, CLOSE_BRACE, CLOSE_BRACKET, COMMA, OPEN_BRACE, OPEN_BRACKET, QUOTE } from '../ascii.ts';
import type { ByteRange } from '../dialect.ts';
import { isWord, skipSpace, skipValue, stringEnd } from '../skim.ts';

/** With the spellings that a reader without regard to case takes for it. */
const ID_KEYS = ['"id"', '"Id"', '"ID"', '"iD"'].map((key) => Buffer.from(key));
/** Letters can be written like this, and nobody does it but to hide a word. */
const ESCAPED = Buffer.from('\\u00');

/**
 * Whether an input may refer to items that somebody must look up. A false alarm costs a closer look; a
 * reference that is missed would reach a vendor under a credential that many accounts share. So whatever is
 * spelled with escapes or in other cases, or has neither type nor role, is an alarm.
 */
export function mayReferToItems(body: Buffer, { start, end }: ByteRange): boolean {
  if (body[start] !== OPEN_BRACKET) return false;
  // Most inputs have no ids at all: some native searches are far quicker than a walk through the items.
  if (!ID_KEYS.some((key) => body.includes(key)) && !body.includes(ESCAPED)) return false;
  let at = skipSpace(body, start + 1, end);
  while (at < end && body[at] !== CLOSE_BRACKET) {
    const item = body[at] === OPEN_BRACE ? readItem(body, at, end) : { end: skipValue(body, at, end) };
    // The body was proved to be JSON before: this only keeps the loop from running on if it was not.
    if (item === undefined || item.end < 0) return true;
    at = afterComma(body, item.end, end);
  }
  return false;
}

/** Where an item ends that refers to nothing; nothing for one that may. */
function readItem(body: Buffer, open: number, end: number): { readonly end: number } | undefined {
  let hasRole = false;
  let isTyped = false;
  let at = skipSpace(body, open + 1, end);
  while (body[at] === QUOTE) {
    const keyEnd = stringEnd(body, at, end) + 1;
    const value = skipSpace(body, skipSpace(body, keyEnd, end) + 1, end);
    const valueEnd = skipValue(body, value, end);
    if (keyEnd === 0 || valueEnd < 0 || hasEscape(body, at, keyEnd)) return undefined;
    if (isOtherCase(body, at, keyEnd)) return undefined;
    if (isWord(body, at, keyEnd, '"role"')) hasRole = true;
    else if (isWord(body, at, keyEnd, '"type"')) {
      isTyped = !isWord(body, value, valueEnd, 'null');
      const isPlain = !hasEscape(body, value, valueEnd);
      // Of a type that comes twice a vendor may read either.
      if (!isPlain || isWord(body, value, valueEnd, '"item_reference"')) return undefined;
    }
    at = afterComma(body, valueEnd, end);
  }
  const isReference = !isTyped && !hasRole;
  return isReference || body[at] !== CLOSE_BRACE ? undefined : { end: at + 1 };
}

function isOtherCase(body: Buffer, start: number, end: number): boolean {
  if (end - start > '"type"'.length) return false;
  return misreadKey(body.toString('latin1', start + 1, end - 1)) !== undefined;
}

/** What an item's key may be read as though it is written otherwise. */
export function misreadKey(key: string): string | undefined {
  const folded = key.toLowerCase();
  return folded !== key && (folded === 'id' || folded === 'type') ? folded : undefined;
}

function afterComma(body: Buffer, start: number, end: number): number {
  const at = skipSpace(body, start, end);
  return body[at] === COMMA ? skipSpace(body, at + 1, end) : at;
}

function hasEscape(body: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (body[at] === BACKSLASH) return true;
  return false;
}
