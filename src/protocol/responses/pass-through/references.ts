import { BACKSLASH } from '../../bytes/ascii.ts';
import type { ItemWatch } from '../../bytes/scan.ts';
import { isWord } from '../../bytes/skim.ts';

const LONGEST_KEY = 'type'.length;

/**
 * Finds out while a request is scanned whether its input may refer to items that somebody must look up. A
 * false alarm costs a closer look; a reference that is missed would reach a vendor under a credential that
 * many accounts share. So an id is an alarm if its item is spelled with escapes or in other cases, or has
 * neither type nor role.
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

  /** Of a type that comes twice a vendor may read either. */
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

/** What an item's key may be read as though it is written otherwise. */
export function misreadKey(key: string): string | undefined {
  const folded = key.toLowerCase();
  return folded !== key && (folded === 'id' || folded === 'type') ? folded : undefined;
}
