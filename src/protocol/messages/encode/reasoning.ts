import type { Session } from '../../hub/codec.ts';
import { wrapSignatures } from '../../hub/envelope.ts';
import type { Signature } from '../../hub/signature.ts';

/**
 * How a client gets thinking. A value of the client's own vendor stays unchanged. All other signatures are in
 * our envelope, and are sent back to their issuer with the next request (rule C-41).
 */
export type ReasoningValue =
  | { readonly kind: 'thinking'; readonly signature: string }
  | { readonly kind: 'redacted'; readonly data: string }
  | { readonly kind: 'nothing' };

/** `text` is the visible thinking, if any. */
export function encodeReasoningValue(
  text: string,
  signature: Signature | undefined,
  session: Session,
): ReasoningValue {
  // Clients require the field, even if it is empty.
  if (signature === undefined) return text === '' ? { kind: 'nothing' } : { kind: 'thinking', signature: '' };
  const isOwn = session.target.protocol === 'messages';
  const value = isOwn ? signature.value : wrapSignatures([signature]);
  const isHidden =
    signature.form === 'redacted' || (signature.form === 'encrypted' && signature.place === 'reasoning');
  return text === '' && isHidden ? { kind: 'redacted', data: value } : { kind: 'thinking', signature: value };
}
