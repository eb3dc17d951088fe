import { BACKSLASH, COMMA, LETTER_N, LETTER_R, SLASH, SPACE } from './ascii.ts';
import { findChild, makeNode } from './paths.ts';

/** Shorter strings are not worth a question. */
export const BLOB_BYTES_MIN = 16 * 1024;
/** Characters looked at; prose shows a space or a dot long before. */
const SAMPLE_BYTES = 1024;
/** Those who wrap base64 do so at 64 or 76 characters; lines of prose are words. */
const LINE_BYTES_MIN = 60;

const BASE64 = new Uint8Array(256);
for (const letter of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=-_') {
  BASE64[letter.charCodeAt(0)] = 1;
}

/** Where requests carry files, and what a vendor has sealed. What a model reads as text stands elsewhere. */
const FILE_KEYS = makeNode(
  '',
  -1,
  [
    ...['data', 'url', 'image_url', 'file_data', 'file_url', 'b64_json', 'image', 'images', 'mask', 'result'],
    ...['signature', 'encrypted_content', 'thoughtSignature', 'thought_signature'],
  ].map((key) => makeNode(key, 0, [])),
);

/** A key spelled with escapes is none of them: what stands under it counts as text, the safe side. */
export function isFileKey(bytes: Buffer, start: number, end: number): boolean {
  return findChild(FILE_KEYS, bytes, start, end) !== undefined;
}

/** Whether a JSON string without escapes begins like base64 or a `data:` URL, and never shows a space. */
export function looksLikeBlob(bytes: Buffer, start: number, end: number): boolean {
  if (end - start < BLOB_BYTES_MIN) return false;
  const from = contentStart(bytes, start);
  if (!isBase64(bytes, from, Math.min(end, from + SAMPLE_BYTES))) return false;
  // Searched in a view, so that many blobs without a space cost one pass and not one pass each.
  return !bytes.subarray(from, end).includes(SPACE);
}

/** Whether every character of a JSON string (between its quotes) is base64, behind its `data:` if any. */
export function isBlob(bytes: Buffer, start: number, end: number): boolean {
  return end - start >= BLOB_BYTES_MIN && isBase64(bytes, contentStart(bytes, start), end);
}

function isBase64(bytes: Buffer, start: number, end: number): boolean {
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

/** After `data:image/png;base64,`; a media type is short, so the comma is near or this is something else. */
function contentStart(bytes: Buffer, start: number): number {
  if (bytes.toString('latin1', start, start + 5) !== 'data:') return start;
  return start + bytes.subarray(start, start + 256).indexOf(COMMA) + 1;
}
