import { ENVELOPE_CHARS_MAX, ENVELOPE_SIGNATURES_MAX } from '../../bounds.ts';
import { type JsonBounds, parseJson } from '../../kernel/encoding/json.ts';
import { sameBytes } from '../bytes/paths.ts';
import type { Signature } from './signature.ts';

/** No vendor's signature and no ordinary text of a client begins like this. */
const MARK = 'tollgate.blobs.1.';
const MARK_BYTES = Buffer.from(MARK);
/** The same in base64, as far as it does not depend on what follows. */
const MARK_BASE64_BYTES = Buffer.from(Buffer.from(MARK).toString('base64').slice(0, 20));

/** A list of rows. */
const BOUNDS: JsonBounds = { bytesMax: ENVELOPE_CHARS_MAX, depthMax: 2 };

const FORMS: readonly string[] = [
  'signature',
  'redacted',
  'encrypted',
  'thought',
] satisfies Signature['form'][];
const PLACES: readonly string[] = ['reasoning', 'call', 'text'] satisfies Signature['place'][];

/**
 * Puts signatures of one vendor into the opaque field of another vendor's protocol (rule C-41). The client
 * keeps the field and sends it back, like a signature of its own vendor. URL-safe characters only; the same
 * signatures give the same text.
 */
export function wrapSignatures(signatures: readonly Signature[]): string {
  const rows = signatures.map((signature) => [
    signature.issuer,
    signature.form,
    signature.place,
    signature.value,
    signature.itemId ?? null,
    signature.text ?? null,
    ...(signature.beforeText === true ? [true] : []),
  ]);
  return MARK + Buffer.from(JSON.stringify(rows)).toString('base64url');
}

/**
 * The signatures of an envelope. `undefined` if the text is not one (a vendor's own signature, or garbage).
 */
export function unwrapSignatures(text: string): readonly Signature[] | undefined {
  if (!text.startsWith(MARK) || text.length > ENVELOPE_CHARS_MAX) return undefined;
  const result = parseJson(Buffer.from(text.slice(MARK.length), 'base64url').toString('utf8'), BOUNDS);
  const rows = result.kind === 'parsed' ? result.value : undefined;
  if (!Array.isArray(rows) || rows.length > ENVELOPE_SIGNATURES_MAX) return undefined;
  const signatures = rows.map(toSignature);
  return signatures.every((signature) => signature !== undefined) ? signatures : undefined;
}

/** Google's field holds bytes, so there the envelope is in base64. */
export function wrapSignaturesBase64(signatures: readonly Signature[]): string {
  return Buffer.from(wrapSignatures(signatures)).toString('base64');
}

export function unwrapSignaturesBase64(text: string): readonly Signature[] | undefined {
  if (text.length > ENVELOPE_CHARS_MAX * 2) return undefined;
  return unwrapSignatures(Buffer.from(text, 'base64').toString('latin1'));
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
function toSignature(row: unknown): Signature | undefined {
  if (!Array.isArray(row)) return undefined;
  const [issuer, form, place, value, itemId, text, beforeText] = row as unknown[];
  if (typeof issuer !== 'string' || typeof value !== 'string') return undefined;
  if (typeof form !== 'string' || !FORMS.includes(form)) return undefined;
  if (typeof place !== 'string' || !PLACES.includes(place)) return undefined;
  return {
    issuer,
    form: form as Signature['form'],
    place: place as Signature['place'],
    value,
    ...(typeof itemId === 'string' ? { itemId } : {}),
    ...(typeof text === 'string' ? { text } : {}),
    ...(beforeText === true ? { beforeText } : {}),
  };
}
