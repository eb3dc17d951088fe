import type { LentBytes } from '../../kernel/encoding/lent-bytes.ts';
import { BACKSLASH, COMMA, LETTER_N, LETTER_R, SLASH, SPACE } from './ascii.ts';

/** Shorter strings are not checked. */
export const BASE64_RUN_BYTES_MIN = 16 * 1024;
/** Writers that wrap base64 do so at 64 or 76 characters. Lines of prose have spaces. */
const LINE_BYTES_MIN = 60;

const BASE64 = new Uint8Array(256);
for (const letter of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=-_') {
  BASE64[letter.charCodeAt(0)] = 1;
}

/** Shorter encrypted strings are not checked. */
export const ENCRYPTED_BYTES_MIN = 128;
/** How much of an encrypted string is checked. */
const ENCRYPTED_BYTES_LOOKED = 4 * 1024;

/** Whether a JSON string begins like base64. */
export function isEncrypted(bytes: LentBytes, start: number, end: number): boolean {
  return isBase64(bytes, start, Math.min(end, start + ENCRYPTED_BYTES_LOOKED));
}

/** Beyond this, a string that began as base64 is taken as base64 to its end, unless it has a space. */
const CHECKED_BYTES = 256 * 1024;

/**
 * Whether every character of a JSON string (between its quotes) is base64, after its `data:` prefix if any.
 */
export function isBase64Run(bytes: LentBytes, start: number, end: number): boolean {
  if (end - start < BASE64_RUN_BYTES_MIN) return false;
  const checkedEnd = Math.min(end, start + CHECKED_BYTES);
  if (!isBase64(bytes, contentStart(bytes, start), checkedEnd)) return false;
  return checkedEnd === end || !bytes.subarray(checkedEnd, end).includes(SPACE);
}

function isBase64(bytes: LentBytes, start: number, end: number): boolean {
  let line = start;
  for (let at = start; at < end; at++) {
    const byte = bytes[at] as number;
    if (BASE64[byte] === 1) continue;
    if (byte !== BACKSLASH) return false;
    // Some writers escape the slash, and some wrap their lines.
    const next = bytes[++at];
    if (next === SLASH) continue;
    if (next !== LETTER_N && next !== LETTER_R) return false;
    const length = at - 1 - line;
    if (length > 0 && length < LINE_BYTES_MIN) return false;
    line = at + 1;
  }
  return true;
}

/**
 * The position after `data:image/png;base64,`. A media type is short, so the comma is near or this is not
 * one.
 */
function contentStart(bytes: LentBytes, start: number): number {
  if (bytes.toString('latin1', start, start + 5) !== 'data:') return start;
  return start + bytes.subarray(start, start + 256).indexOf(COMMA) + 1;
}
