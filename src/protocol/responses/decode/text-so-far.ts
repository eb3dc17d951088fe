/** The text so far, without keeping it: its length and its hash. */
export interface TextSoFar {
  chars: number;
  print: number;
}

/**
 * FNV-1a over the units of a string: a few operations per character, and exact enough to distinguish texts.
 */
const PRINT_START = 0x811c9dc5;
const PRINT_FACTOR = 0x01000193;

export function newText(): TextSoFar {
  return { chars: 0, print: PRINT_START };
}

export function note(soFar: TextSoFar, text: string): void {
  soFar.print = printOn(soFar.print, text, text.length);
  soFar.chars += text.length;
}

/** Whether the texts, joined, begin with the text so far. */
export function isBeginningOf(soFar: TextSoFar, texts: readonly string[]): boolean {
  let print = PRINT_START;
  let left = soFar.chars;
  for (const text of texts) {
    const length = Math.min(left, text.length);
    print = printOn(print, text, length);
    left -= length;
    if (left === 0) break;
  }
  return left === 0 && print === soFar.print;
}

/** The rest of the text; `undefined` if it begins differently. */
export function findRest(soFar: TextSoFar, text: string): string | undefined {
  return isBeginningOf(soFar, [text]) ? text.slice(soFar.chars) : undefined;
}

function printOn(start: number, text: string, length: number): number {
  let print = start;
  for (let at = 0; at < length; at++) print = Math.imul(print ^ text.charCodeAt(at), PRINT_FACTOR);
  return print;
}
