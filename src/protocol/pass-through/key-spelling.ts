import { BACKSLASH, MINUS, SPACE } from '../bytes/ascii.ts';
import { decodeText } from '../bytes/text.ts';

const UNDERSCORE = 0x5f;
const DELETE = 0x7f;
const CAPITAL_A = 0x41;
const CAPITAL_Z = 0x5a;
const LETTER_A = 0x61;
const LETTER_Z = 0x7a;
/** Characters that some or all readers of keys ignore: separators, blanks, invisible characters. */
const IGNORED = /[_\-\s\p{Cf}\p{Cc}]|\u0307/gu;

/**
 * A key as the most lenient reader compares it. Go's `encoding/json` ignores case, in all of Unicode; its
 * second version also ignores `_` and `-`; protobuf reads `max_tokens` as `maxTokens`; C ends a string at a
 * NUL.
 */
export function foldKey(key: string): string {
  const [seen = ''] = key.split('\0', 1);
  return seen.normalize('NFKC').toUpperCase().toLowerCase().replaceAll(IGNORED, '');
}

/**
 * One bit for each letter that some keys have at a position: a key with another letter there is none of them.
 */
export function lettersAt(keys: readonly Folded[], place: 0 | 1): number {
  return keys.reduce((bits, { letters }) => bits | toBit(letters[place] ?? 0), 0);
}

function toBit(letter: number): number {
  return 1 << (letter & 31);
}

function isLetter(byte: number): boolean {
  const lower = byte | 0x20;
  return lower >= LETTER_A && lower <= LETTER_Z;
}

/** A hash of a key's letters. Keys with other letters nearly always have another hash. */
export function hashLetters(letters: Buffer): number {
  let hash = 0;
  for (const letter of letters) hash = mix(hash, letter);
  return hash;
}

function mix(hash: number, letter: number): number {
  return (Math.imul(hash, 31) + letter) | 0;
}

/** The keys of one object, with their folded forms. */
interface Place<Key> {
  readonly children: readonly Key[];
  readonly firstLetters: number;
  readonly secondLetters: number;
}

interface Folded {
  readonly letters: Buffer;
  readonly hash: number;
}

/**
 * The known key that a lenient reader takes the key at these bytes (between the quotes) for. It runs for
 * every unknown key of a request, so the first two letters decide most cases.
 */
export function findSpelled<Key extends Folded>(
  { children, firstLetters, secondLetters }: Place<Key>,
  bytes: Buffer,
  start: number,
  end: number,
): Key | undefined {
  const first = bytes[start] as number;
  if (isLetter(first)) {
    if ((firstLetters & toBit(first)) === 0) return undefined;
    const second = bytes[start + 1] as number;
    if (end - start > 1 && isLetter(second) && (secondLetters & toBit(second)) === 0) return undefined;
  }
  let hash = 0;
  for (let at = start; at < end; at++) {
    const byte = bytes[at] as number;
    if (byte === UNDERSCORE || byte === MINUS) continue;
    // The engine's own tables decide about characters that folding may change or ignore.
    if (byte <= SPACE || byte >= DELETE || byte === BACKSLASH) return findFolded(children, bytes, start, end);
    hash = mix(hash, byte >= CAPITAL_A && byte <= CAPITAL_Z ? byte | 0x20 : byte);
  }
  for (let index = 0; index < children.length; index++) {
    if ((children[index] as Key).hash === hash) return findFolded(children, bytes, start, end);
  }
  return undefined;
}

function findFolded<Key extends Folded>(
  keys: readonly Key[],
  bytes: Buffer,
  start: number,
  end: number,
): Key | undefined {
  const folded = Buffer.from(foldKey(decodeText(bytes, start, end)));
  return keys.find(({ letters }) => letters.equals(folded));
}
