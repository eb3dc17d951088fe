import type { Blob } from '../hub/blob.ts';
import type { Session } from '../hub/codec.ts';
import { unwrapBlobsBase64, wrapBlobsBase64 } from '../hub/envelope.ts';
import { SIGNATURE_SENTINEL } from './wire.ts';

const SENTINELS: ReadonlySet<string> = new Set([
  SIGNATURE_SENTINEL,
  Buffer.from(SIGNATURE_SENTINEL).toString('base64'),
  'context_engineering_is_the_way_to_go',
]);

/** The blobs in a client's `thoughtSignature`: our envelope, or Google's own signature. */
export function blobsOfSignature(signature: string | undefined, place: Blob['place']): readonly Blob[] {
  // The sentinel means that the signature is lost: there is nothing to send back.
  if (signature === undefined || signature === '' || isSentinel(signature)) return [];
  return unwrapBlobsBase64(signature) ?? [thoughtBlob(signature, place, 'gemini')];
}

export function isSentinel(signature: string): boolean {
  return SENTINELS.has(signature);
}

export function thoughtBlob(value: string, place: Blob['place'], issuer: string): Blob {
  return { issuer, form: 'thought', place, value };
}

/** Google's own signature among the blobs of a part, for a request to Google. */
export function findThought(blobs: readonly Blob[] | undefined, place: Blob['place']): string | undefined {
  return blobs?.find((blob) => blob.form === 'thought' && blob.place === place)?.value;
}

/** The field for a client: raw if the vendor uses this protocol itself, else our envelope. */
export function signatureFor(blobs: readonly Blob[] | undefined, session: Session): string | undefined {
  const first = blobs?.[0];
  if (blobs === undefined || first === undefined) return undefined;
  if (session.target.protocol === 'gemini' && blobs.length === 1 && first.form === 'thought') {
    return first.value;
  }
  return wrapBlobsBase64(blobs);
}
