import { ENVELOPE_BLOBS_MAX, ENVELOPE_CHARS_MAX } from '../../bounds.ts';
import { type JsonBounds, parseJson } from '../../kernel/encoding/json.ts';
import { sameBytes } from '../bytes/paths.ts';
import type { Blob } from './blob.ts';

/** No vendor's signature and no ordinary text of a client begins like this. */
const MARK = 'tollgate.blobs.1.';
const MARK_BYTES = Buffer.from(MARK);
/** The same in base64, as far as it does not depend on what follows. */
const MARK_BASE64_BYTES = Buffer.from(Buffer.from(MARK).toString('base64').slice(0, 20));

/** A list of rows. */
const BOUNDS: JsonBounds = { bytesMax: ENVELOPE_CHARS_MAX, depthMax: 2 };

const FORMS: readonly string[] = ['signature', 'redacted', 'encrypted', 'thought'] satisfies Blob['form'][];
const PLACES: readonly string[] = ['reasoning', 'call', 'text'] satisfies Blob['place'][];

/**
 * Puts blobs of one vendor into the opaque field of another vendor's protocol (rule C-41). The client keeps
 * the field and sends it back, like a signature of its own vendor. URL-safe characters only; the same blobs
 * give the same text.
 */
export function wrapBlobs(blobs: readonly Blob[]): string {
  const rows = blobs.map((blob) => [
    blob.issuer,
    blob.form,
    blob.place,
    blob.value,
    blob.itemId ?? null,
    blob.text ?? null,
    ...(blob.beforeText === true ? [true] : []),
  ]);
  return MARK + Buffer.from(JSON.stringify(rows)).toString('base64url');
}

/** The blobs of an envelope. `undefined` if the text is not one (a vendor's own signature, or garbage). */
export function unwrapBlobs(text: string): readonly Blob[] | undefined {
  if (!text.startsWith(MARK) || text.length > ENVELOPE_CHARS_MAX) return undefined;
  const result = parseJson(Buffer.from(text.slice(MARK.length), 'base64url').toString('utf8'), BOUNDS);
  const rows = result.kind === 'parsed' ? result.value : undefined;
  if (!Array.isArray(rows) || rows.length > ENVELOPE_BLOBS_MAX) return undefined;
  const blobs = rows.map(toBlob);
  return blobs.every((blob) => blob !== undefined) ? blobs : undefined;
}

/** Google's field holds bytes, so there the envelope is in base64. */
export function wrapBlobsBase64(blobs: readonly Blob[]): string {
  return Buffer.from(wrapBlobs(blobs)).toString('base64');
}

export function unwrapBlobsBase64(text: string): readonly Blob[] | undefined {
  if (text.length > ENVELOPE_CHARS_MAX * 2) return undefined;
  return unwrapBlobs(Buffer.from(text, 'base64').toString('latin1'));
}

/**
 * Whether a string of a body is an envelope, in either form. Such a body is never passed on unchanged. This
 * runs for every string of every request, so the first byte decides most cases.
 */
export function isEnvelopeAt(bytes: Buffer, start: number): boolean {
  const first = bytes[start];
  if (first === MARK_BYTES[0]) return sameBytes(MARK_BYTES, bytes, start);
  return first === MARK_BASE64_BYTES[0] && sameBytes(MARK_BASE64_BYTES, bytes, start);
}

/** The data comes from outside, so every field is checked. */
function toBlob(row: unknown): Blob | undefined {
  if (!Array.isArray(row)) return undefined;
  const [issuer, form, place, value, itemId, text, beforeText] = row as unknown[];
  if (typeof issuer !== 'string' || typeof value !== 'string') return undefined;
  if (typeof form !== 'string' || !FORMS.includes(form)) return undefined;
  if (typeof place !== 'string' || !PLACES.includes(place)) return undefined;
  return {
    issuer,
    form: form as Blob['form'],
    place: place as Blob['place'],
    value,
    ...(typeof itemId === 'string' ? { itemId } : {}),
    ...(typeof text === 'string' ? { text } : {}),
    ...(beforeText === true ? { beforeText } : {}),
  };
}
