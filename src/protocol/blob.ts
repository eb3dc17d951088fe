import { BACKSLASH, COMMA, SLASH, SPACE } from './ascii.ts';

/** A text this long without one space, in the alphabet of base64, is a file and not prose. */
export const BLOB_BYTES_MIN = 16 * 1024;
/** Characters looked at; prose shows a space or a dot long before. */
const SAMPLE_BYTES = 1024;

const BASE64 = new Uint8Array(256);
for (const letter of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=-_') {
  BASE64[letter.charCodeAt(0)] = 1;
}

/**
 * Whether the characters of a JSON string (between its quotes) are base64 or a `data:` URL of some length.
 */
export function looksLikeBlob(bytes: Buffer, start: number, end: number): boolean {
  if (end - start < BLOB_BYTES_MIN) return false;
  const from = bytes.toString('latin1', start, start + 5) === 'data:' ? dataStart(bytes, start) : start;
  const until = Math.min(end, from + SAMPLE_BYTES);
  for (let at = from; at < until; at++) {
    const byte = bytes[at] as number;
    if (BASE64[byte] === 1) continue;
    // Some writers escape the slash, and some wrap base64 at 76 characters.
    const next = bytes[at + 1];
    if (byte !== BACKSLASH || (next !== SLASH && next !== 0x6e && next !== 0x72)) return false;
  }
  // Searched in a view, so that many blobs without a space cost one pass and not one pass each.
  return !bytes.subarray(from, end).includes(SPACE);
}

/** After `data:image/png;base64,`; a media type is short, so the comma is near or this is something else. */
function dataStart(bytes: Buffer, start: number): number {
  return start + bytes.subarray(start, start + 256).indexOf(COMMA) + 1;
}
