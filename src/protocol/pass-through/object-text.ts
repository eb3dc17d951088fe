import type { LentBytes } from '../../kernel/encoding/lent-bytes.ts';
import { QUOTE } from '../bytes/ascii.ts';
import type { Skimmer } from '../bytes/skim.ts';
import { decodeText } from '../bytes/text.ts';

/** An id that means the same in a path, in a header and in the store. */
const ID = /^(?!\.{1,2}$)[^\p{Cc}/\\]{1,256}$/u;

/** Whether a text can be the id of an object at a vendor. */
export function isObjectId(id: string): boolean {
  return ID.test(id) && id.isWellFormed();
}

/** More than any id or status has, in bytes with escapes. */
const TEXT_BYTES_MAX = 2_048;

/** The short text that the skimmer found in this slot; empty if there is none. */
export function slotText(bytes: LentBytes, skimmer: Skimmer, slot: number): string {
  const start = skimmer.starts[slot] as number;
  const end = skimmer.ends[slot] as number;
  if (start < 0 || bytes[start] !== QUOTE || end - start > TEXT_BYTES_MAX) return '';
  return decodeText(bytes, start + 1, end - 1);
}
