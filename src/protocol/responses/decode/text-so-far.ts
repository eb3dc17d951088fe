/** What was said so far, without keeping it: how much of it, and its fingerprint. */
export interface TextSoFar {
  chars: number;
  print: number;
}

/** FNV-1a, over the units of a string: a few operations a character, and exact enough to tell texts apart. */
const PRINT_START = 0x811c9dc5;
const PRINT_FACTOR = 0x01000193;

export function nothingSaid(): TextSoFar {
  return { chars: 0, print: PRINT_START };
}

export function note(said: TextSoFar, text: string): void {
  said.print = printOn(said.print, text, text.length);
  said.chars += text.length;
}

/** Whether the texts, one behind the other, begin with what was said. */
export function isBeginningOf(said: TextSoFar, texts: readonly string[]): boolean {
  let print = PRINT_START;
  let left = said.chars;
  for (const text of texts) {
    const length = Math.min(left, text.length);
    print = printOn(print, text, length);
    left -= length;
    if (left === 0) break;
  }
  return left === 0 && print === said.print;
}

/** What is left to say of the text; nothing when it begins in another way. */
export function findRest(said: TextSoFar, text: string): string | undefined {
  return isBeginningOf(said, [text]) ? text.slice(said.chars) : undefined;
}

function printOn(start: number, text: string, length: number): number {
  let print = start;
  for (let at = 0; at < length; at++) print = Math.imul(print ^ text.charCodeAt(at), PRINT_FACTOR);
  return print;
}
