import type { LentBytes } from '../../kernel/encoding/lent-bytes.ts';
import type { ByteRange } from '../dialect.ts';
import { QUOTE } from './ascii.ts';

/** The text of a JSON string, given the bytes between its quotes. Invalid escapes are left as written. */
export function decodeText(bytes: LentBytes, start: number, end: number): string {
  const raw = bytes.toString('utf8', start, end);
  if (!raw.includes('\\')) return raw;
  try {
    return JSON.parse(`"${raw}"`) as string;
  } catch {
    return raw;
  }
}

/** More than any id, path or role has, in bytes with escapes. */
const TEXT_BYTES_MAX = 2_048;

/** The short text at this range of a JSON; `undefined` if there is none. */
export function textAt(bytes: Buffer, range: ByteRange | undefined): string | undefined {
  if (range === undefined || bytes[range.start] !== QUOTE) return undefined;
  if (range.end - range.start > TEXT_BYTES_MAX) return undefined;
  return decodeText(bytes, range.start + 1, range.end - 1);
}

const SHOWN_CHARS_MAX = 100;

/** A client's text for a message: short, and without invisible characters. */
export function showText(text: string): string {
  const quoted = JSON.stringify(text.slice(0, SHOWN_CHARS_MAX));
  return quoted.replaceAll(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
