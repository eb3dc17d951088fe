import type { Session } from '../hub/codec.ts';
import { unwrapSignaturesBase64, wrapSignaturesBase64 } from '../hub/envelope.ts';
import type { Signature } from '../hub/signature.ts';
import { SIGNATURE_SENTINEL } from './wire.ts';

const SENTINELS: ReadonlySet<string> = new Set([
  SIGNATURE_SENTINEL,
  Buffer.from(SIGNATURE_SENTINEL).toString('base64'),
  'context_engineering_is_the_way_to_go',
]);

/** The signatures in a client's `thoughtSignature`: our envelope, or Google's own signature. */
export function readSignatures(
  signature: string | undefined,
  place: Signature['place'],
): readonly Signature[] {
  // The sentinel means that the signature is lost: there is nothing to send back.
  if (signature === undefined || signature === '' || isSentinel(signature)) return [];
  return unwrapSignaturesBase64(signature) ?? [thoughtSignature(signature, place, 'gemini')];
}

export function isSentinel(signature: string): boolean {
  return SENTINELS.has(signature);
}

export function thoughtSignature(value: string, place: Signature['place'], issuer: string): Signature {
  return { issuer, form: 'thought', place, value };
}

/** Google's own signature among the signatures of a part, for a request to Google. */
export function findThought(
  signatures: readonly Signature[] | undefined,
  place: Signature['place'],
): string | undefined {
  return signatures?.find((signature) => signature.form === 'thought' && signature.place === place)?.value;
}

/** The field for a client: raw if the vendor uses this protocol itself, else our envelope. */
export function signatureFor(
  signatures: readonly Signature[] | undefined,
  session: Session,
): string | undefined {
  const first = signatures?.[0];
  if (signatures === undefined || first === undefined) return undefined;
  if (session.target.protocol === 'gemini' && signatures.length === 1 && first.form === 'thought') {
    return first.value;
  }
  return wrapSignaturesBase64(signatures);
}
