import { BACKSLASH } from '../../bytes/ascii.ts';
import type { ItemWatch } from '../../bytes/scan.ts';
import { isWord } from '../../bytes/skim.ts';

const LONGEST_KEY = 'type'.length;

/**
 * Finds out while a request is scanned whether its input may refer to stored items. A false positive costs a
 * closer check. A missed reference would reach a vendor under a credential that many accounts share. So an id
 * counts as a reference if its item has keys with escapes or in another case, or has neither type nor role.
 */
export class ReferenceWatch implements ItemWatch {
  readonly list: number;
  mayRefer = false;
  #key = '';
  #hasId = false;
  #hasRole = false;
  #isTyped = false;
  #isUnclear = false;

  constructor(list: number) {
    this.list = list;
  }

  escapedKey(): void {
    this.#key = '';
    this.#hasId = true;
    this.#isUnclear = true;
  }

  key(bytes: Buffer, start: number, end: number): void {
    this.#key = '';
    if (end - start <= LONGEST_KEY) this.#plainKey(bytes.toString('latin1', start, end));
  }

  #plainKey(key: string): void {
    const misread = misreadKey(key);
    this.#key = key;
    if (key === 'role') this.#hasRole = true;
    if (key === 'id' || misread === 'id') this.#hasId = true;
    if (misread !== undefined) this.#isUnclear = true;
  }

  /** If a type is repeated, a vendor may read either value. */
  value(bytes: Buffer, start: number, end: number): void {
    if (this.#key !== 'type') return;
    this.#isTyped = !isWord(bytes, start, end, 'null');
    const isReference = isWord(bytes, start, end, '"item_reference"');
    if (isReference || bytes.subarray(start, end).includes(BACKSLASH)) this.#isUnclear = true;
  }

  end(): void {
    const isReference = this.#isUnclear || !(this.#isTyped || this.#hasRole);
    if (this.#hasId && isReference) this.mayRefer = true;
    this.#hasId = false;
    this.#hasRole = false;
    this.#isTyped = false;
    this.#isUnclear = false;
  }
}

/** The key that a lenient reader may take this key for. */
export function misreadKey(key: string): string | undefined {
  const folded = key.toLowerCase();
  return folded !== key && (folded === 'id' || folded === 'type') ? folded : undefined;
}
